// RUN: mpmd-opt %s -split-input-file -mpmd-mark-input-output-with-layouts | FileCheck %s

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A mode goes from an argument to the fragments that use it, and from a result to its producer.
// CHECK-LABEL: func.func @to_fragments
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{1,0}"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
func.func @to_fragments(%arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!v {mhlo.layout_mode = "{1,0}"}, !v)
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> (%arg0) {arg_attrs = [{mhlo.layout_mode = "{0,1}"}], res_attrs = [{mhlo.layout_mode = "{1,0}"}]} (
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return %a : !t
  } : (!v) -> !v
  // CHECK: origin=["g"]> (%{{.*}}, %arg0) {arg_attrs = [{mhlo.layout_mode = "{1,0}"}, {mhlo.layout_mode = "{0,1}"}], res_attrs = [{}]} (
  %1 = mpmd.fragment<mesh="m1", origin=["g"]> (%0, %arg0) (%a: !t, %b: !t) {
    mpmd.return %b : !t
  } : (!v, !v) -> !v
  return %0, %1 : !v, !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Other attributes stay, also those of a fragment; its layouts are overwritten.
// CHECK-LABEL: func.func @other_attributes
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {jax.buffer_donor = true, mhlo.layout_mode = "{0,1}"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {jax.result_info = "r"})
func.func @other_attributes(%arg0: !v {jax.buffer_donor = true, mhlo.layout_mode = "{0,1}"}, %arg1: !v)
    -> (!v {jax.result_info = "r", mhlo.layout_mode = "default"}) attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{foo.a = 1 : i32, mhlo.layout_mode = "{0,1}"}, {foo.b = 2 : i32}], res_attrs = [{foo.c = 3 : i32}]} (
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg1) {
      arg_attrs = [{foo.a = 1 : i32}, {foo.b = 2 : i32, mhlo.layout_mode = "{1,0}"}],
      res_attrs = [{foo.c = 3 : i32, mhlo.layout_mode = "{1,0}"}]} (%a: !t, %b: !t) {
    mpmd.return %a : !t
  } : (!v, !v) -> !v
  return %0 : !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// "default" is the same as no attribute, and is removed.
