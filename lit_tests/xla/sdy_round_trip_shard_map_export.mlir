// RUN: sdy-opt %s -split-input-file -xla-sdy-round-trip-shard-map-export | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = call @xla.sdy.manual_computation_body_1(%[[A]]) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]] = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%[[B]]) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}} : (tensor<4xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return %[[C]]
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%arg2: tensor<2xf32>) {
      %2 = stablehlo.abs %arg2 : tensor<2xf32>
      sdy.return %2 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A name that is taken, and inner ones first.
func.func private @xla.sdy.manual_computation_body()
// CHECK:      func.func @xla.sdy.manual_computation_body_0(%arg0: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:   %[[A:.*]] = stablehlo.abs %arg0
// CHECK-NEXT:   return %[[A]]
// CHECK:      func.func @xla.sdy.manual_computation_body_1(%arg0: tensor<4xf32>) -> tensor<4xf32> {
// CHECK:        call @xla.sdy.manual_computation_body_0(

// -----

sdy.mesh @mesh = <["x"=2]>

// Without operands, without results, and with neither.
// CHECK-LABEL: func.func @ends
func.func @ends() -> tensor<8xf32> {
  // CHECK-NEXT: call @xla.sdy.manual_computation_body() {mhlo.frontend_attributes = {inlineable = "false"}} : () -> tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = stablehlo.custom_call @xla.sdy.LocalToGlobalShape
  // CHECK-NEXT: stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%[[A]])
  // CHECK-NEXT: call @xla.sdy.manual_computation_body_0
  // CHECK-NEXT: call @xla.sdy.manual_computation_body_1()
  // CHECK-NEXT: return %[[A]]
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} () {
    %1 = stablehlo.constant dense<1.0> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : () -> tensor<8xf32>
  sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return %0 : tensor<8xf32>
}
