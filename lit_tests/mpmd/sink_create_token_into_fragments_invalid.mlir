// RUN: mpmd-opt %s -split-input-file -mpmd-sink-create-token-into-fragments -verify-diagnostics

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @returned(%arg0: !v) -> (!v, !stablehlo.token)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error@+1 {{'mpmd.fragment' op has a token as result #1, which is used by 'func.return'; only fragments may use the tokens of fragments}}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %1 = stablehlo.create_token : !stablehlo.token
    mpmd.return %a, %1 : tensor<8xf32>, !stablehlo.token
  } : (!v) -> (!v, !stablehlo.token)
  return %0#0, %0#1 : !v, !stablehlo.token
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

func.func @other_op(%arg0: !stablehlo.token)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // expected-error@+1 {{has a token as result #0, which is used by 'stablehlo.after_all'}}
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%token: !stablehlo.token) {
    mpmd.return %token : !stablehlo.token
  } : (!stablehlo.token) -> !stablehlo.token
  %1 = mpmd.fragment<mesh="m1", origin=["g"]> (%0) (%token: !stablehlo.token) {
    mpmd.return %token : !stablehlo.token
  } : (!stablehlo.token) -> !stablehlo.token
  %2 = stablehlo.after_all %0, %arg0 : !stablehlo.token
  return
}
