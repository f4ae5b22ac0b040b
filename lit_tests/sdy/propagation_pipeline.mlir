// RUN: sdy-opt %s -sdy-propagation-pipeline | FileCheck %s
// RUN: sdy-opt %s -sdy-import-pipeline='dedup-functions-fully=true' -sdy-user-priority-propagate -sdy-export-pipeline | FileCheck %s

// A sharding of an argument reaches the result; afterwards it is closed.
sdy.mesh @mesh = <["x"=2]>

// CHECK: func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
// CHECK: stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
