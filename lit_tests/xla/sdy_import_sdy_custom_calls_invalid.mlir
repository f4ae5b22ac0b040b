// RUN: sdy-opt %s -split-input-file -xla-sdy-import-sdy-custom-calls -verify-diagnostics

sdy.mesh @mesh = <["x"=2]>
func.func @operands(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{@Sharding must have one operand and 1 results, found 2 and 1}}
  %0 = stablehlo.custom_call @Sharding(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @no_id(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'xla.sdy.sharding_group_id' must be the text of an integer, found None}}
  stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @bad_id(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'xla.sdy.sharding_group_id' must be the text of an integer, found "x : i64"}}
  stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "x : i64"}} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @negative_id(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'xla.sdy.sharding_group_id' must not be negative, found -1}}
  stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "-1 : i64"}} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @direction(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'xla.sdy.allowed_direction' must be 0 to 3, found 4}}
  %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "4 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
