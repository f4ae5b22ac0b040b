// RUN: sdy-opt %s -split-input-file -inline | FileCheck %s --check-prefixes=CHECK,INLINE
// RUN: sdy-opt %s -split-input-file -canonicalize | FileCheck %s --check-prefixes=CHECK,CANON

// Calls of functions are inlined.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  // INLINE-NOT: call
  // INLINE: stablehlo.abs %arg0
  // CANON: call @abs
  %0 = func.call @abs(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// INLINE-NOT: @abs
// CANON: @abs
func.func private @abs(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// A manual computation without manual axes is redundant: canonicalization inlines its body.
// CHECK-LABEL: func.func @redundant
func.func @redundant(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: sdy.manual_computation
  // CHECK: %[[ABS:.*]] = stablehlo.abs %arg0
  // CHECK: return %[[ABS]]
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>]
      out_shardings=[<@mesh, [{}]>] manual_axes={} (%arg1: tensor<4xf32>) {
    %1 = stablehlo.abs %arg1 : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @quantized
// CHECK-SAME: tensor<4x!quant.uniform<i8:f32, 2.000000e+00>>
func.func @quantized(%arg0: tensor<4x!quant.uniform<i8:f32, 2.0>>) {
  return
}
