// RUN: mpmd-opt %s -split-input-file -mpmd-delay-transfers-from-cpu | FileCheck %s

!cpu = !mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @from_cpu_mesh
func.func public @from_cpu_mesh(%arg0: !cpu, %arg1: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"m/cpu": <["x"=2]>>>} {
  // CHECK-NEXT: %[[OTHER:.*]] = mpmd.fragment<mesh="m", origin=["f"]>
  // CHECK: %[[MOVED:.*]] = mpmd.transfer %arg0
  // CHECK-NEXT: mpmd.fragment<mesh="m", origin=["g"]> (%[[OTHER]], %[[MOVED]])
  %0 = mpmd.transfer %arg0 : (!cpu) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["g"]> (%1, %0) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %2 : !v
}

// -----

!host = !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="pinned_host">
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @from_pinned_host
func.func public @from_pinned_host(%arg0: !host, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK-NEXT: %[[OTHER:.*]] = mpmd.fragment
  // CHECK: %[[MOVED:.*]] = mpmd.transfer %arg0
  // CHECK-NEXT: return %[[MOVED]], %[[OTHER]]
  %0 = mpmd.transfer %arg0 : (!host) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}

// -----

!cpu = !mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w/cpu", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// The destination does not matter.
// CHECK-LABEL: func.func public @from_cpu_to_cpu
func.func public @from_cpu_to_cpu(%arg0: !cpu, %arg1: !v) -> (!w, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"m/cpu": <["x"=2]>>, <"w/cpu": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment
  // CHECK: mpmd.transfer
  %0 = mpmd.transfer %arg0 : (!cpu) -> !w
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !w, !v
}

// -----

!cpu = !mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>
!like = !mpmd.mesh_tensor<"m/cpu_", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// A transfer to a CPU stays, and so does one from a mesh whose name does not end in `/cpu`.
// CHECK-LABEL: func.func public @others_stay
func.func public @others_stay(%arg0: !v, %arg1: !like) -> (!cpu, !v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"m/cpu": <["x"=2]>>, <"m/cpu_": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.transfer %arg0
  // CHECK-NEXT: mpmd.transfer %arg1
  // CHECK-NEXT: mpmd.fragment
  %0 = mpmd.transfer %arg0 : (!v) -> !cpu
  %1 = mpmd.transfer %arg1 : (!like) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1, %2 : !cpu, !v, !v
}

// -----

!cpu = !mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @unused
func.func public @unused(%arg0: !cpu, %arg1: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"m/cpu": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.transfer
  // CHECK-NEXT: mpmd.fragment
  %0 = mpmd.transfer %arg0 : (!cpu) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1 : !v
}

// -----

!cpu = !mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w/cpu", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Transfers are visited in order: the first of a chain moves to before the old place of the second.
// CHECK-LABEL: func.func public @chain
func.func public @chain(%arg0: !cpu, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"m/cpu": <["x"=2]>>, <"w/cpu": <["x"=2]>>>} {
  // CHECK-NEXT: %[[ONE:.*]] = mpmd.transfer %arg0
  // CHECK-NEXT: %[[OTHER:.*]] = mpmd.fragment
  // CHECK: %[[TWO:.*]] = mpmd.transfer %[[ONE]]
  // CHECK-NEXT: return %[[TWO]], %[[OTHER]]
  %0 = mpmd.transfer %arg0 : (!cpu) -> !w
  %1 = mpmd.transfer %0 : (!w) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1, %2 : !v, !v
}

// -----

!cpu = !mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Two with one consumer keep their order.
// CHECK-LABEL: func.func public @one_consumer
func.func public @one_consumer(%arg0: !cpu, %arg1: !cpu, %arg2: !v) -> (!v, !v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"m/cpu": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment
  // CHECK: mpmd.transfer %arg0
  // CHECK-NEXT: mpmd.transfer %arg1
  %0 = mpmd.transfer %arg0 : (!cpu) -> !v
  %1 = mpmd.transfer %arg1 : (!cpu) -> !v
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg2) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1, %2 : !v, !v, !v
}

// -----

!cpu = !mpmd.mesh_tensor<"m/cpu", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func private @private
func.func private @private(%arg0: !cpu, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"m/cpu": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.transfer
  // CHECK-NEXT: mpmd.fragment
  %0 = mpmd.transfer %arg0 : (!cpu) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}

// -----

!like = !mpmd.mesh_tensor<"mcpu", tensor<8xf32>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @without_slash
func.func public @without_slash(%arg0: !like, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"mcpu": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.transfer
  // CHECK-NEXT: mpmd.fragment
  %0 = mpmd.transfer %arg0 : (!like) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}
