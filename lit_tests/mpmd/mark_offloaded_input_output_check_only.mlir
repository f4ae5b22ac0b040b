// RUN: mpmd-opt %s -split-input-file -mpmd-mark-offloaded-input-output='mark-entry-point=false' -verify-diagnostics | FileCheck %s

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// With all its own marks the function does not change, and the fragments are marked.
// CHECK-LABEL: func.func @marked
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"}, !mpmd.mesh_tensor<"m1", tensor<8xf32>>)
func.func @marked(%arg0: !v {mhlo.memory_kind = "pinned_host"}, %arg1: !v) -> (!v {mhlo.memory_kind = "pinned_host"}, !v)
    attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{mhlo.memory_kind = "pinned_host"}, {}], res_attrs = [{mhlo.memory_kind = "pinned_host"}, {}]} (
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg1) (%a: !t, %b: !t) {
    %c = stablehlo.add %a, %b {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
    mpmd.return %c, %b : !t, !t
  } : (!v, !v) -> (!v, !v)
  return %0#0, %0#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// All kinds other than that of the device are the same.
// CHECK-LABEL: func.func @two_host_memories
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "unpinned_host"}) -> (!mpmd.mesh_tensor<"m1", tensor<8xf32>> {mhlo.memory_kind = "pinned_host"})
func.func @two_host_memories(%arg0: !v {mhlo.memory_kind = "unpinned_host"}) -> (!v {mhlo.memory_kind = "pinned_host"})
    attributes {topology = #topology} {
  return %arg0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+1 {{Memory kind mismatch between arg 0 and users: "pinned_host" vs <<NULL ATTRIBUTE>>}}
func.func @result_without_kind(%arg0: !v {mhlo.memory_kind = "pinned_host"}) -> !v attributes {topology = #topology} {
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: <<NULL ATTRIBUTE>> vs "pinned_host"}}
  return %arg0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+1 {{Memory kind mismatch between arg 0 and users: <<NULL ATTRIBUTE>> vs "pinned_host"}}
func.func @argument_without_kind(%arg0: !v) -> (!v {mhlo.memory_kind = "pinned_host"}) attributes {topology = #topology} {
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: "pinned_host" vs <<NULL ATTRIBUTE>>}}
  return %arg0 : !v
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

func.func @fragment_result(%arg0: !v) -> !v attributes {topology = #topology} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.add %a, %a {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
    mpmd.return %b : !t
  } : (!v) -> !v
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: <<NULL ATTRIBUTE>> vs "pinned_host"}}
  return %0 : !v
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+2 {{Memory kind mismatch between users of arg 0: <<NULL ATTRIBUTE>> vs "pinned_host"}}
// expected-error@+1 {{Memory kind mismatch between arg 0 and users: "pinned_host" vs <<NULL ATTRIBUTE>>}}
func.func @fragment_and_result(%arg0: !v {mhlo.memory_kind = "pinned_host"}) -> !v attributes {topology = #topology} {
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: <<NULL ATTRIBUTE>> vs "pinned_host"}}
  return %arg0 : !v
}

// -----

!t = tensor<8xf32>

// The ops of a function over a single mesh are ignored.
// CHECK-LABEL: func.func @single_mesh
// CHECK-SAME:    (%arg0: tensor<8xf32>) -> tensor<8xf32> attributes
func.func @single_mesh(%arg0: !t) -> !t attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
  return %0 : !t
}
