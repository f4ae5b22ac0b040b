// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls | FileCheck %s
// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='naming=program reserved-bytes=reserved_hbm_bytes' | FileCheck %s --check-prefix=JAXLIB

// The maximum over the fragments that have the attribute, for each of the two names.
// CHECK:       func.func @f()
// CHECK-SAME:    xla_tpu_user_reserved_hbm_bytes = 7 : i64
// CHECK:       func.func @i()
// CHECK-SAME:    {mesh_shape = #sdy.mesh<["x"=2]>, reserved_hbm_bytes = 9 : i64}
// CHECK:       func.func @j()
// CHECK-SAME:    {mesh_shape = #sdy.mesh<["x"=2]>}
// JAXLIB:       func.func @p0_f.main()
// JAXLIB-SAME:    xla_tpu_user_reserved_hbm_bytes = 7 : i64
// JAXLIB:       func.func @p1_i.main()
// JAXLIB-SAME:    {mesh_shape = #sdy.mesh<["x"=2]>, reserved_hbm_bytes = 9 : i64}
// JAXLIB:       func.func @p2_j.main()
// JAXLIB-SAME:    {mesh_shape = #sdy.mesh<["x"=2]>}
#t = #mpmd.topology<<"m": <["x"=2]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @maximum() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () {xla_tpu_user_reserved_hbm_bytes = 5 : i64} () {
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["g"]> () {xla_tpu_user_reserved_hbm_bytes = 7 : i64} () {
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["h"]> () () {
    mpmd.return
  } : () -> ()
  %0 = mpmd.fragment<mesh="m", origin=["i"]> () {reserved_hbm_bytes = 9 : i64} () {
    %2 = stablehlo.constant dense<1.0> : tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : () -> !v
  %1 = mpmd.fragment<mesh="m", origin=["j"]> () () {
    %2 = stablehlo.constant dense<2.0> : tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : () -> !v
  return
}

// -----

// Both attributes stay, or `reserved_hbm_bytes` alone.
// CHECK:       func.func @f()
// CHECK-SAME:    reserved_hbm_bytes = 3 : i64
// CHECK-SAME:    xla_tpu_user_reserved_hbm_bytes = 5 : i64
// JAXLIB:       func.func @p0_f.main()
// JAXLIB-SAME:    {mesh_shape = #sdy.mesh<["x"=2]>, reserved_hbm_bytes = 3 : i64}
#t = #mpmd.topology<<"m": <["x"=2]>>>
func.func @both() attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> () {reserved_hbm_bytes = 3 : i64, xla_tpu_user_reserved_hbm_bytes = 4 : i64} () {
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["f"]> () {xla_tpu_user_reserved_hbm_bytes = 5 : i64} () {
    mpmd.return
  } : () -> ()
  return
}
