// RUN: sdy-opt %s -sdy-export-pipeline='enable-insert-explicit-collectives=true' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: sdy-opt %s -sdy-propagation-pipeline='enable-insert-explicit-collectives=true' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: sdy-opt %s -sdy-export-pipeline='enable-insert-explicit-collectives=true remove-all-gather-reduce-scatter-for-cmv1=true' | FileCheck %s --check-prefixes=CHECK,CMV1
// RUN: not sdy-opt %s -sdy-export-pipeline='remove-all-gather-reduce-scatter-for-cmv1=true' 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: option 'remove-all-gather-reduce-scatter-for-cmv1' expects enable-insert-explicit-collectives=true: there are none to remove without

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main(
// ALL-NEXT:    %[[A:.*]] = sdy.all_gather [{}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {}]>
// ALL-NEXT:    %[[B:.*]] = stablehlo.dot %[[A]], %arg1
// CMV1-NEXT:   %[[B:.*]] = stablehlo.dot %arg0, %arg1
// CHECK-NEXT:  return %[[B]]
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<8x512xf32>) -> tensor<8x512xf32>
  return %0 : tensor<8x512xf32>
}
