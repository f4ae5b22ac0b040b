// RUN: sdy-opt %s -split-input-file -sdy-remove-size-one-axes -verify-diagnostics

// Parts of an axis with an axis of size 1 between them.
sdy.mesh @mesh = <["a"=1, "y"=4]>
func.func @parts_meet(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.abs' op result - two consecutive sub-axes can be merged: "y":(1)2, "y":(2)2}}
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, "a", "y":(2)2}]>]>} : tensor<8xf32>
  return
}

// -----

// A collective along the axis keeps its own axes, but its sharding loses the axis.
sdy.mesh @mesh = <["a"=1, "x"=2]>
func.func @collective(%arg0: tensor<8xf32>) {
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  // expected-error@+1 {{'sdy.all_slice' op result sharding doesn't match expected sharding ["x", "a"] on dimension 0}}
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"x", "a"}]> : tensor<8xf32>
  return
}
