// RUN: sdy-opt %s -sdy-insert-explicit-reshards | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// An op that has no rule yet gets one, if it is needed: shapes of other ops may be dynamic.
// CHECK-LABEL: func.func @without_rules
func.func @without_rules(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %arg1: tensor<8x8xf32>, %arg2: tensor<?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8x16xf32> {
  // CHECK-NEXT: stablehlo.negate %arg2 : tensor<?xf32>
  // CHECK-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y", "x"}, {}]>
  // CHECK-NEXT: %[[B:.*]] = sdy.reshard %arg1 <@mesh, [{"y", "x"}, {}]>
  // CHECK-NEXT: %[[C:.*]] = stablehlo.concatenate %[[A]], %[[B]], dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {}]>]>}
  // CHECK-NEXT: %[[D:.*]] = sdy.reshard %[[C]] <@mesh, [{"y"}, {}]>
  // CHECK-NEXT: return %[[D]]
  %0 = stablehlo.negate %arg2 : tensor<?xf32>
  %1 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
