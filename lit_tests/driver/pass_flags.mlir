// Passes run in the order of their flags; one dash is as good as two, underscores as dashes.

// RUN: sdy-opt %s -cse -symbol-dce | FileCheck %s
// RUN: sdy-opt -symbol-dce %s --cse | FileCheck %s
// RUN: sdy_opt %s --symbol_dce -cse | FileCheck %s
// RUN: sdy-opt %s -cse -symbol-dce -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: sdy-opt %s -symbol-dce -cse -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=SWAPPED
// RUN: sdy-opt %s -canonicalize='max-iterations=3 top-down=false' -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: sdy-opt %s -canonicalize='{max-iterations=3}' -dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=BRACES

// ORDER: builtin.module(cse,symbol-dce)
// SWAPPED: builtin.module(symbol-dce,cse)
// OPTIONS: builtin.module(canonicalize{max-iterations=3 top-down=false})
// BRACES: builtin.module(canonicalize{max-iterations=3})

// CHECK-NOT: @unused
func.func private @unused()

// CHECK-LABEL: func.func @repeats
func.func @repeats(%a: i32) -> i32 {
  // CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
  // CHECK-NEXT: return %[[SUM]] : i32
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %1 : i32
}
