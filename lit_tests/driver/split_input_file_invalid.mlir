// One piece that fails does not keep the others from being processed and printed.

// RUN: not sdy-opt %s -split-input-file 2>&1 | FileCheck %s
// RUN: rm -f %t && not sdy-opt %s -split-input-file -o %t
// RUN: not cat %t

// CHECK: split_input_file_invalid.mlir:8:18: error: custom op 'retun' is unknown
func.func @f() { retun }

// -----

// CHECK: func.func private @fine()
func.func private @fine()
