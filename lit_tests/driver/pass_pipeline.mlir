// RUN: sdy-opt %s -pass-pipeline='builtin.module(func.func(cse), symbol-dce)' | FileCheck %s
// RUN: sdy-opt %s --pass-pipeline 'builtin.module(func.func(cse),symbol-dce)' | FileCheck %s
// RUN: sdy-opt %s --pass_pipeline='any(cse,symbol_dce)' | FileCheck %s
// RUN: sdy-opt %s -pass-pipeline='builtin.module(func.func(cse,canonicalize{max-iterations=2}),symbol-dce)' -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: sdy-opt %s -load-pass=%S/Inputs/passes.py -pass-pipeline='builtin.module(test-pipeline)' -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=EXPANDED

// DUMP: builtin.module(func.func(cse,canonicalize{max-iterations=2}),symbol-dce)
// DUMP: module {
// EXPANDED: builtin.module(func.func(test-mark),func.func(cse))

// CHECK-NOT: @unused
func.func private @unused()

// CHECK-LABEL: func.func @repeats
func.func @repeats(%a: i32) -> i32 {
  // CHECK: arith.addi
  // CHECK-NOT: arith.addi
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %1 : i32
}
