// RUN: sdy-opt %s -sdy-propagate-to-func-results | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A result takes the sharding that is returned, or loses its own; other attributes stay.
// CHECK-LABEL: func.func private @callee
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {mhlo.layout_mode = "default"})
func.func private @callee(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32> {mhlo.layout_mode = "default", sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func private @result
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}) {
func.func private @result(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"y", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<8xf32> {
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// CHECK: func.func private @declaration(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding
func.func private @declaration(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
