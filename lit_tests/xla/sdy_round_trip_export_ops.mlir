// RUN: sdy-opt %s -xla-sdy-round-trip-export-ops | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.constant {k = "v"} dense<1.000000e+00> : tensor<f32>
  // CHECK-NEXT: %[[A:.*]] = stablehlo.custom_call @Sharding(%arg0) {k = "v", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.custom_call @Sharding(%[[A]]) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>}
  // CHECK-NEXT: stablehlo.custom_call @xla.sdy.ShardingGroup(%[[B]]) {has_side_effect = true, mhlo.frontend_attributes = {k = "v", xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8xf32>) -> ()
  // CHECK-NEXT: %[[C:.*]] = stablehlo.custom_call @xla.sdy.PropagationBarrier(%[[B]]) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "2 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: sdy.manual_computation(%[[C]])
  %0 = sdy.constant {k = "v"} dense<1.0> : tensor<f32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {k = "v"} : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  sdy.sharding_group %2 group_id=7 {mhlo.frontend_attributes = {k = "v"}} : tensor<8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=BACKWARD : tensor<8xf32>
  // For another pass; in its body, too.
  %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    // CHECK-NEXT: stablehlo.constant dense<2.000000e+00>
    %5 = sdy.constant dense<2.0> : tensor<4xf32>
    sdy.return %5 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}
