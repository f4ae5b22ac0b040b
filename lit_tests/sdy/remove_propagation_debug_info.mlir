// RUN: sdy-opt %s -sdy-remove-propagation-debug-info | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// The names of origins stay.
// CHECK-LABEL: func.func @records(
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {sdy.sharding_origin_name = "constraint_0"} : tensor<8xf32>
// CHECK-NEXT:    stablehlo.optimization_barrier %0 : tensor<8xf32>
func.func @records(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, sdy.sharding_origins = {x = "self"}})
    -> (tensor<8xf32> {sdy.sharding_origins = {x = "input: 0"}}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> {
      sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>,
      sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {x = "self"}} : tensor<8xf32>
  %1 = stablehlo.optimization_barrier {sdy.block_arg_propagation_edges = [],
      sdy.block_arg_sharding_origins = [], sdy.result_propagation_edges = [],
      sdy.result_sharding_origins = [{x = "input: 0"}]} %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
