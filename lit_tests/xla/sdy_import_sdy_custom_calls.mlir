// RUN: sdy-opt %s -xla-sdy-import-sdy-custom-calls | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.sharding_group %[[A]] group_id=7 : tensor<8xf32>
  // CHECK-NEXT: %[[B:.*]] = sdy.propagation_barrier %[[A]] allowed_direction=BACKWARD : tensor<8xf32>
  // CHECK-NEXT: %[[C:.*]] = stablehlo.custom_call @Sharding(%[[B]]) {mhlo.sharding = "{replicated}"}
  // CHECK-NEXT: %[[D:.*]] = stablehlo.custom_call @foo(%[[C]])
  // CHECK-NEXT: return %[[D]]
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8xf32>) -> ()
  %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "2 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  // Without a sharding of sdy, and of another name: these stay.
  %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @foo(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
