// With require-inferred-by=false, a fragment without the name of a pass is a finding as any other.
// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-inferred-fragments='fail-on-inferred-fragments=false require-inferred-by=false' -verify-diagnostics
// RUN: not mpmd-opt %s -split-input-file -mpmd-validate-no-inferred-fragments=require-inferred-by=false 2>&1 | FileCheck %s

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// CHECK-COUNT-3: error: Inferred fragment has not been merged (inferred by an unknown pass)
// CHECK:         warning: Inferred fragment has not been merged (inferred by uniquify)
// CHECK-NOT:     Inferred fragment
func.func @unknown(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by an unknown pass){{$}}}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning@+1 {{Inferred fragment has not been merged (inferred by an unknown pass)}}
  %1 = mpmd.fragment<mesh="m1", origin=[]> (%0) {mpmd.inferred_by = []} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning@+1 {{Inferred fragment has not been merged (inferred by an unknown pass)}}
  %2 = mpmd.fragment<mesh="m1", origin=[]> (%1) {mpmd.inferred_by = "a"} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning@+1 {{Inferred fragment has not been merged (inferred by uniquify)}}
  %3 = mpmd.fragment<mesh="m1", origin=[]> (%2) {mpmd.inferred_by = ["uniquify"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %4 = mpmd.fragment<mesh="m1", origin=["f"]> (%3) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %4 : !v
}
