// RUN: sdy-opt %s -split-input-file -sdy-op-priority-propagate | FileCheck %s --check-prefixes=CHECK,BY-OP
// RUN: sdy-opt %s -split-input-file -sdy-op-priority-propagate='run-op-priority-propagation=false' | FileCheck %s --check-prefixes=CHECK,AT-ONCE

// The addition forwards its operand's axis before the dot, which comes first in the program.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @elementwise_first
func.func @elementwise_first(
    %arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %arg1: tensor<64x8xf32>,
    %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x8xf32> {
  // BY-OP:   stablehlo.dot_general {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>
  // AT-ONCE: stablehlo.dot_general {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  // BY-OP:   stablehlo.add {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>
  // AT-ONCE: stablehlo.add {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>
  %1 = stablehlo.add %0, %arg2 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// A broadcast propagates forward last: after the reductions.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @broadcast
func.func @broadcast(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  // BY-OP:   stablehlo.broadcast_in_dim {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>
  // AT-ONCE: stablehlo.broadcast_in_dim {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Whatever comes first, all priorities are gone through: a reduction gets its axis, too.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @reduction
// CHECK-SAME:    %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
func.func @reduction(
    %arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %arg1: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
