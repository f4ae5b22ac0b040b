// An inferred fragment that does not say which pass has made it is exported as any other.
// RUN: mpmd-opt %s -mpmd-export-pipeline -verify-diagnostics | FileCheck %s
// RUN: not mpmd-opt %s -mpmd-export-pipeline=fail-on-inferred-fragments 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not mpmd-opt %s -mpmd-export-pipeline='compat=jaxlib fail-on-inferred-fragments=false' 2>&1 | FileCheck %s --check-prefix=JAXLIB

// STRICT: error: Inferred fragment has not been merged (inferred by an unknown pass)
// JAXLIB: error: Internal error: inferred fragment missing 'mpmd.inferred_by' attribute

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// CHECK-LABEL: func.func public @main
// CHECK-NEXT:  %[[F:.*]] = mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%arg1)
// CHECK-NEXT:  %[[INFERRED:.*]] = mpmd.fragment_call<mesh="m1", origin=[]> @inferred(%arg0)
// CHECK-NEXT:  return %[[INFERRED]], %[[F]]
func.func public @main(%arg0: !v {jax.buffer_donor = true}, %arg1: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by an unknown pass){{$}}}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    %2 = stablehlo.add %a, %a : tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    %2 = stablehlo.tanh %a : tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}

// CHECK-LABEL: func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
// CHECK:       stablehlo.tanh

// CHECK-LABEL: func.func @inferred(%arg0: tensor<8xf32> {jax.buffer_donor = true}) -> tensor<8xf32>
// CHECK-SAME:  xla_tpu_user_reserved_hbm_bytes
// CHECK:       stablehlo.add
