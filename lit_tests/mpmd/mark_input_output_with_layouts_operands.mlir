// RUN: mpmd-opt %s -split-input-file -mpmd-mark-input-output-with-layouts='transfer-layouts=operands' -verify-diagnostics | FileCheck %s

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// The operand of a transfer gets the default; its result keeps its modes.
// CHECK-LABEL: func.func @argument
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>> {mhlo.layout_mode = "{1,0}"})
func.func @argument(
    // expected-warning@+1 {{Arg #0 is used in a transfer op, but with a non-default layout: "{0,1}". Forcing the layout to default.}}
    %arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!w {mhlo.layout_mode = "{1,0}"})
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  return %0 : !w
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// CHECK-LABEL: func.func @result
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>> {mhlo.layout_mode = "auto"})
func.func @result(%arg0: !v) -> (!v {mhlo.layout_mode = "{0,1}"}, !w {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  // CHECK: {arg_attrs = [{}], res_attrs = [{}]} (
  // expected-warning@+1 {{Result #0 is used in a transfer op, but with a non-default layout: "{0,1}". Forcing the layout to default.}}
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return %a : !t
  } : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  return %0, %1 : !v, !w
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// Fragment arguments after a transfer do not change.
// CHECK-LABEL: func.func @fragment_behind
func.func @fragment_behind(%arg0: !v) -> !w attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  // CHECK: {arg_attrs = [{mhlo.layout_mode = "{0,1}"}], res_attrs = [{}]} (
  %1 = mpmd.fragment<mesh="m2", origin=["f"]> (%0) {arg_attrs = [{mhlo.layout_mode = "{0,1}"}]} (%a: !t) {
    mpmd.return %a : !t
  } : (!w) -> !w
  return %1 : !w
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// "auto" is overwritten without a warning: no layout is lost.
// CHECK-LABEL: func.func @auto
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>) -> !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
func.func @auto(%arg0: !v {mhlo.layout_mode = "auto"}) -> !w attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  return %0 : !w
}
