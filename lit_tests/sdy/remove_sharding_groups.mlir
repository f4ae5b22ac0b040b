// RUN: sdy-opt %s -sdy-remove-sharding-groups | FileCheck %s

// Groups go, in nested regions too; everything else stays.
// CHECK-LABEL: func.func @groups
func.func @groups(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  // CHECK-NOT: sdy.sharding_group
  // CHECK:     "stablehlo.case"
  // CHECK-NOT: sdy.sharding_group
  // CHECK:     return
  sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
  %0 = "stablehlo.case"(%arg1) ({
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    stablehlo.return %arg0 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
