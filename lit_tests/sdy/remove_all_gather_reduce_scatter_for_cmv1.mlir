// RUN: sdy-opt %s -sdy-remove-all-gather-reduce-scatter-for-cmv1 | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @all_gathers(
func.func @all_gathers(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
  // CHECK-NEXT: %[[SCATTER:.*]] = sdy.reduce_scatter [{"x"}, {}] %[[DOT]]
  // CHECK-NEXT: return %[[SCATTER]]
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_gather [{}, {"y"}] %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.dot %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reduce_scatter [{"x"}, {}] %2 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// Another user needs the gathered tensor: then the reduce-scatter goes.
// CHECK-LABEL: func.func @reduce_scatter(
func.func @reduce_scatter(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[GATHER:.*]] = sdy.all_gather
  // CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot_general %[[GATHER]], %arg0, {{.*}} {foo, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
  // CHECK-NEXT: return %[[GATHER]], %[[DOT]]
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0] {foo, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.reduce_scatter [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %0, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// The C++ pass crashes on a dot without a sharding.
// CHECK-LABEL: func.func @without_sharding(
func.func @without_sharding(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[DOT:.*]] = stablehlo.dot %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
  // CHECK-NEXT: return %[[DOT]]
  %0 = stablehlo.dot %arg0, %arg0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reduce_scatter [{}, {"y"}] %0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @nothing_to_do(
func.func @nothing_to_do(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: sdy.all_gather
  // CHECK-NEXT: stablehlo.add
  // CHECK-NEXT: stablehlo.dot
  // CHECK-NEXT: sdy.reduce_scatter
  // CHECK-NEXT: stablehlo.dot
  // CHECK-NEXT: sdy.reduce_scatter
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.add %0, %0 : tensor<8x8xf32>
  %2 = stablehlo.dot %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reduce_scatter [{}, {"y"}] %2 out_sharding=<@mesh, [{}, {"y"}], unreduced={"x"}> : tensor<8x8xf32>
  %4 = stablehlo.dot %arg0, %arg0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = sdy.reduce_scatter [{}, {"y"}] %4 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %3, %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
