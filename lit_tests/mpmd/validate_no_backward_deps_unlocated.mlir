// RUN: mpmd-opt %s -verify-diagnostics -mpmd-validate-no-backward-deps=fail-on-backward-deps

// A function from JAX has no location: the error is at the first backward fragment.
module {
  func.func public @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>> loc("x"))
      -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
      attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
    %0 = mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%arg0)
        : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    // expected-error@+1 {{Expected forward-only program but found non-forward fragments.}}
    %1 = mpmd.fragment_call<mesh="m1", origin=["f"(1)]> @f(%0)
        : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    return %1 : !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  } loc(unknown)
  func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
    return %arg0 : tensor<8xf32>
  }
}
