// RUN: mpmd-opt %s -split-input-file -mpmd-mark-aliasing-and-donation -verify-diagnostics

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

func.func public @donor_there(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op argument #0 has jax.buffer_donor = true already; expected a fragment without marks of aliasing and donation}}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{jax.buffer_donor = true}]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

func.func public @alias_there(%arg0: !v, %arg1: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // expected-error@+1 {{argument #1 has tf.aliasing_output = 0 : i32 already}}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) {arg_attrs = [{}, {tf.aliasing_output = 0 : i32}]} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// expected-error@+1 {{'func.func' op argument #0 has tf.aliasing_output = "0"; expected the number of a result of the function}}
func.func public @no_number(%arg0: !v {tf.aliasing_output = "0"}) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  return %arg0 : !v
}
