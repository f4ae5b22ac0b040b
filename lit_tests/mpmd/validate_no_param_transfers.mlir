// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-param-transfers -verify-diagnostics

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

func.func @name_of_operand(%arg0: !m1 loc("params['transformer']['w']")) -> !m2
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  // expected-warning-re@+1 {{{{^}}Detected cross-mesh transfer of a parameter matching "params['transformer" from mesh "m1" to "m2". JAX locations: ["params['transformer']['w']"]{{$}}}}
  %0 = mpmd.transfer %arg0 : (!m1) -> !m2
  return %0 : !m2
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// The pattern may be anywhere in the name; results of fragments are checked too.
func.func @name_of_transfer(%arg0: !m1) -> (!m2, !m2)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  // expected-warning@-2 {{JAX locations: ["old params['transformer_0"]}}
  %0 = mpmd.transfer %arg0 : (!m1) -> !m2 loc("old params['transformer_0")
  %1 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!m1) -> !m1 loc("params['transformer'] of a fragment")
  // expected-warning@+1 {{JAX locations: ["params['transformer'] of a fragment"]}}
  %2 = mpmd.transfer %1 : (!m1) -> !m2
  return %0, %2 : !m2, !m2
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// The operand's name comes first. Equal names are reported once, and names that do not match
// are left out.
func.func @both_names(%arg0: !m1 loc("params['transformer']['z']"), %arg1: !m1 loc("params['other']"))
    -> (!m2, !m2, !m2, !m2)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  // expected-warning-re@+7 {{JAX locations: ["params['transformer']['z']", "params['transformer']['a']"]{{$}}}}
  %0 = mpmd.transfer %arg0 : (!m1) -> !m2 loc("params['transformer']['a']")
  // expected-warning-re@+5 {{JAX locations: ["params['transformer']['z']"]{{$}}}}
  %1 = mpmd.transfer %arg0 : (!m1) -> !m2 loc("params['transformer']['z']")
  // expected-warning-re@+3 {{JAX locations: ["params['transformer']['b']"]{{$}}}}
  %2 = mpmd.transfer %arg1 : (!m1) -> !m2 loc("params['transformer']['b']")
  %3 = mpmd.transfer %arg1 : (!m1) -> !m2 loc("params")
  return %0, %1, %2, %3 : !m2, !m2, !m2, !m2
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// A name with a nested location is checked; a name nested in another location is not.
func.func @nested(%arg0: !m1 loc("params['transformer']['w']"("a.py":1:2)),
    %arg1: !m1 loc("x"("params['transformer']['w']")), %arg2: !m1 loc(fused["params['transformer']['w']", "a.py":1:2]),
    %arg3: !m1 loc(callsite("params['transformer']['w']" at "a.py":1:2)), %arg4: !m1 loc("params['transformer']['w']":1:2))
    -> (!m2, !m2, !m2, !m2, !m2)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  // expected-warning@+1 {{JAX locations: ["params['transformer']['w']"]}}
  %0 = mpmd.transfer %arg0 : (!m1) -> !m2
  %1 = mpmd.transfer %arg1 : (!m1) -> !m2
  %2 = mpmd.transfer %arg2 : (!m1) -> !m2
  %3 = mpmd.transfer %arg3 : (!m1) -> !m2
  %4 = mpmd.transfer %arg4 : (!m1) -> !m2
  return %0, %1, %2, %3, %4 : !m2, !m2, !m2, !m2, !m2
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!sharded = !mpmd.mesh_tensor<"m1", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>
!host = !mpmd.mesh_tensor<"m1", tensor<8xf32>, memory_kind="pinned_host">

sdy.mesh @mesh = <["x"=2]>

// On one mesh, only transfers between memories are reported.
func.func @one_mesh(%arg0: !v loc("params['transformer']"), %arg1: !host loc("params['transformer']"))
    -> (!v, !sharded, !host, !v, !host)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  %0 = mpmd.transfer %arg0 : (!v) -> !v
  %1 = mpmd.transfer %arg0 : (!v) -> !sharded
  // expected-warning@+1 {{from mesh "m1" to "m1".}}
  %2 = mpmd.transfer %arg0 : (!v) -> !host
  // expected-warning@+1 {{from mesh "m1" to "m1".}}
  %3 = mpmd.transfer %arg1 : (!host) -> !v
  %4 = mpmd.transfer %arg1 : (!host) -> !host
  return %0, %1, %2, %3, %4 : !v, !sharded, !host, !v, !host
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// Other ops do not move a parameter to another mesh.
func.func private @no_transfer(%arg0: !m1 loc("params['transformer']")) -> !m1
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!m1) -> !m1 loc("params['transformer']")
  return %0 : !m1
}

// -----

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

func.func @not_utf8(%arg0: !m1 loc("params['transformer\FF\22]")) -> !m2
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  // expected-warning@+1 {{JAX locations: ["params['transformer�"]"]}}
  %0 = mpmd.transfer %arg0 : (!m1) -> !m2
  return %0 : !m2
}
