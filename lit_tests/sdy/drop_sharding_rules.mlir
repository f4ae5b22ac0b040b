// RUN: sdy-opt %s -sdy-drop-sharding-rules | FileCheck %s

// Rules that a user wrote stay.
// CHECK-LABEL: func.func @rules
func.func @rules(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.abs %arg0 : tensor<8xf32>
  // CHECK-NEXT: stablehlo.custom_call @mine({{.*}}) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>}
  %0 = stablehlo.abs %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
  %1 = stablehlo.custom_call @mine(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
