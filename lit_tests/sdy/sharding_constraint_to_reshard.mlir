// RUN: sdy-opt %s -sdy-sharding-constraint-to-reshard -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Attributes and the location stay.
// CHECK-LABEL: func.func @constraints
func.func @constraints(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"x", ?}p1]> {foo} : tensor<8xf32> loc("here")
  // CHECK-NEXT: %[[B:.*]] = sdy.reshard %[[A]] <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  // CHECK-NEXT: return %[[B]]
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}p1]> {foo} : tensor<8xf32> loc("here")
  %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
