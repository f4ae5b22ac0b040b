// RUN: mpmd-opt %s -split-input-file -mpmd-mark-offloaded-input-output -verify-diagnostics

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// The memory kind of a fragment's argument comes from the argument of the function, not from
// its other users. The newest use comes first.
func.func @fragment_and_result(
    // expected-error-re@+2 {{Memory kind mismatch between users of arg 0: "pinned_host" vs <<NULL ATTRIBUTE>>{{[[:space:]]}}func.return %arg0 : {{.*}} vs {{[[:space:]]}}mpmd.fragment{{.*}} {...} : }}
    // expected-error@+1 {{Memory kind mismatch between arg 0 and users: <<NULL ATTRIBUTE>> vs "pinned_host"}}
    %arg0: !v) -> (!v {mhlo.memory_kind = "pinned_host"})
    attributes {topology = #topology} {
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: "pinned_host" vs <<NULL ATTRIBUTE>>}}
  return %arg0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// A transfer is a user without the attribute; users must have exactly the same attribute.
// expected-error@+1 {{Memory kind mismatch between users of arg 0: "device" vs <<NULL ATTRIBUTE>>}}
func.func @transfer_and_result(%arg0: !v) -> (!v {mhlo.memory_kind = "device"}, !w)
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  return %arg0, %0 : !v, !w
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Every user is compared with the newest one. The error shows both.
// expected-error-re@+3 {{users of arg 0: "c" vs "b"{{[[:space:]]}}func.return %arg0, %arg0, %arg0 : {{.*}} vs {{[[:space:]]}}func.return %arg0, %arg0, %arg0 : }}
// expected-error@+2 {{Memory kind mismatch between users of arg 0: "c" vs "a"}}
// expected-error@+1 {{Memory kind mismatch between arg 0 and users: <<NULL ATTRIBUTE>> vs "c"}}
func.func @results(%arg0: !v) -> (!v {mhlo.memory_kind = "a"}, !v {mhlo.memory_kind = "b"}, !v {mhlo.memory_kind = "c"})
    attributes {topology = #topology} {
  // expected-error@+3 {{Memory kind mismatch between result 0 and defining op: "a" vs <<NULL ATTRIBUTE>>}}
  // expected-error@+2 {{Memory kind mismatch between result 1 and defining op: "b" vs <<NULL ATTRIBUTE>>}}
  // expected-error@+1 {{Memory kind mismatch between result 2 and defining op: "c" vs <<NULL ATTRIBUTE>>}}
  return %arg0, %arg0, %arg0 : !v, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+1 {{Memory kind mismatch between arg 1 and users: "pinned_host" vs "device"}}
func.func @argument_and_result(%arg0: !v, %arg1: !v {mhlo.memory_kind = "pinned_host"}) -> (!v {mhlo.memory_kind = "device"})
    attributes {topology = #topology} {
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: "device" vs "pinned_host"}}
  return %arg1 : !v
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Fragments know only one kind of host memory.
// expected-error@+1 {{Memory kind mismatch between arg 0 and users: "unpinned_host" vs <<NULL ATTRIBUTE>>}}
func.func @unpinned_host(%arg0: !v {mhlo.memory_kind = "unpinned_host"}) attributes {topology = #topology} {
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+1 {{Memory kind mismatch between arg 0 and users: "unpinned_host" vs "pinned_host"}}
func.func @two_host_memories(%arg0: !v {mhlo.memory_kind = "unpinned_host"}) -> (!v {mhlo.memory_kind = "pinned_host"})
    attributes {topology = #topology} {
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: "pinned_host" vs "unpinned_host"}}
  return %arg0 : !v
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// The memory kind of a result is that of the fragment.
func.func @fragment_results(%arg0: !v) -> (!v {mhlo.memory_kind = "pinned_host"}, !v {mhlo.memory_kind = "device"})
    attributes {topology = #topology} {
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    %b = stablehlo.add %a, %a {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
    mpmd.return %a, %b : !t, !t
  } : (!v) -> (!v, !v)
  // expected-error@+2 {{Memory kind mismatch between result 0 and defining op: "pinned_host" vs <<NULL ATTRIBUTE>>}}
  // expected-error@+1 {{Memory kind mismatch between result 1 and defining op: "device" vs "pinned_host"}}
  return %0#0, %0#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

func.func @transfer_result(%arg0: !v) -> (!w {mhlo.memory_kind = "pinned_host"}) attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  // expected-error@+1 {{Memory kind mismatch between result 0 and defining op: "pinned_host" vs <<NULL ATTRIBUTE>>}}
  return %0 : !w
}

// -----

!t = tensor<8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Marks of an earlier run, or of the user, must not contradict the computed ones.
// expected-error@+1 {{Memory kind mismatch between arg 0 and users: "pinned_host" vs "device"}}
func.func @marked_otherwise(%arg0: !v {mhlo.memory_kind = "pinned_host"}) attributes {topology = #topology} {
  // expected-error@+2 {{Memory kind mismatch between arg 0 of a fragment and its value: "device" vs "pinned_host"}}
  // expected-error@+1 {{Memory kind mismatch between result 1 of a fragment and its value: "device" vs "pinned_host"}}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) {arg_attrs = [{mhlo.memory_kind = "device"}], res_attrs = [{}, {mhlo.memory_kind = "device"}]} (%a: !t) {
    %b = stablehlo.add %a, %a {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
    mpmd.return %b, %b : !t, !t
  } : (!v) -> (!v, !v)
  return
}

// -----

!t = tensor<8xf32>

func.func @single_mesh(%arg0: !t) -> (!t {mhlo.memory_kind = "device"}, !t {mhlo.memory_kind = "pinned_host"})
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : !t
  %1 = stablehlo.add %arg0, %arg0 : !t
  // expected-error@+2 {{Memory kind mismatch between result 0 and defining op: "device" vs "pinned_host"}}
  // expected-error@+1 {{Memory kind mismatch between result 1 and defining op: "pinned_host" vs <<NULL ATTRIBUTE>>}}
  return %0, %1 : !t, !t
}
