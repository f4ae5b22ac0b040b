// RUN: mpmd-opt %s -mpmd-export-pipeline | FileCheck %s
// RUN: mpmd-opt %s -mpmd-export-pipeline='compat=jaxlib' | FileCheck %s --check-prefix=JAXLIB
// RUN: mpmd-opt %s -mpmd-export-pipeline='compat=today' | FileCheck %s --check-prefix=JAXLIB

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

module @jit_step {
  // CHECK-LABEL: func.func public @main
  // CHECK-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>>)
  // JAXLIB-LABEL: func.func public @main
  // JAXLIB-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>>)
  func.func public @main(%arg0: !v {tf.aliasing_output = 1 : i32})
      -> (!w {mhlo.memory_kind = "pinned_host"}, !v)
      attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
    // CHECK:      %[[F:.*]] = mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%arg0)
    // CHECK-NEXT: %[[MOVED:.*]] = mpmd.transfer %[[F]]
    // CHECK-NEXT: %[[G:.*]] = mpmd.fragment_call<mesh="m2", origin=["g"]> @g(%[[MOVED]])
    // CHECK-NEXT: return %[[G]], %[[F]]
    // JAXLIB:      @p0_f.step(%arg0)
    // JAXLIB:      @p1_g.step(
    %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
      %3 = stablehlo.sine %a : tensor<8xf32>
      mpmd.return %3 : tensor<8xf32>
    } : (!v) -> !v
    %1 = mpmd.transfer %0 : (!v) -> !w
    %2 = mpmd.fragment<mesh="m2", origin=["g"]> (%1) (%a: tensor<8xf32>) {
      %3 = stablehlo.custom_call @annotate_device_placement(%a)
          {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}}
          : (tensor<8xf32>) -> tensor<8xf32>
      mpmd.return %3 : tensor<8xf32>
    } : (!w) -> !w
    return %2, %0 : !w, !v
  }
}
// CHECK-LABEL: func.func @f(%arg0: tensor<8xf32> {tf.aliasing_output = 0 : i32})
// CHECK-SAME:    xla_tpu_user_reserved_hbm_bytes = 0 : i64
// CHECK-LABEL: func.func @g(%arg0: tensor<8xf32> {jax.buffer_donor = true})
// CHECK-SAME:    {mhlo.memory_kind = "pinned_host"}
// JAXLIB-LABEL: func.func @p0_f.step(%arg0: tensor<8xf32> {tf.aliasing_output = 0 : i32})
// JAXLIB-SAME:    reserved_hbm_bytes = 0 : i64
