// RUN: mpmd-opt %s -split-input-file -mpmd-lower-to-fragment-calls='naming=program' -verify-diagnostics

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @too_many(%arg0: !v) attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op arg_attrs must be an array of length 1, with a dictionary for each argument; found [{}, {}]}}
  mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{}, {}]} (%a: tensor<8xf32>) {
    mpmd.return
  } : (!v) -> ()
  return
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @no_dictionary(%arg0: !v) attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op res_attrs must be an array of length 1, with a dictionary for each result; found ["auto"]}}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {res_attrs = ["auto"]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return
}

// -----

func.func @no_array() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op arg_attrs must be an array of length 0, with a dictionary for each argument; found {}}}
  mpmd.fragment<mesh="m", origin=["f"]> () {arg_attrs = {}} () {
    mpmd.return
  } : () -> ()
  return
}

// -----

func.func @reserved() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  mpmd.fragment<mesh="m", origin=["f"]> () {reserved_hbm_bytes = 1 : i64} () {
    mpmd.return
  } : () -> ()
  // expected-error@+1 {{'mpmd.fragment' op reserved_hbm_bytes must be an integer, found "much"}}
  mpmd.fragment<mesh="m", origin=["f"]> () {reserved_hbm_bytes = "much"} () {
    mpmd.return
  } : () -> ()
  return
}

// -----

func.func @call_counter() attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op call_counter must have the type ui32, found 1 : i64}}
  mpmd.fragment<mesh="m", origin=["f"]> () {call_counter = 1} () {
    mpmd.return
  } : () -> ()
  return
}

// -----

func.func @token(%arg0: !stablehlo.token) attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op a fragment call takes no tokens: sink them into the fragment before}}
  mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: !stablehlo.token) {
    mpmd.return
  } : (!stablehlo.token) -> ()
  return
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @loop(%arg0: !v) -> !v attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.for (%arg0) {iterations = 2 : ui32} (%v: !v, %index: tensor<ui32>) {
    // expected-error@+1 {{'mpmd.fragment' op cannot become a call inside 'mpmd.for'; a fragment call must be in the body of a function itself}}
    %1 = mpmd.fragment<mesh="m", origin=["f"]> (%v) (%a: tensor<8xf32>) {
      mpmd.return %a : tensor<8xf32>
    } : (!v) -> !v
    mpmd.return %1 : !v
  } : !v
  return %0 : !v
}
