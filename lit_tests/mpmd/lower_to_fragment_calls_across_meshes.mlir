// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='group-across-meshes=true' | FileCheck %s
// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='group-across-meshes=true naming=program' | FileCheck %s --check-prefix=PROGRAM
// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls | FileCheck %s --check-prefix=SEPARATE

// Meshes of the same shape share functions. The shape is the axes, their order and the device ids.
// CHECK-LABEL: func.func @shapes
// CHECK-NEXT:    mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%{{.*}})
// CHECK-NEXT:    mpmd.fragment_call<mesh="m2", origin=["g"]> @f(%{{.*}})
// CHECK-NEXT:    mpmd.fragment_call<mesh="turned", origin=["h"]> @h(%{{.*}})
// CHECK-NEXT:    mpmd.fragment_call<mesh="named", origin=["i"]> @i(%{{.*}})
// CHECK:       func.func @f({{.*}}attributes {mesh_shape = #sdy.mesh<["x"=2, "y"=2]>}
// CHECK:       func.func @h({{.*}}attributes {mesh_shape = #sdy.mesh<["y"=2, "x"=2]>}
// CHECK:       func.func @i({{.*}}attributes {mesh_shape = #sdy.mesh<["x"=2, "z"=2]>}
// SEPARATE-LABEL: func.func @shapes
// SEPARATE-NEXT:    @f(
// SEPARATE-NEXT:    @g(
#t = #mpmd.topology<<"m1": <["x"=2, "y"=2]>>, <"m2": <["x"=2, "y"=2]>>, <"turned": <["y"=2, "x"=2]>>, <"named": <["x"=2, "z"=2]>>>
!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>
!turned = !mpmd.mesh_tensor<"turned", tensor<8xf32>>
!named = !mpmd.mesh_tensor<"named", tensor<8xf32>>
func.func @shapes(%arg0: !m1, %arg1: !m2, %arg2: !turned, %arg3: !named) attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!m1) -> !m1
  %1 = mpmd.fragment<mesh="m2", origin=["g"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!m2) -> !m2
  %2 = mpmd.fragment<mesh="turned", origin=["h"]> (%arg2) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!turned) -> !turned
  %3 = mpmd.fragment<mesh="named", origin=["i"]> (%arg3) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!named) -> !named
  return
}

// -----

// The names of meshes inside manual computations do not matter, if they are names of the mesh of
// the fragment. Names outside and names of other meshes do. The function has the names
// of its first fragment.
// CHECK:       sdy.mesh @m1 = <["x"=2]>
// CHECK-NEXT:  sdy.mesh @m2 = <["x"=2]>
// CHECK-NEXT:  sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @manual
// CHECK-NEXT:    mpmd.fragment_call<mesh="m1", origin=["f"]> @f(
// CHECK-NEXT:    mpmd.fragment_call<mesh="m2", origin=["f"]> @f(
// CHECK-NEXT:    mpmd.fragment_call<mesh="m1", origin=["g"]> @g(
// CHECK-NEXT:    mpmd.fragment_call<mesh="m2", origin=["g"]> @g_1(
// CHECK:       func.func @f(
// CHECK-NEXT:    sdy.manual_computation(%{{.*}}) in_shardings=[<@m1, [{"x"}]>] out_shardings=[<@m1, [{"x"}]>]
// CHECK:       func.func @g(
// CHECK-NEXT:    sdy.sharding_constraint %{{.*}} <@m1, [{"x"}]>
// CHECK:       func.func @g_1(
// CHECK-NEXT:    sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}]>
// PROGRAM-LABEL: func.func @manual
// PROGRAM:       func.func @p0_f.main(
// PROGRAM-NEXT:    sdy.manual_computation(%{{.*}}) in_shardings=[<@m1, [{"x"}]>] out_shardings=[<@m1, [{"x"}]>]
#t = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>
!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>
sdy.mesh @m1 = <["x"=2]>
sdy.mesh @m2 = <["x"=2]>
sdy.mesh @mesh = <["x"=2]>
func.func @manual(%arg0: !m1, %arg1: !m2) attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@m1, [{"x"}]>] manual_axes={"x"} (%c: tensor<4xf32>) {
      sdy.return %c : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %b : tensor<8xf32>
  } : (!m1) -> !m1
  %1 = mpmd.fragment<mesh="m2", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    %b = sdy.manual_computation(%a) in_shardings=[<@m2, [{"x"}]>] out_shardings=[<@m1, [{"x"}]>] manual_axes={"x"} (%c: tensor<4xf32>) {
      sdy.return %c : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %b : tensor<8xf32>
  } : (!m2) -> !m2
  %2 = mpmd.fragment<mesh="m1", origin=["g"]> (%arg0) (%a: tensor<8xf32>) {
    %b = sdy.sharding_constraint %a <@m1, [{"x"}]> : tensor<8xf32>
    mpmd.return %b : tensor<8xf32>
  } : (!m1) -> !m1
  %3 = mpmd.fragment<mesh="m2", origin=["g"]> (%arg1) (%a: tensor<8xf32>) {
    %b = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32>
    mpmd.return %b : tensor<8xf32>
  } : (!m2) -> !m2
  return
}

// -----

// Calls of all meshes are counted together; each mesh may have another name for them.
// PROGRAM-LABEL: func.func @counters
// PROGRAM-NEXT:    mpmd.fragment_call<mesh="m1", origin=["f"]> @p0_f_calls0to1.main()
// PROGRAM-NEXT:    mpmd.fragment_call<mesh="m2", origin=["g"]> @p0_f_calls0to1.main()
#t = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>
func.func @counters() attributes {topology = #t} {
  mpmd.fragment<mesh="m1", origin=["f"]> () {call_counter = 0 : ui32} () {
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m2", origin=["g"]> () {call_counter = 1 : ui32} () {
    mpmd.return
  } : () -> ()
  return
}
