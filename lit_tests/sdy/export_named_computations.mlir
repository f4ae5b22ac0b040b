// RUN: sdy-opt %s -split-input-file -sdy-export-named-computations | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Inner computations come first; a name that is taken gets a number.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]] = call @f_0(%arg0) {mhlo.frontend_attributes = {}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"y"}]>] (%arg1: tensor<8xf32>) {
    %1 = sdy.named_computation<"g">(%arg1) (%arg2: tensor<8xf32>) {
      %2 = stablehlo.abs %arg2 : tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } {execution_thread = "sparsecore"} : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } {mhlo.frontend_attributes = {}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @f(
func.func private @f() {
  return
}

// CHECK-LABEL: func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32>
// CHECK-SAME:      attributes {execution_thread = "sparsecore", sdy.original_func_name = "g"} {
// CHECK-NEXT:    %[[B:.*]] = stablehlo.abs %arg0
// CHECK-NEXT:    return %[[B]]

// CHECK-LABEL: func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32>
// CHECK-SAME:      attributes {sdy.original_func_name = "f"} {
// CHECK-NEXT:    call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Shardings of edges replace those of the computation; edges without one are open.
// CHECK-LABEL: func.func @edges
func.func @edges(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: call @f(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}]>]>}
  %0 = sdy.named_computation<"f">(%arg0, %arg0) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] (%arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
    %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"y"}]> : tensor<8xf32>
    %3 = sdy.data_flow_edge %arg2 : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"y", ?}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// CHECK-NEXT:    return %arg1
