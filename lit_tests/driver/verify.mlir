// The verifier runs once at the end, or after each pass with -verify-each.

// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-break -print-ir 2>&1 | FileCheck %s --check-prefix=END
// RUN: not sdy-opt %s -load-pass=%S/Inputs/passes.py -test-break -print-ir -verify-each 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: sdy-opt %s -cse -verify-each=1 | FileCheck %s
// RUN: sdy-opt %s -cse --verify_each=false | FileCheck %s

// END: IR Dump
// END: verify.mlir:{{[0-9]+}}:1: error: empty block: expect at least a terminator
// EACH-NOT: IR Dump
// EACH: verify.mlir:{{[0-9]+}}:1: error: empty block: expect at least a terminator

// CHECK: func.func @f()
func.func @f() {
  return
}
