// RUN: sdy-opt %s -split-input-file -xla-sdy-round-trip-shard-map-import | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Nested ones, and a function that two call.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT:  %[[A:.*]] = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%[[B:.*]]: tensor<4xf32>) {
  // CHECK-NEXT:    %[[C:.*]] = sdy.manual_computation(%[[B]]) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%[[D:.*]]: tensor<2xf32>) {
  // CHECK-NEXT:      stablehlo.abs %[[D]]
  // CHECK:         sdy.return %[[C]] : tensor<4xf32>
  // CHECK:       %[[E:.*]] = sdy.manual_computation(%[[A]]) in_shardings=[<@mesh, [{"x"}]>]
  // CHECK-NEXT:    sdy.manual_computation
  // CHECK-NEXT:      stablehlo.abs
  // CHECK:       return %[[E]]
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = call @xla.sdy.manual_computation_body_0.2(%0) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}} : (tensor<4xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%2) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  %4 = call @xla.sdy.manual_computation_body_0.2(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%4) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}} : (tensor<4xf32>) -> tensor<8xf32>
  return %5 : tensor<8xf32>
}

// CHECK-NOT: @xla.sdy.manual_computation_body
func.func private @xla.sdy.manual_computation_body_0.2(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22y\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22y\22}>"}} : (tensor<4xf32>) -> tensor<2xf32>
  %1 = call @xla.sdy.manual_computation_body.1(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22y\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22y\22}]>]>"}} : (tensor<2xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body.1(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %arg0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>

// Without operands, without results, and with neither.
// CHECK-LABEL: func.func @ends
func.func @ends(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]] = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} () {
  // CHECK:      sdy.manual_computation(%[[A]]) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (
  // CHECK:      sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  %0 = call @xla.sdy.manual_computation_body() : () -> tensor<4xf32>
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}} : (tensor<4xf32>) -> tensor<8xf32>
  %2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  call @xla.sdy.manual_computation_body_0(%2) : (tensor<4xf32>) -> ()
  call @xla.sdy.manual_computation_body_1() : () -> ()
  return %1 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body_0(%arg0: tensor<4xf32>) {
  return
}
func.func private @xla.sdy.manual_computation_body_1() {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>

// XLA has replaced an operand without elements by a constant.
// CHECK-LABEL: func.func @no_elements
func.func @no_elements(%arg0: tensor<0xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}]>, <@mesh, [{"x"}]>]
  %c = stablehlo.constant dense<> : tensor<0xf32>
  %0:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0, %arg1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<0xf32>, tensor<8xf32>) -> (tensor<0xf32>, tensor<4xf32>)
  %1 = call @xla.sdy.manual_computation_body(%c, %0#1) : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}} : (tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body(%arg0: tensor<0xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  return %arg1 : tensor<4xf32>
}

// -----

// Other calls stay.
// CHECK-LABEL: func.func @other
func.func @other(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: call @f(%arg0)
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
