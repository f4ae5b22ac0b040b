// RUN: sdy-opt %s -split-input-file -sdy-user-priority-propagate | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sdy-user-priority-propagate='debug-sharding-origins=true debug-propagation-edge-sharding=true' | FileCheck %s --check-prefixes=DEBUG

// The batch comes first: the axis of the weights divides them, and nothing that has it along the batch.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @batch_first
// CHECK-SAME:    %arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
// The priority is gone afterwards.
// CHECK-SAME:    %arg1: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}
// DEBUG-LABEL: func.func @batch_first
// DEBUG-SAME:    %arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>, sdy.sharding_origins = {x = "self"}}
func.func @batch_first(
    %arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}]>},
    %arg1: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}p1]>}) -> tensor<8x64xf32> {
  // CHECK:      stablehlo.dot_general {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>
  // DEBUG:      stablehlo.dot_general
  // DEBUG-SAME:   sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>
  // DEBUG-SAME:   sdy.sharding_origins = [{x = "input: 0"}]
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// Until its priority is due, a dimension is closed, and its axes are not used by others.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @not_yet
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}
func.func @not_yet(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {?}]>},
    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{}, {"y", ?}]>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {?}]> : tensor<8x8xf32>
  // CHECK: stablehlo.add %{{.*}}, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>}
  %2 = stablehlo.add %1, %arg1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
