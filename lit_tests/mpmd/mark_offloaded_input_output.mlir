// RUN: mpmd-opt %s -split-input-file -mpmd-mark-offloaded-input-output | FileCheck %s

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Fragments take the memory kind from arguments of the function, and from each other.
// CHECK-LABEL: func.func @fragment_arguments
func.func @fragment_arguments(%arg0: !v {mhlo.memory_kind = "pinned_host"}, %arg1: !v)
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> (%arg1, %arg0) {arg_attrs = [{}, {mhlo.memory_kind = "pinned_host"}], res_attrs = [{}, {mhlo.memory_kind = "pinned_host"}]} (
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg1, %arg0) (%a: !t, %b: !t) {
    %c = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    mpmd.return %b, %c : !t, !t
  } : (!v, !v) -> (!v, !v)
  // CHECK: origin=["g"]> (%{{.*}}#0, %{{.*}}#1, %arg0) {arg_attrs = [{}, {mhlo.memory_kind = "pinned_host"}, {mhlo.memory_kind = "pinned_host"}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> (%0#0, %0#1, %arg0) (%a: !t, %b: !t, %c: !t) {
    mpmd.return
  } : (!v, !v, !v) -> ()
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Without values on the host, all arrays are added, with empty dictionaries.
// CHECK-LABEL: func.func @nothing_on_the_host
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "device"}) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>> attributes
func.func @nothing_on_the_host(%arg0: !v {mhlo.memory_kind = "device"}) -> !v
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> (%arg0) {arg_attrs = [{}], res_attrs = [{}]} (
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return %a : !t
  } : (!v) -> !v
  // CHECK: origin=["g"]> () {arg_attrs = [], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> () () {
    mpmd.return
  } : () -> ()
  return %0 : !v
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!h = !mpmd.mesh_tensor<"m1", !t, memory_kind="pinned_host">
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Marks do not pass through transfers, whose results have their memory kind in the type.
// CHECK-LABEL: func.func @transfers
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>, memory_kind="pinned_host">) -> (!mpmd.mesh_tensor<"m1", tensor<8xf32>>, !mpmd.mesh_tensor<"m1", tensor<8xf32>, memory_kind="pinned_host">) attributes
func.func @transfers(%arg0: !h) -> (!v, !h) attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!h) -> !v
  // CHECK: origin=["f"]> (%{{.*}}) {arg_attrs = [{}], res_attrs = [{}]} (
  %1 = mpmd.fragment<mesh="m1", origin=["f"]> (%0) (%a: !t) {
    mpmd.return %a : !t
  } : (!v) -> !v
  %2 = mpmd.transfer %1 : (!v) -> !h
  return %0, %2 : !v, !h
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Other attributes of fragments and existing marks stay.
// CHECK-LABEL: func.func @attributes_there
func.func @attributes_there(%arg0: !v {mhlo.memory_kind = "pinned_host"}, %arg1: !v)
    attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{foo.a = 1 : i32, mhlo.memory_kind = "pinned_host"}, {foo.b = 2 : i32}], res_attrs = [{foo.c = 3 : i32, mhlo.memory_kind = "pinned_host"}, {mhlo.memory_kind = "pinned_host"}]} (
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg1) {
      arg_attrs = [{foo.a = 1 : i32, mhlo.memory_kind = "pinned_host"}, {foo.b = 2 : i32}],
      res_attrs = [{foo.c = 3 : i32}, {mhlo.memory_kind = "pinned_host"}]} (%a: !t, %b: !t) {
    %c = stablehlo.add %a, %b {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
    mpmd.return %c, %a : !t, !t
  } : (!v, !v) -> (!v, !v)
  return
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Results of the function are marked, unless they have the attribute already.
// CHECK-LABEL: func.func @results
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<8xf32>> {jax.result_info = "r", mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>>, !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "device"})
func.func @results(%arg0: !v {mhlo.memory_kind = "pinned_host"})
    -> (!v {jax.result_info = "r"}, !v {mhlo.memory_kind = "pinned_host"}, !v, !v, !v {mhlo.memory_kind = "device"})
    attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{mhlo.memory_kind = "pinned_host"}], res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}]} (
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
    mpmd.return %b, %a : !t, !t
  } : (!v) -> (!v, !v)
  return %0#0, %0#0, %arg0, %0#1, %0#1 : !v, !v, !v, !v, !v
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Arguments that all users expect on the host are marked too.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {jax.buffer_donor = true, mhlo.memory_kind = "pinned_host"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, %arg2: !mpmd.mesh_tensor<"m1", tensor<8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>>)
func.func @arguments(%arg0: !v {jax.buffer_donor = true}, %arg1: !v, %arg2: !v)
    -> (!v {mhlo.memory_kind = "pinned_host"}, !v) attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{mhlo.memory_kind = "pinned_host"}, {mhlo.memory_kind = "pinned_host"}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg1) {
      arg_attrs = [{mhlo.memory_kind = "pinned_host"}, {mhlo.memory_kind = "pinned_host"}]} (%a: !t, %b: !t) {
    mpmd.return
  } : (!v, !v) -> ()
  return %arg0, %arg2 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// "device" is the same as no attribute; unused arguments are skipped.
// CHECK-LABEL: func.func @consistent
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>>, %arg1: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "device"}, %arg2: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "unpinned_host"}, %arg3: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"})
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "device"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>>, !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "unpinned_host"})
func.func @consistent(%arg0: !v, %arg1: !v {mhlo.memory_kind = "device"}, %arg2: !v {mhlo.memory_kind = "unpinned_host"}, %arg3: !v {mhlo.memory_kind = "pinned_host"})
    -> (!v {mhlo.memory_kind = "device"}, !v, !v {mhlo.memory_kind = "unpinned_host"}) attributes {topology = #topology} {
  return %arg0, %arg1, %arg2 : !v, !v, !v
}

// -----

!t = tensor<8xf32>

// A function over a single mesh has ops of its own.
// CHECK-LABEL: func.func @single_mesh
// CHECK-SAME:    (%arg0: tensor<8xf32> {mhlo.memory_kind = "pinned_host"}) -> (tensor<8xf32> {mhlo.memory_kind = "pinned_host"}, tensor<8xf32>, tensor<8xf32> {mhlo.memory_kind = "pinned_host"})
func.func @single_mesh(%arg0: !t {mhlo.memory_kind = "pinned_host"}) -> (!t, !t, !t)
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : !t
  %1 = stablehlo.custom_call @annotate_device_placement(%0) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (!t) -> !t
  return %1, %0, %arg0 : !t, !t, !t
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Private functions and functions without meshes do not change.
// CHECK-LABEL: func.func private @private
// CHECK-SAME:    -> !mpmd.mesh_tensor<"m1", tensor<8xf32>> attributes
func.func private @private(%arg0: !v {mhlo.memory_kind = "pinned_host"}) -> !v attributes {topology = #topology} {
  // CHECK: mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return %a : !t
  } : (!v) -> !v
  return %arg0 : !v
}

// CHECK-LABEL: func.func @no_mesh
// CHECK-SAME:    (%arg0: tensor<8xf32> {mhlo.memory_kind = "pinned_host"}) -> tensor<8xf32> {
func.func @no_mesh(%arg0: !t {mhlo.memory_kind = "pinned_host"}) -> !t {
  return %arg0 : !t
}
