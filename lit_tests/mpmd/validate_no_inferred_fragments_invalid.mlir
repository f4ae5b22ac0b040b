// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-inferred-fragments -verify-diagnostics
// RUN: mpmd-opt %s -split-input-file -mpmd-validate-no-inferred-fragments=fail-on-inferred-fragments=true -verify-diagnostics

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// All errors are reported before the pass fails; a fragment of the user is not an error.
func.func @inferred(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by a){{$}}}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) {mpmd.inferred_by = ["a"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-error-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by a, b){{$}}}}
  %1 = mpmd.fragment<mesh="m1", origin=[]> (%0) {mpmd.inferred_by = ["a", "b"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.fragment<mesh="m1", origin=["f"]> (%1) {mpmd.inferred_by = ["merge_transfers"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %2 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// The attribute must be a list with at least one name.
func.func @internal_error(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error-re@+1 {{{{^}}Internal error: inferred fragment missing 'mpmd.inferred_by' attribute{{$}}}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-error@+1 {{Internal error: inferred fragment missing 'mpmd.inferred_by' attribute}}
  %1 = mpmd.fragment<mesh="m1", origin=[]> (%0) {mpmd.inferred_by = []} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-error@+1 {{Internal error: inferred fragment missing 'mpmd.inferred_by' attribute}}
  %2 = mpmd.fragment<mesh="m1", origin=[]> (%1) {mpmd.inferred_by = "a"} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-error@+1 {{Internal error: inferred fragment missing 'mpmd.inferred_by' attribute}}
  %3 = mpmd.fragment<mesh="m1", origin=[]> (%2) {mpmd.inferred_by} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %3 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @only_whole_names(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error@+1 {{Inferred fragment has not been merged (inferred by Uniquify)}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) {mpmd.inferred_by = ["Uniquify"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-error@+1 {{Inferred fragment has not been merged (inferred by extract_reshards_2)}}
  %1 = mpmd.fragment<mesh="m1", origin=[]> (%0) {mpmd.inferred_by = ["extract_reshards_2"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-error@+1 {{Inferred fragment has not been merged (inferred by infer_mesh)}}
  %2 = mpmd.fragment<mesh="m1", origin=[]> (%1) {mpmd.inferred_by = ["infer_mesh"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %2 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// Fragments of these passes, alone or with others, are never an error.
func.func @always_a_warning(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by uniquify){{$}}}}
  %0 = mpmd.fragment<mesh="m1", origin=[]> (%arg0) {mpmd.inferred_by = ["uniquify"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by infer_mesh_wrap_meshless_ops){{$}}}}
  %1 = mpmd.fragment<mesh="m1", origin=[]> (%0) {mpmd.inferred_by = ["infer_mesh_wrap_meshless_ops"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by infer_mesh_wrap_resultless_ops){{$}}}}
  %2 = mpmd.fragment<mesh="m1", origin=[]> (%1) {mpmd.inferred_by = ["infer_mesh_wrap_resultless_ops"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by infer_mesh_convert_reduce_ops){{$}}}}
  %3 = mpmd.fragment<mesh="m1", origin=[]> (%2) {mpmd.inferred_by = ["infer_mesh_convert_reduce_ops"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by extract_reshards){{$}}}}
  %4 = mpmd.fragment<mesh="m1", origin=[]> (%3) {mpmd.inferred_by = ["extract_reshards"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by introduce_transfers){{$}}}}
  %5 = mpmd.fragment<mesh="m1", origin=[]> (%4) {mpmd.inferred_by = ["introduce_transfers"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // expected-warning-re@+1 {{{{^}}Inferred fragment has not been merged (inferred by a, uniquify, b){{$}}}}
  %6 = mpmd.fragment<mesh="m1", origin=[]> (%5) {mpmd.inferred_by = ["a", "uniquify", "b"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %6 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @of_the_user(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}
