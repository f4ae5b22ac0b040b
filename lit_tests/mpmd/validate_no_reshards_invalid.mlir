// RUN: mpmd-opt %s -mpmd-validate-no-reshards=fail-on-reshard-only-fragments=true -verify-diagnostics
// RUN: not mpmd-opt %s -mpmd-validate-no-reshards=fail-on-reshard-only-fragments 2>&1 | FileCheck %s

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// All errors are reported before the pass fails.
// CHECK: error: Detected reshard-only fragment 'identity'.
// CHECK: error: Internal error: reshard-only fragment 'identity'
// CHECK: error: Detected reshard-only fragment 'identity'.
// CHECK-NOT: warning
func.func @reshards(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error@+1 {{Detected reshard-only fragment 'identity'.}}
  %0 = mpmd.fragment_call<mesh="m1", origin=[]> @identity(%arg0) : (!v) -> !v
  // expected-error@+1 {{Internal error: reshard-only fragment 'identity' is not an inferred fragment}}
  %1 = mpmd.fragment_call<mesh="m1", origin=["f"]> @identity(%0) : (!v) -> !v
  // expected-error@+1 {{Detected reshard-only fragment 'identity'.}}
  %2 = mpmd.fragment_call<mesh="m1", origin=[]> @identity(%1) : (!v) -> !v
  return %2 : !v
}

func.func @identity(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : tensor<8xf32>
}