// CHECK-LABEL: func.func @default
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> attributes
func.func @default(%arg0: !v {mhlo.layout_mode = "default"}) -> (!v {mhlo.layout_mode = "default"})
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> (%arg0) {arg_attrs = [{}], res_attrs = [{}]} (
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return %a : !t
  } : (!v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A mode that is not a string is ignored.
// CHECK-LABEL: func.func @not_a_string
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> attributes
func.func @not_a_string(%arg0: !v {mhlo.layout_mode = 7 : i32}) -> (!v {mhlo.layout_mode = "default"})
    attributes {topology = #topology} {
  return %arg0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Attributes of arguments without users are not changed.
// CHECK-LABEL: func.func @unused_arguments
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "default"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"}, %arg2: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func @unused_arguments(%arg0: !v {mhlo.layout_mode = "default"}, %arg1: !v {mhlo.layout_mode = "auto"}, %arg2: !v {mhlo.layout_mode = "{0,1}"})
    attributes {topology = #topology} {
  return
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// Every fragment gets result attributes, even without results; it gets argument attributes if an
// operand has a mode.
// CHECK-LABEL: func.func @every_fragment
func.func @every_fragment(%arg0: !v) attributes {topology = #topology} {
  // CHECK: mpmd.fragment<mesh="m1", origin=["f"]> () {res_attrs = []} ()
  mpmd.fragment<mesh="m1", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  // CHECK: mpmd.fragment<mesh="m1", origin=["g"]> (%arg0) {arg_attrs = [{}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A returned argument and the result have one mode.
// CHECK-LABEL: func.func @argument_to_result
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func @argument_to_result(%arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  return %arg0 : !v
}

// CHECK-LABEL: func.func @default_argument_to_result
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> attributes
func.func @default_argument_to_result(%arg0: !v) -> (!v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  return %arg0 : !v
}

// CHECK-LABEL: func.func @equal
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"})
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"})
func.func @equal(%arg0: !v {mhlo.layout_mode = "{0,1}"}, %arg1: !v {mhlo.layout_mode = "auto"})
    -> (!v {mhlo.layout_mode = "{0,1}"}, !v {mhlo.layout_mode = "auto"}) attributes {topology = #topology} {
  return %arg0, %arg1 : !v, !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A mode of a result other than "auto" replaces that of the argument, also for its other users.
// CHECK-LABEL: func.func @refined_argument
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func @refined_argument(%arg0: !v {mhlo.layout_mode = "auto"})
    -> (!v {mhlo.layout_mode = "auto"}, !v {mhlo.layout_mode = "{0,1}"}) attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{mhlo.layout_mode = "{0,1}"}, {mhlo.layout_mode = "{0,1}"}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg0) (%a: !t, %b: !t) {
    mpmd.return
  } : (!v, !v) -> ()
  return %arg0, %arg0 : !v, !v
}

// CHECK-LABEL: func.func @refined_by_default
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> attributes
func.func @refined_by_default(%arg0: !v {mhlo.layout_mode = "auto"}) -> !v
    attributes {topology = #topology} {
  return %arg0 : !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A fragment's result that is returned twice has the mode that is not "auto".
// CHECK-LABEL: func.func @returned_twice
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func @returned_twice() -> (!v {mhlo.layout_mode = "{0,1}"}, !v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  // CHECK: {res_attrs = [{mhlo.layout_mode = "{0,1}"}]}
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a : !t
  } : () -> !v
  return %0, %0 : !v, !v
}

// CHECK-LABEL: func.func @returned_as_default
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) attributes
func.func @returned_as_default()
    -> (!v {mhlo.layout_mode = "default"}, !v {mhlo.layout_mode = "auto"}, !v) attributes {topology = #topology} {
  // CHECK: {res_attrs = [{}]}
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a : !t
  } : () -> !v
  return %0, %0, %0 : !v, !v, !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// "auto" stays on an argument with one use besides the return.
// CHECK-LABEL: func.func @auto_argument
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"})
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"})
func.func @auto_argument(%arg0: !v {mhlo.layout_mode = "auto"}) -> (!v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{mhlo.layout_mode = "auto"}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return %arg0 : !v
}

// With two uses it becomes the default.
// CHECK-LABEL: func.func @auto_argument_of_two_fragments
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> attributes
func.func @auto_argument_of_two_fragments(%arg0: !v {mhlo.layout_mode = "auto"}) -> (!v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> (%arg0) {arg_attrs = [{}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  // CHECK: origin=["g"]> (%arg0) {arg_attrs = [{}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return %arg0 : !v
}

// Two operands of one fragment are two uses.
// CHECK-LABEL: func.func @auto_argument_twice_in_a_fragment
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) attributes
func.func @auto_argument_twice_in_a_fragment(%arg0: !v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{}, {}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg0) (%a: !t, %b: !t) {
    mpmd.return
  } : (!v, !v) -> ()
  return
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A fragment call is a use as well, but has no attributes to set.
// CHECK-LABEL: func.func @fragment_calls
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> attributes
func.func @fragment_calls(%arg0: !v {mhlo.layout_mode = "auto"}) -> !v
    attributes {topology = #topology} {
  // CHECK-NEXT: mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%arg0) : (
  %0 = mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%arg0) : (!v) -> !v
  // CHECK-NEXT: mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%arg0) : (
  %1 = mpmd.fragment_call<mesh="m1", origin=["f"]> @f(%arg0) : (!v) -> !v
  return %0 : !v
}
func.func private @f(%arg0: !t) -> !t attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  return %arg0 : !t
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// "auto" stays on a result that is only returned; with a use by a fragment it becomes the default.
// CHECK-LABEL: func.func @auto_results
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) attributes
func.func @auto_results() -> (!v {mhlo.layout_mode = "auto"}, !v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> () {res_attrs = [{mhlo.layout_mode = "auto"}, {}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a, %a : !t, !t
  } : () -> (!v, !v)
  // CHECK: origin=["g"]> (%{{.*}}#1) {arg_attrs = [{}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> (%0#1) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return %0#0, %0#1 : !v, !v
}

// A result without users becomes "auto", one that fragments use has the default.
// CHECK-LABEL: func.func @unused_result
func.func @unused_result() attributes {topology = #topology} {
  // CHECK: origin=["f"]> () {res_attrs = [{}, {mhlo.layout_mode = "auto"}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a, %a : !t, !t
  } : () -> (!v, !v)
  // CHECK: origin=["g"]> (%{{.*}}#0) {arg_attrs = [{}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> (%0#0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return
}

// -----

!t = tensor<4x8xf32>

// A function over a single mesh has no fragments; the modes of its arguments and results are
// compared too. XLA sees all uses of an argument there, so "auto" stays.
// CHECK-LABEL: func.func @single_mesh
// CHECK-SAME:    (%arg0: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}, %arg1: tensor<4x8xf32> {mhlo.layout_mode = "auto"})
// CHECK-SAME:    -> (tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}, tensor<4x8xf32> {mhlo.layout_mode = "auto"})
func.func @single_mesh(%arg0: !t {mhlo.layout_mode = "auto"}, %arg1: !t {mhlo.layout_mode = "auto"})
    -> (!t {mhlo.layout_mode = "{0,1}"}, !t {mhlo.layout_mode = "auto"})
    attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
  %0 = stablehlo.add %arg1, %arg1 : !t
  return %arg0, %0 : !t, !t
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>>

// A private function is not called from outside, and does not change.
// CHECK-LABEL: func.func private @private
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"}) -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func private @private(%arg0: !v {mhlo.layout_mode = "auto"}) -> (!v {mhlo.layout_mode = "{0,1}"})
    attributes {topology = #topology} {
  // CHECK: mpmd.fragment<mesh="m1", origin=["f"]> () ()
  mpmd.fragment<mesh="m1", origin=["f"]> () () {
    mpmd.return
  } : () -> ()
  return %arg0 : !v
}

// CHECK-LABEL: func.func nested @nested
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"})
func.func nested @nested(%arg0: !v {mhlo.layout_mode = "auto"}) -> (!v {mhlo.layout_mode = "{0,1}"})
    attributes {topology = #topology} {
  return %arg0 : !v
}

// A function without meshes does not change.
// CHECK-LABEL: func.func @no_mesh
// CHECK-SAME:    (%arg0: tensor<4x8xf32> {mhlo.layout_mode = "auto"})
func.func @no_mesh(%arg0: !t {mhlo.layout_mode = "auto"}) -> (!t {mhlo.layout_mode = "{0,1}"}) {
  return %arg0 : !t
}
