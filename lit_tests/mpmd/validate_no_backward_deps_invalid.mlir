// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-backward-deps=fail-on-backward-deps=true -verify-diagnostics
// RUN: not mpmd-opt %s -split-input-file -mpmd-validate-no-backward-deps=fail-on-backward-deps 2>&1 | FileCheck %s

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// All errors are reported before the pass fails.
func.func @backward(%arg0: !m2) -> (!m1, !m1)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m1
  // expected-error-re@+1 {{{{^}}Detected backward dependency but expected forward-only pipeline since there are no transpose fragments: fragment "f" mesh="m2" produces a value consumed by fragment "f" mesh="m1". In a forward-only pipeline, dependencies must go from earlier meshes to later meshes.{{$}}}}
  %2 = mpmd.fragment_call<mesh="m1", origin=["b"]> @f(%1) : (!m1) -> !m1
  // expected-error@+1 {{fragment "f" mesh="m2" produces a value consumed by fragment "g" mesh="m1"}}
  %3 = mpmd.fragment_call<mesh="m1", origin=["c"]> @g(%1) : (!m1) -> !m1
  return %2, %3 : !m1, !m1
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @g(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// Then backward dependencies are not checked.
// expected-error-re@+1 {{{{^}}Expected forward-only program but found non-forward fragments.{{$}}}}
func.func @transposed(%arg0: !m2) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=["a"]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.transfer %0 : (!m2) -> !m1
  %2 = mpmd.fragment_call<mesh="m1", origin=["b", "a"(1)]> @f(%1) : (!m1) -> !m1
  return %2 : !m1
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

func.func @forward(%arg0: !m1) -> !m2
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m1", origin=["a"]> @f(%arg0) : (!m1) -> !m1
  %1 = mpmd.transfer %0 : (!m1) -> !m2
  %2 = mpmd.fragment_call<mesh="m2", origin=[]> @f(%1) : (!m2) -> !m2
  return %2 : !m2
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// One error for each operand, in order. Inferred fragments are checked, and are forward.
// CHECK:       error: {{.*}} fragment "g" mesh="m2" produces a value consumed by fragment "h" mesh="m1"
// CHECK:       error: {{.*}} fragment "f" mesh="m2" produces a value consumed by fragment "h" mesh="m1"
// CHECK:       error: {{.*}} fragment "g" mesh="m2" produces a value consumed by fragment "h" mesh="m1"
// CHECK-NOT:   by fragment "h"
func.func @each_operand(%arg0: !m2) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m2", origin=[]> @f(%arg0) : (!m2) -> !m2
  %1 = mpmd.fragment_call<mesh="m2", origin=["a"(0)]> @g(%arg0) : (!m2) -> !m2
  %2 = mpmd.transfer %0 : (!m2) -> !m1
  %3 = mpmd.transfer %1 : (!m2) -> !m1
  // expected-error@+2 {{fragment "g" mesh="m2" produces a value consumed by fragment "h" mesh="m1"}}
  // expected-error@+1 {{fragment "f" mesh="m2" produces a value consumed by fragment "h" mesh="m1"}}
  %4 = mpmd.fragment_call<mesh="m1", origin=[]> @h(%3, %2, %3) : (!m1, !m1, !m1) -> !m1
  return %4 : !m1
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @g(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @h(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
