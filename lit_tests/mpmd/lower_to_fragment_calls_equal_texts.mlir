// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls | FileCheck %s

// Bodies with equal texts may differ in attributes.

!v = !mpmd.mesh_tensor<"m", tensor<3xf32>>

// CHECK-LABEL: func.func @elements
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f(%arg0)
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f_1(%arg0)
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f(%arg0)
// CHECK: func.func @f(
// CHECK:   dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK: func.func @f_1(
// CHECK:   dense<[1.000000e+00, 2.000000e+00, 4.000000e+00]>
// CHECK-NOT: func.func
func.func @elements(%arg0: !v) -> (!v, !v, !v) attributes {topology = #mpmd.topology<<"m" : <["x"=1]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<3xf32>) {
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %s = stablehlo.add %a, %c : tensor<3xf32>
    mpmd.return %s : tensor<3xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<3xf32>) {
    %c = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
    %s = stablehlo.add %a, %c : tensor<3xf32>
    mpmd.return %s : tensor<3xf32>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<3xf32>) {
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %s = stablehlo.add %a, %c : tensor<3xf32>
    mpmd.return %s : tensor<3xf32>
  } : (!v) -> !v
  return %0, %1, %2 : !v, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<2xcomplex<f32>>>

// The bindings have no class for attributes with such elements.

// CHECK-LABEL: func.func @complex_elements
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f(%arg0)
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f_1(%arg0)
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f_1(%arg0)
func.func @complex_elements(%arg0: !v) -> (!v, !v, !v) attributes {topology = #mpmd.topology<<"m" : <["x"=1]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<2xcomplex<f32>>) {
    %c = stablehlo.constant dense<[(1.0,0.0), (2.0,0.0)]> : tensor<2xcomplex<f32>>
    %s = stablehlo.add %a, %c : tensor<2xcomplex<f32>>
    mpmd.return %s : tensor<2xcomplex<f32>>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<2xcomplex<f32>>) {
    %c = stablehlo.constant dense<[(1.0,0.0), (2.0,1.0)]> : tensor<2xcomplex<f32>>
    %s = stablehlo.add %a, %c : tensor<2xcomplex<f32>>
    mpmd.return %s : tensor<2xcomplex<f32>>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<2xcomplex<f32>>) {
    %c = stablehlo.constant dense<[(1.0,0.0), (2.0,1.0)]> : tensor<2xcomplex<f32>>
    %s = stablehlo.add %a, %c : tensor<2xcomplex<f32>>
    mpmd.return %s : tensor<2xcomplex<f32>>
  } : (!v) -> !v
  return %0, %1, %2 : !v, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Only the operands differ.

// CHECK-LABEL: func.func @operands
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f(%arg0, %arg1)
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f_1(%arg0, %arg1)
func.func @operands(%arg0: !v, %arg1: !v) -> (!v, !v) attributes {topology = #mpmd.topology<<"m" : <["x"=1]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    %s = stablehlo.subtract %a, %b : tensor<8xf32>
    mpmd.return %s : tensor<8xf32>
  } : (!v, !v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    %s = stablehlo.subtract %b, %a : tensor<8xf32>
    mpmd.return %s : tensor<8xf32>
  } : (!v, !v) -> !v
  return %0, %1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// An attribute of the op inside a reduction, which the short form of the reduction does not print.

// CHECK-LABEL: func.func @reduction
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f(%arg0)
// CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @f_1(%arg0)
func.func @reduction(%arg0: !v) -> (!v, !v) attributes {topology = #mpmd.topology<<"m" : <["x"=1]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = "stablehlo.reduce"(%a, %z) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %t = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
    mpmd.return %b : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = "stablehlo.reduce"(%a, %z) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %t = stablehlo.add %x, %y {own = 1 : i32} : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
    mpmd.return %b : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}
