// RUN: sdy-opt %s | FileCheck %s
// RUN: sdy-opt %s -no-implicit-module | FileCheck %s --check-prefix=BARE
// RUN: sdy-opt %s -no-implicit-module -cse | FileCheck %s --check-prefix=CSE
// RUN: sdy-opt %s -no-implicit-module -pass-pipeline='func.func(cse)' | FileCheck %s --check-prefix=CSE
// RUN: sdy-opt %s -no-implicit-module -load-pass=%S/Inputs/passes.py -test-mark | FileCheck %s --check-prefix=MARKED
// RUN: not sdy-opt %s -no-implicit-module -load-pass=%S/Inputs/passes.py -test-break 2>&1 | FileCheck %s --check-prefix=RESTRICTED
// RUN: not sdy-opt %s -no-implicit-module -pass-pipeline='builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not sdy-opt %S/pass_flags.mlir -no-implicit-module 2>&1 | FileCheck %s --check-prefix=SEVERAL

// CHECK: module {
// CHECK-NEXT: func.func @f
// BARE-NOT: module
// BARE: {{^}}func.func @f
// CSE: {{^}}func.func @f
// CSE-COUNT-1: arith.addi
// CSE-NOT: arith.addi
// MARKED: func.func @f({{.*}}) -> i32 attributes {test.marked = "f"}
// RESTRICTED: error: can't run pass 'test-break', which is restricted to 'builtin.module', on 'func.func'
// ANCHOR: error: can't run 'builtin.module' pass manager on 'func.func' op
// SEVERAL: pass_flags.mlir:0:0: error: source must contain a single top-level operation, found: 2
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %1 : i32
}
