// RUN: sdy-opt %s | FileCheck %s --check-prefix=NONE
// RUN: sdy-opt %s -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// RUN: sdy-opt %s -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// RUN: sdy-opt %s -mlir-print-debuginfo -mlir-pretty-debuginfo | FileCheck %s --check-prefix=PRETTY
// RUN: sdy-opt %s -mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES

// NONE-NOT: loc(
// LOC: %[[A:.*]] = arith.addi %{{.*}}, %{{.*}} : i32 loc(#[[LOC:.*]])
// LOC: #[[LOC]] = loc("sum"(#{{.*}}))
// LOCAL: arith.addi %{{.*}}, %{{.*}} : i32 loc("sum"("model.py":3:7))
// LOCAL: return %{{.*}} : i32 loc("{{.*}}debug_info.mlir":{{[0-9]+}}:3)
// PRETTY: arith.addi %{{.*}}, %{{.*}} : i32 "sum"(#[[PLACE:.*]])
// PRETTY: #[[PLACE]] = model.py:3:7
// NAMES: %sum = arith.addi %{{.*}}, %{{.*}} : i32
// NAMES: return %sum : i32

func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("sum"("model.py":3:7))
  return %0 : i32
}
