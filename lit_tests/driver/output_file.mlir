// RUN: rm -f %t && sdy-opt %s -o %t > %t.out && FileCheck %s < %t && not grep . %t.out
// RUN: rm -f %t && sdy-opt %s --o=%t && FileCheck %s < %t
// RUN: sdy-opt %s -o - | FileCheck %s
// RUN: sdy-opt %s -o /dev/null > %t.out && not grep . %t.out

// What fails leaves the file as it was.
// RUN: echo before > %t && not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-raise -o %t
// RUN: FileCheck %s --check-prefix=KEPT < %t
// KEPT: before

// RUN: not sdy-opt %s -o %t.no/such/directory 2>&1 | FileCheck %s --check-prefix=DIRECTORY
// RUN: not sdy-opt %s -o %S 2>&1 | FileCheck %s --check-prefix=IS
// RUN: not sdy-opt %s -o 2>&1 | FileCheck %s --check-prefix=VALUE
// DIRECTORY: sdy-opt: error: cannot open output file '{{.*}}.no/such/directory': No such file or directory
// IS: sdy-opt: error: cannot open output file '{{.*}}driver': Is a directory
// VALUE: sdy-opt: error: for the -o option: requires a value!

// CHECK: func.func private @f()
func.func private @f()
