// RUN: sdy-opt %s -sdy-manual-axes-cleanup -verify-diagnostics

// Every manual computation that is wrong is reported, inner ones first.
func.func @axes_of_no_mesh() {
  // expected-error@+1 {{op has manual_axes when there are no in/out shardings and the body is not empty. This isn't allowed at this stage, please contact the Shardy team or file a bug.}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    // expected-error@+1 {{op has manual_axes when there are no in/out shardings and the body is not empty.}}
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"b"} () {
      %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
      sdy.return
    } : () -> ()
    sdy.return
  } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
