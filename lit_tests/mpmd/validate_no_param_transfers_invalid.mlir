// RUN: mpmd-opt %s -mpmd-validate-no-param-transfers="fail-on-param-transfers=true param-pattern=state[" -verify-diagnostics
// RUN: not mpmd-opt %s -mpmd-validate-no-param-transfers="fail-on-param-transfers param-pattern='state['" 2>&1 | FileCheck %s
// RUN: mpmd-opt %s -mpmd-validate-no-param-transfers="param-pattern=\"state['a\"" 2>&1 | FileCheck %s --check-prefix=QUOTED

!m1 = !mpmd.mesh_tensor<"m1", tensor<8xf32>>
!m2 = !mpmd.mesh_tensor<"m2", tensor<8xf32>>

// The pattern is plain text. All transfers are reported before the pass fails.
// CHECK: error: Detected cross-mesh transfer of a parameter matching "state[" from mesh "m1" to "m2". JAX locations: ["state['a']"]
// CHECK: error: Detected cross-mesh transfer of a parameter matching "state[" from mesh "m1" to "m2". JAX locations: ["state['b']"]

// A pattern that contains a quote is put in double quotes.
// QUOTED: warning: Detected cross-mesh transfer of a parameter matching "state['a" from
// QUOTED-NOT: Detected
func.func @with_option(%arg0: !m1 loc("state['a']"), %arg1: !m1 loc("state['b']"), %arg2: !m1 loc("state"),
    %arg3: !m1 loc("params['transformer']")) -> (!m2, !m2, !m2, !m2)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>} {
  // expected-error-re@+1 {{{{^}}Detected cross-mesh transfer of a parameter matching "state[" from mesh "m1" to "m2". JAX locations: ["state['a']"]{{$}}}}
  %0 = mpmd.transfer %arg0 : (!m1) -> !m2
  // expected-error@+1 {{JAX locations: ["state['b']"]}}
  %1 = mpmd.transfer %arg1 : (!m1) -> !m2
  %2 = mpmd.transfer %arg2 : (!m1) -> !m2
  %3 = mpmd.transfer %arg3 : (!m1) -> !m2
  return %0, %1, %2, %3 : !m2, !m2, !m2, !m2
}
