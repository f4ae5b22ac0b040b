// RUN: mpmd-opt %s -split-input-file -mpmd-mark-fragment-reserved-memory | FileCheck %s
// RUN: mpmd-opt %s -split-input-file -mpmd-mark-fragment-reserved-memory='attribute=reserved_hbm_bytes aliased-counts-as-donated=false' | FileCheck %s --check-prefix=JAXLIB

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!s = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// Each value has 32 bytes; the operands of a fragment do not count.
// CHECK-LABEL: func.func public @what_others_hold
func.func public @what_others_hold(%arg0: !v, %arg1: !v, %arg2: !s) -> (!v, !v, !s)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 48 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 48 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 48 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 48 : i64
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%arg1, %0) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 112 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}reserved_hbm_bytes = 112 : i64
  %2 = mpmd.fragment<mesh="m", origin=["h"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1, %2, %arg2 : !v, !v, !s
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @operands_counted_once
func.func public @operands_counted_once(%arg0: !v, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg0) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %0, %arg1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w", tensor<8xf32>>

// CHECK-LABEL: func.func public @each_mesh_for_itself
func.func public @each_mesh_for_itself(%arg0: !v, %arg1: !w) -> (!v, !w)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"w": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 0 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 0 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="w", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 0 : i64
  // JAXLIB: mpmd.fragment<mesh="w", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 0 : i64
  %1 = mpmd.fragment<mesh="w", origin=["g"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!w) -> !w
  return %0, %1 : !v, !w
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// %0 is dead after its last use; %1 stays live since it is returned. An unused value is never live.
// CHECK-LABEL: func.func public @results_die
func.func public @results_die(%arg0: !v) -> (!v, !v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 0 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 0 : i64
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0#0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %2 = mpmd.fragment<mesh="m", origin=["h"]> (%1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["i"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 64 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["i"]>{{.*[{ ]}}reserved_hbm_bytes = 64 : i64
  %3 = mpmd.fragment<mesh="m", origin=["i"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1, %2, %3 : !v, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// An argument that is not donated is live to the end; an aliased one too, but only as in jaxlib.
// CHECK-LABEL: func.func public @donated_arguments_die
func.func public @donated_arguments_die(%arg0: !v {jax.buffer_donor = true}, %arg1: !v, %arg2: !v {tf.aliasing_output = 0 : i32}) -> (!v, !v, !v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 64 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 64 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 64 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 64 : i64
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 96 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}reserved_hbm_bytes = 96 : i64
  %2 = mpmd.fragment<mesh="m", origin=["h"]> (%arg2) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["i"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 96 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["i"]>{{.*[{ ]}}reserved_hbm_bytes = 128 : i64
  %3 = mpmd.fragment<mesh="m", origin=["i"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1, %2, %3 : !v, !v, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!s = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// An unused argument is live unless it is donated.
// CHECK-LABEL: func.func public @unused_arguments
func.func public @unused_arguments(%arg0: !v {jax.buffer_donor = true}, %arg1: !s, %arg2: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 16 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 16 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg2) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Arguments, operands and results that are marked to be on the host do not count.
// CHECK-LABEL: func.func public @host_attributes
func.func public @host_attributes(%arg0: !v {mhlo.memory_kind = "pinned_host"}, %arg1: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 0 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 0 : i64
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) {arg_attrs = [{mhlo.memory_kind = "pinned_host"}, {}], res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}]} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v, !v) -> (!v, !v)
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0#0, %0#1) {arg_attrs = [{mhlo.memory_kind = "pinned_host"}, {}]} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %2 = mpmd.fragment<mesh="m", origin=["h"]> (%1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %2 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!h = !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="pinned_host">

// The memory kind in a type does not matter: such values count in full, and so do transfers of them.
// CHECK-LABEL: func.func public @host_types
func.func public @host_types(%arg0: !h, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.transfer %arg0 : (!h) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 64 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 64 : i64
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 96 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 96 : i64
  %2 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1, %2 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w", tensor<8xf32>>

// After a transfer, its operand is dead on one mesh, and its result is live on the other.
// CHECK-LABEL: func.func public @transfers
func.func public @transfers(%arg0: !v {jax.buffer_donor = true}, %arg1: !v, %arg2: !w) -> (!w, !v, !w)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"w": <["x"=2]>>>} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 0 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 0 : i64
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="w", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="w", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %2 = mpmd.fragment<mesh="w", origin=["g"]> (%arg2) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!w) -> !w
  return %0, %1, %2 : !w, !v, !w
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!sh = !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@m, [{"x"}]>>
sdy.mesh @m = <["x"=2]>

// Shapes are those on one device, by the mesh of the sharding: 8 / 2 floats.
// CHECK-LABEL: func.func public @local_shapes
func.func public @local_shapes(%arg0: !sh, %arg1: !v) -> (!v, !sh)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 16 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 16 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %arg0 : !v, !sh
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!o = !mpmd.mesh_tensor<"m", tensor<5xi1>>

// Rounded up once: ten `i1` take two bytes, and so do fifteen.
// CHECK-LABEL: func.func public @rounded_up
func.func public @rounded_up(%arg0: !o, %arg2: !o, %arg1: !v) -> (!v, !o, !o, !o, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 2 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 2 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 34 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 34 : i64
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%arg1) (%a: tensor<8xf32>) {
    %c0 = stablehlo.constant dense<false> : tensor<5xi1>
    mpmd.return %c0 : tensor<5xi1>
  } : (!v) -> !o
  // CHECK: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 34 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["h"]>{{.*[{ ]}}reserved_hbm_bytes = 34 : i64
  %2 = mpmd.fragment<mesh="m", origin=["h"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %arg0, %arg2, %1, %2 : !v, !o, !o, !o, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Fragment calls are taken into account, and get no attribute.
// CHECK-LABEL: func.func public @calls
func.func public @calls(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment_call<mesh="m", origin=["f"]> @callee(%arg0) :
  %0 = mpmd.fragment_call<mesh="m", origin=["f"]> @callee(%arg0) : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["g"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}
func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Private functions are marked too.
// CHECK-LABEL: func.func private @private
func.func private @private(%arg0: !v, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 32 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 32 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %arg1 : !v, !v
}

// -----

// A function without a topology is not a program, and may have any ops.
// CHECK-LABEL: func.func @no_topology
func.func @no_topology(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!i = !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<mesh<["x"=2]>, [{"x"}]>>

// A sharding may have an inline mesh.
// CHECK-LABEL: func.func public @inlined_mesh
func.func public @inlined_mesh(%arg0: !i, %arg1: !v) -> (!v, !i)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 16 : i64
  // JAXLIB: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}reserved_hbm_bytes = 16 : i64
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %arg0 : !v, !i
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!s = !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>

// A function in a nested module refers to the meshes of that module.
// CHECK-LABEL: module @nested
module @nested {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: !s, %arg1: !v) -> (!v, !s)
      attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
    // CHECK: mpmd.fragment<mesh="m", origin=["f"]>{{.*[{ ]}}xla_tpu_user_reserved_hbm_bytes = 16 : i64
    %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
      mpmd.return %a : tensor<8xf32>
    } : (!v) -> !v
    return %0, %arg0 : !v, !s
  }
}
