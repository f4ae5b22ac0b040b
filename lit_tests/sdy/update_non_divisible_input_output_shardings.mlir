// RUN: sdy-opt %s -sdy-update-non-divisible-input-output-shardings | FileCheck %s

sdy.mesh @mesh = <["x"=4, "y"=3]>

// The last axis is cut to what divides; a dimension that changes loses its priority.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}p1, {}]>}
// CHECK-SAME: %arg1: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {?}]>}
// CHECK-SAME: %arg2: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}, {"y", "x":(1)2}]>}
// CHECK-SAME: -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
func.func @main(%arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}p1, {}]>},
    %arg1: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y", ?}]>},
    %arg2: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}, {"y", "x":(1)2}]>})
    -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  // CHECK: call @callee({{.*}}) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  // CHECK: stablehlo.abs {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>}
  // CHECK: sdy.manual_computation({{.*}}) in_shardings=[<@mesh, [{"x", ?}]>] out_shardings=[<@mesh, [{"x"}]>]
  %0 = call @callee(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>]>} : (tensor<12x6xf32>) -> tensor<16xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<16xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x", "y", ?}]>] out_shardings=[<@mesh, [{"x", "y"}]>]
      manual_axes={"x"} (%arg3: tensor<4xf32>) {
    sdy.return %arg3 : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// CHECK-LABEL: func.func private @callee
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)2}]>}
func.func private @callee(%arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)2}]>}) -> tensor<16xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// A maximal mesh divides nothing.
sdy.mesh @single = <[], device_ids=[0]>
// CHECK-LABEL: func.func @single_device
// CHECK-SAME: #sdy.sharding<@single, []>
func.func @single_device(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@single, []>}) {
  return
}
