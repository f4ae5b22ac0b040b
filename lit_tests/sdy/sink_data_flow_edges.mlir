// RUN: sdy-opt %s -sdy-sink-data-flow-edges | FileCheck %s
// RUN: sdy-opt %s -sdy-sink-data-flow-edges='sink-debug-sharding-origins=true sink-debug-propagation-edge-sharding=true' | FileCheck %s --check-prefix=DEBUG

sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>

// A result whose edge has no sharding is open if another has one; if none has, nothing changes.
// CHECK-LABEL: func.func @barriers
// DEBUG-LABEL: func.func @barriers
func.func @barriers(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]]:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{?}]>]>} %arg0, %arg0
  // CHECK-NEXT: %[[B:.*]] = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} %[[A]]#1
  // CHECK-NEXT: return %[[B]]
  // DEBUG: sdy.block_arg_propagation_edges = [], sdy.block_arg_sharding_origins = []
  // DEBUG-SAME: sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>]
  // DEBUG-SAME: sdy.result_sharding_origins = [{a = "input: 0"}]
  %0:2 = stablehlo.optimization_barrier %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> {
      sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>,
      sdy.sharding_origins = {a = "input: 0"}} : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  %3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} %2 : tensor<8xf32>
  %4 = sdy.data_flow_edge %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// In the in shardings of a manual computation, the manual axes come first, and the replicated and
// unreduced axes stay.
// CHECK-LABEL: func.func @manual
// DEBUG-LABEL: func.func @manual
func.func @manual(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{"a", "b"}], replicated={"c"}>, <@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"a", "b"}]>]
  // CHECK: sdy.return %arg1
  // DEBUG: sdy.block_arg_sharding_origins = [{b = "self"}]
  // DEBUG-SAME: sdy.result_sharding_origins = []
  %0 = sdy.manual_computation(%arg0, %arg0)
      in_shardings=[<@mesh, [{"a", ?}], replicated={"c"}>, <@mesh, [{"a", "b"}]>]
      out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"} (%arg1: tensor<2xf32>, %arg2: tensor<2xf32>) {
    %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"b"}]> {sdy.sharding_origins = {b = "self"}} : tensor<2xf32>
    %3 = sdy.data_flow_edge %arg2 : tensor<2xf32>
    sdy.return %2 : tensor<2xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", "b"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Edges in a region have no effect on the op around it.
// CHECK-LABEL: func.func @nested
func.func @nested(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"c"}]>] out_shardings=[<@mesh, [{?}]>] (
  // CHECK-NEXT: stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} %arg1
  %0 = sdy.named_computation<"f">(%arg0) out_shardings=[<@mesh, [{?}]>] (%arg1: tensor<8xf32>) {
    %1 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"c"}]> : tensor<8xf32>
    %2 = stablehlo.optimization_barrier %1 : tensor<8xf32>
    %3 = sdy.data_flow_edge %2 sharding=<@mesh, [{"b"}]> : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The mesh is that of the edge: without manual axes it may be another one.
sdy.mesh @other = <["d"=2]>
// CHECK-LABEL: func.func @no_manual_axes
func.func @no_manual_axes(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@other, [{?}]>] manual_axes={}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@other, [{?}]>] out_shardings=[<@other, [{?}]>]
      manual_axes={} (%arg1: tensor<8xf32>) {
    %1 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
