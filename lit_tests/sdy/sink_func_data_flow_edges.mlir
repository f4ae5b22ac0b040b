// RUN: sdy-opt %s -sdy-sink-func-data-flow-edges | FileCheck %s

sdy.mesh @mesh = <["a"=4, "b"=2]>

// An argument that is sharded, but whose edge is not, is opened.
// CHECK-LABEL: func.func private @arguments
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}, %arg2: tensor<8xf32>)
func.func private @arguments(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
    %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: return %arg0, %arg1
  %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
  %1 = sdy.func_data_flow_edge %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}]>]>} : tensor<8xf32>
  %2 = sdy.func_data_flow_edge %arg2 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// The same for results of calls; results without an edge keep theirs.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]]:2 = call @arguments(%arg0, %arg0, %arg0) : (
  // CHECK-NEXT: %[[B:.*]]:2 = call @arguments(%[[A]]#0, %[[A]]#1, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{?}]>]>}
  // CHECK-NEXT: %[[C:.*]]:2 = call @arguments({{.*}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>}
  // CHECK-NEXT: return %[[C]]#0
  %0:2 = call @arguments(%arg0, %arg0, %arg0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.func_data_flow_edge %0#0 : tensor<8xf32>
  %2 = sdy.func_data_flow_edge %0#1 : tensor<8xf32>
  %3:2 = call @arguments(%1, %2, %arg0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %4 = sdy.func_data_flow_edge %3#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %5 = sdy.func_data_flow_edge %3#1 : tensor<8xf32>
  %6:2 = call @arguments(%4, %5, %5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %7 = sdy.func_data_flow_edge %6#0 : tensor<8xf32>
  return %7 : tensor<8xf32>
}
