// RUN: mpmd-opt %s -split-input-file -mpmd-mark-offloaded-input-output | FileCheck %s
// RUN: mpmd-opt %s -split-input-file -mpmd-mark-offloaded-input-output='mark-entry-point=false' | FileCheck %s

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Not marked: an annotation with another placement, a value computed from a marked one, an op of
// another name with the attribute of an annotation.
// CHECK-LABEL: func.func @annotations
func.func @annotations(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}, {}, {}]}
  %0:4 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %c = stablehlo.custom_call @annotate_device_placement(%b) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (!t) -> !t
    %d = stablehlo.add %b, %b : !t
    %e = stablehlo.custom_call @Sharding(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    mpmd.return %b, %c, %d, %e : !t, !t, !t, !t
  } : (!v) -> (!v, !v, !v, !v)
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// An annotation without a placement is ignored.
// CHECK-LABEL: func.func @no_placement
func.func @no_placement(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{}, {}, {}]}
  %0:3 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) : (!t) -> !t
    %c = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {}} : (!t) -> !t
    %d = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = 3 : i32}} : (!t) -> !t
    mpmd.return %b, %c, %d : !t, !t, !t
  } : (!v) -> (!v, !v, !v)
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// The compute type overrides other attributes, also on an op in the middle.
// CHECK-LABEL: func.func @compute_type
func.func @compute_type(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}, {}, {mhlo.memory_kind = "pinned_host"}]}
  %0:4 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.add %a, %a {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
    %c = stablehlo.custom_call @annotate_device_placement(%b) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host", _xla_compute_type = "sparse"}} : (!t) -> !t
    %d = stablehlo.custom_call @Sharding(%b) {mhlo.frontend_attributes = {_xla_compute_type = "device"}} : (!t) -> !t
    %e = stablehlo.custom_call @Sharding(%b) : (!t) -> !t
    mpmd.return %b, %c, %d, %e : !t, !t, !t, !t
  } : (!v) -> (!v, !v, !v, !v)
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A barrier forwards its operands, each as the result of the same number.
// CHECK-LABEL: func.func @optimization_barrier
func.func @optimization_barrier(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{}, {mhlo.memory_kind = "pinned_host"}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %c:2 = stablehlo.optimization_barrier %a, %b : !t, !t
    mpmd.return %c#0, %c#1 : !t, !t
  } : (!v) -> (!v, !v)
  return
}

// -----

!t = tensor<8xf32>
!i = tensor<i32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// The result of a loop is what its body returns, not the initial value; arguments of the body are
// on the device.
// CHECK-LABEL: func.func @while
func.func @while(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}, {}]}
  %0:3 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %i = stablehlo.constant dense<0> : !i
    %c:4 = stablehlo.while(%p = %a, %q = %b, %r = %b, %j = %i) : !t, !t, !t, !i
    cond {
      %n = stablehlo.compare LT, %j, %i : (!i, !i) -> tensor<i1>
      stablehlo.return %n : tensor<i1>
    } do {
      %s = stablehlo.custom_call @annotate_device_placement(%p) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
      %u = stablehlo.add %q, %q : !t
      stablehlo.return %s, %u, %r, %j : !t, !t, !t, !i
    }
    mpmd.return %c#0, %c#1, %c#2 : !t, !t, !t
  } : (!v) -> (!v, !v, !v)
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// The result has the memory of the update of a slice, not of the tensor that is updated.
// CHECK-LABEL: func.func @dynamic_update_slice
func.func @dynamic_update_slice(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %i = stablehlo.constant dense<0> : tensor<i32>
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %c = stablehlo.dynamic_update_slice %a, %b, %i : (!t, !t, tensor<i32>) -> !t
    %d = stablehlo.dynamic_update_slice %b, %a, %i : (!t, !t, tensor<i32>) -> !t
    mpmd.return %c, %d : !t, !t
  } : (!v) -> (!v, !v)
  return
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Only dimensions of size 1 may be added or removed.
// CHECK-LABEL: func.func @reshape
func.func @reshape(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}, {}]}
  %0:3 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %c = stablehlo.reshape %b : (!t) -> tensor<1x4x1x8x1xf32>
    %d = stablehlo.reshape %c : (tensor<1x4x1x8x1xf32>) -> tensor<4x8x1xf32>
    %e = stablehlo.reshape %b : (!t) -> tensor<8x4xf32>
    %f = stablehlo.reshape %b : (!t) -> tensor<32xf32>
    mpmd.return %d, %e, %f : tensor<4x8x1xf32>, tensor<8x4xf32>, tensor<32xf32>
  } : (!v) -> (!mpmd.mesh_tensor<"m1", tensor<4x8x1xf32>>, !mpmd.mesh_tensor<"m1", tensor<8x4xf32>>, !mpmd.mesh_tensor<"m1", tensor<32xf32>>)
  return
}

// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %c = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (!t) -> tensor<1x4x8xf32>
    %d = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (!t) -> tensor<2x4x8xf32>
    mpmd.return %c, %d : tensor<1x4x8xf32>, tensor<2x4x8xf32>
  } : (!v) -> (!mpmd.mesh_tensor<"m1", tensor<1x4x8xf32>>, !mpmd.mesh_tensor<"m1", tensor<2x4x8xf32>>)
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// CHECK-LABEL: func.func @custom_calls
func.func @custom_calls(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{mhlo.memory_kind = "pinned_host"}, {mhlo.memory_kind = "pinned_host"}, {mhlo.memory_kind = "pinned_host"}, {}]}
  %0:4 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %c = stablehlo.custom_call @Sharding(%b) : (!t) -> !t
    %d = stablehlo.custom_call @SPMDFullToShardShape(%b) : (!t) -> !t
    %e = stablehlo.custom_call @SPMDShardToFullShape(%b) : (!t) -> !t
    %f = stablehlo.custom_call @other(%b) : (!t) -> !t
    mpmd.return %c, %d, %e, %f : !t, !t, !t, !t
  } : (!v) -> (!v, !v, !v, !v)
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A call has the memory of the callee's result of the same number. The operand does not matter:
// arguments of functions are on the device.
// CHECK-LABEL: func.func @calls
func.func @calls(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{}, {mhlo.memory_kind = "pinned_host"}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    %c:2 = func.call @callee(%b) : (!t) -> (!t, !t)
    mpmd.return %c#0, %c#1 : !t, !t
  } : (!v) -> (!v, !v)
  return
}
func.func private @callee(%arg0: !t) -> (!t, !t) {
  %0 = stablehlo.custom_call @annotate_device_placement(%arg0) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
  return %arg0, %0 : !t, !t
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Results of a declared function, or of one that calls itself, are on the device.
// CHECK-LABEL: func.func @calls_without_answer
func.func @calls_without_answer(%arg0: !v) attributes {topology = #topology} {
  // CHECK: res_attrs = [{}, {}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = func.call @declared(%a) : (!t) -> !t
    %c = func.call @recursive(%a) : (!t) -> !t
    mpmd.return %b, %c : !t, !t
  } : (!v) -> (!v, !v)
  return
}
func.func private @declared(%arg0: !t) -> !t
func.func private @recursive(%arg0: !t) -> !t {
  %0 = func.call @recursive(%arg0) : (!t) -> !t
  return %0 : !t
}
