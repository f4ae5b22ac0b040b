// RUN: mpmd-opt %s -split-input-file -mpmd-mark-input-output-with-layouts -verify-diagnostics
// RUN: mpmd-opt %s -split-input-file -mpmd-mark-input-output-with-layouts='transfer-layouts=keep-unless-cpu' -verify-diagnostics

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+1 {{Arg #1 is returned as result #0, but with incompatible layouts: "{0,1}" vs. "{1,0}"}}
func.func @argument_and_result(%arg0: !v, %arg1: !v {mhlo.layout_mode = "{0,1}"}) -> (!v {mhlo.layout_mode = "{1,0}"})
    attributes {topology = #topology} {
  return %arg1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+1 {{Arg #0 is returned as result #0, but with incompatible layouts: <<NULL ATTRIBUTE>> vs. "{1,0}"}}
func.func @argument_without_mode(%arg0: !v) -> (!v {mhlo.layout_mode = "{1,0}"})
    attributes {topology = #topology} {
  return %arg0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// expected-error@+1 {{Arg #0 is returned as result #0, but with incompatible layouts: "{0,1}" vs. "default"}}
func.func @default_result(%arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!v {mhlo.layout_mode = "default"})
    attributes {topology = #topology} {
  return %arg0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// The error names the result with the mode, and not #1, which is "auto".
// expected-error@+1 {{Arg #0 is returned as result #2, but with incompatible layouts: "{0,1}" vs. <<NULL ATTRIBUTE>>}}
func.func @one_of_the_results(%arg0: !v {mhlo.layout_mode = "{0,1}"}, %arg1: !v) -> (!v, !v {mhlo.layout_mode = "auto"}, !v)
    attributes {topology = #topology} {
  return %arg1, %arg0, %arg0 : !v, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// The newest use comes first, which is the last operand of the return.
func.func @results(%arg0: !v {mhlo.layout_mode = "auto"})
    -> (!v {mhlo.layout_mode = "{0,1}"}, !v {mhlo.layout_mode = "auto"}, !v {mhlo.layout_mode = "{1,0}"})
    attributes {topology = #topology} {
  // expected-error@+1 {{Result #2 is also returned as result #0, but with incompatible layouts: "{1,0}" vs. "{0,1}"}}
  return %arg0, %arg0, %arg0 : !v, !v, !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

func.func @fragment_result() -> (!v, !v {mhlo.layout_mode = "{0,1}"}) attributes {topology = #topology} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a : !t
  } : () -> !v
  // expected-error@+1 {{Result #1 is also returned as result #0, but with incompatible layouts: "{0,1}" vs. <<NULL ATTRIBUTE>>}}
  return %0, %0 : !v, !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Arguments are checked first, so there is no error for the results of the fragment.
// expected-error@+1 {{Arg #0 is returned as result #0, but with incompatible layouts: "{0,1}" vs. "{1,0}"}}
func.func @arguments_first(%arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!v {mhlo.layout_mode = "{1,0}"}, !v {mhlo.layout_mode = "{0,1}"}, !v)
    attributes {topology = #topology} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a : !t
  } : () -> !v
  return %arg0, %0, %0 : !v, !v, !v
}

// -----

!t = tensor<4x8xf32>

// expected-error@+1 {{Arg #0 is returned as result #0, but with incompatible layouts: "{0,1}" vs. "{1,0}"}}
func.func @single_mesh(%arg0: !t {mhlo.layout_mode = "{0,1}"}) -> (!t {mhlo.layout_mode = "{1,0}"})
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : !t
}
