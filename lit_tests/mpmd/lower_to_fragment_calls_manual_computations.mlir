// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls | FileCheck %s
// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='manual-shardings=keep' | FileCheck %s --check-prefix=KEEP
// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='naming=program' | FileCheck %s --check-prefix=PROGRAM

// Shardings on and inside manual computations are renamed to the fragment's name of its mesh,
// or kept. The new mesh is at the start of the module. The option `naming` does not
// matter.
// CHECK:       module {
// CHECK-NEXT:    sdy.mesh @m = <["x"=2, "y"=2]>
// CHECK-NEXT:    sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK:       func.func @f(%{{.*}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// CHECK-NEXT:    sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}]>
// CHECK-NEXT:    sdy.manual_computation({{.*}}) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
// CHECK-NEXT:      sdy.sharding_constraint %{{.*}} <@m, [{"y"}]>
// CHECK-NEXT:      stablehlo.custom_call @foo(%{{.*}}) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>, sharding = "@mesh"}
// CHECK-NEXT:      sdy.manual_computation({{.*}}) in_shardings=[<@m, [{"y"}]>] out_shardings=[<@m, [{"y"}]>] manual_axes={"y"}
// KEEP-NOT:    sdy.mesh @m =
// KEEP:        func.func @f
// KEEP:          sdy.manual_computation({{.*}}) in_shardings=[<@mesh, [{"x"}]>]
// PROGRAM:     func.func @p0_f.main
// PROGRAM:       sdy.manual_computation({{.*}}) in_shardings=[<@m, [{"x"}]>]
#t = #mpmd.topology<<"m": <["x"=2, "y"=2]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @rename(%arg0: !v) -> !v attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %1 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      %3 = sdy.sharding_constraint %b <@mesh, [{"y"}]> : tensor<4xf32>
      %4 = stablehlo.custom_call @foo(%3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>, sharding = "@mesh"} : (tensor<4xf32>) -> tensor<4xf32>
      %5 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%c: tensor<2xf32>) {
        sdy.return %c : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      sdy.return %5 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

// An existing mesh is used; several new meshes are in the order of the fragments.
// CHECK:       module {
// CHECK-NEXT:    sdy.mesh @m2 = <["x"=2]>
// CHECK-NEXT:    sdy.mesh @m3 = <["x"=2]>
// CHECK-NEXT:    sdy.mesh @mesh = <["x"=2]>
// CHECK-NEXT:    sdy.mesh @m1 = <["x"=2]>
// CHECK-NEXT:    func.func @several
// CHECK:       func.func @f(
// CHECK-NEXT:    in_shardings=[<@m1, [{"x"}]>]
// CHECK:       func.func @g(
// CHECK-NEXT:    in_shardings=[<@m2, [{"x"}]>]
// CHECK:       func.func @h(
// CHECK-NEXT:    in_shardings=[<@m3, [{"x"}]>]
#t = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>, <"m3": <["x"=2]>>>
!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>
!m3 = !mpmd.mesh_tensor<"m3", tensor<8xf32>>
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @m1 = <["x"=2]>
func.func @several(%arg0: !m1, %arg1: !m2, %arg2: !m3) attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!m1) -> !m1
  %1 = mpmd.fragment<mesh="m2", origin=["g"]> (%arg1) (%a: tensor<8xf32>) {
    %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!m2) -> !m2
  %3 = mpmd.fragment<mesh="m3", origin=["h"]> (%arg2) (%a: tensor<8xf32>) {
    %2 = sdy.manual_computation(%a) in_shardings=[<@m1, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!m3) -> !m3
  return
}

// -----

// Unchanged: an inline mesh, a name that is right, other meshes, a single device.
// CHECK:       module {
// CHECK-NEXT:    sdy.mesh @m = <["x"=2]>
// CHECK-NEXT:    sdy.mesh @reversed = <["x"=2], device_ids=[1, 0]>
// CHECK-NEXT:    sdy.mesh @device = <[], device_ids=[0]>
// CHECK-NEXT:    func.func @untouched
// CHECK:       func.func @f(
// CHECK-NEXT:    in_shardings=[<mesh<["x"=2]>, [{"x"}]>] out_shardings=[<@m, [{"x"}]>]
// CHECK-NEXT:      sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>
// CHECK:         in_shardings=[<@reversed, [{"x"}]>] out_shardings=[<@reversed, [{"x"}]>]
#t = #mpmd.topology<<"m": <["x"=2]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
sdy.mesh @m = <["x"=2]>
sdy.mesh @reversed = <["x"=2], device_ids=[1, 0]>
sdy.mesh @device = <[], device_ids=[0]>
func.func @untouched(%arg0: !v) -> !v attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %1 = sdy.manual_computation(%a) in_shardings=[<mesh<["x"=2]>, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      %2 = stablehlo.custom_call @foo(%b) {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : (tensor<4xf32>) -> tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.manual_computation(%1) in_shardings=[<@reversed, [{"x"}]>] out_shardings=[<@reversed, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %3 : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

// Also unchanged if the name is another symbol of the module.
// CHECK:       func.func @f(
// CHECK-NEXT:    in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
// CHECK:       func.func @g(
// CHECK-NEXT:    in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["x"=2]>>>
!m = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!n = !mpmd.mesh_tensor<"n", tensor<8xf32>>
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @m = <["x"=4]>
func.func private @n()
func.func @taken(%arg0: !m, %arg1: !n) attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!m) -> !m
  %1 = mpmd.fragment<mesh="n", origin=["g"]> (%arg1) (%a: tensor<8xf32>) {
    %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!n) -> !n
  return
}
