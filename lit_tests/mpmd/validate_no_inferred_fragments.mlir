// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-inferred-fragments=fail-on-inferred-fragments=false -verify-diagnostics

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @inferred(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by a){{$}}}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) {mpmd.inferred_by = ["a"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by a, introduce_transfers){{$}}}}
  %1 = mpmd.fragment<mesh="m1", origin=[]> (%0) {mpmd.inferred_by = ["a", "introduce_transfers"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m1", origin=["f"]> (%1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %2 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// This is always an error.
func.func @internal_error(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error@+1 {{Internal error: inferred fragment missing 'mpmd.inferred_by' attribute}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by a){{$}}}}
  %1 = mpmd.fragment<mesh="m1", origin=[]> (%0) {mpmd.inferred_by = ["a"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// Fragment calls are not checked.
func.func @lowered(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  %0 = mpmd.fragment_call<mesh="m1", origin=[]> @f(%arg0) : (!v) -> !v
  return %0 : !v
}

func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32>
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
