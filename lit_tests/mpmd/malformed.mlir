// RUN: mpmd-opt %s -split-input-file -mpmd-mark-aliasing-and-donation -verify-diagnostics
// RUN: mpmd-opt %s -split-input-file -mpmd-mark-fragment-reserved-memory -verify-diagnostics
// RUN: mpmd-opt %s -split-input-file -mpmd-mark-input-output-with-layouts -verify-diagnostics
// RUN: mpmd-opt %s -split-input-file -mpmd-mark-offloaded-input-output -verify-diagnostics

// Each pass checks the attributes that it reads and the verifier does not check.
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

func.func public @no_array(%arg0: !v) -> !v attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op arg_attrs must be an array of length 1, with a dictionary for each argument; found 3 : i64}}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = 3} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

func.func public @too_long(%arg0: !v) -> !v attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{arg_attrs must be an array of length 1, with a dictionary for each argument; found [{}, {}]}}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{}, {}]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

func.func public @no_dictionary(%arg0: !v) -> !v attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{arg_attrs must be an array of length 1, with a dictionary for each argument; found [3]}}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [3]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// expected-error@+1 {{'func.func' op must have one block to be an MPMD program, found 2}}
func.func public @two_blocks(%arg0: !v) -> !v attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  cf.br ^bb1
^bb1:
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}
