// RUN: mpmd-opt %s -split-input-file -mpmd-mark-input-output-with-layouts -verify-diagnostics | FileCheck %s

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// An argument with a transfer gets the default, and so do its other users.
// CHECK-LABEL: func.func @argument
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>)
func.func @argument(
    // expected-warning@+1 {{Arg #0 is used in a transfer op, but with a non-default layout: "{0,1}". Forcing the layout to default.}}
    %arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!v {mhlo.layout_mode = "auto"}, !w)
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  // CHECK: {arg_attrs = [{}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return %arg0, %0 : !v, !w
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// The warning names the mode that an "auto" argument takes from a result.
// CHECK-LABEL: func.func @refined_argument
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>)
// expected-warning@+1 {{Arg #0 is used in a transfer op, but with a non-default layout: "{0,1}". Forcing the layout to default.}}
func.func @refined_argument(%arg0: !v {mhlo.layout_mode = "auto"}) -> (!v {mhlo.layout_mode = "{0,1}"}, !w)
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  return %arg0, %0 : !v, !w
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// "auto" and "default" are overwritten without a warning: no layout is lost.
// CHECK-LABEL: func.func @no_layout
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, %arg1: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
func.func @no_layout(%arg0: !v {mhlo.layout_mode = "auto"}, %arg1: !v {mhlo.layout_mode = "default"}) -> (!w, !w)
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  %1 = mpmd.transfer %arg1 : (!v) -> !w
  return %0, %1 : !w, !w
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// A fragment's result with a transfer.
// CHECK-LABEL: func.func @result
// CHECK-SAME:    () -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>) attributes
func.func @result() -> (!v {mhlo.layout_mode = "auto"}, !v {mhlo.layout_mode = "{0,1}"}, !w, !w)
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> () {res_attrs = [{}, {}]}
  // expected-warning@+1 {{Result #1 is used in a transfer op, but with a non-default layout: "{0,1}". Forcing the layout to default.}}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a, %a : !t, !t
  } : () -> (!v, !v)
  %1 = mpmd.transfer %0#0 : (!v) -> !w
  %2 = mpmd.transfer %0#1 : (!v) -> !w
  return %0#0, %0#1, %1, %2 : !v, !v, !w, !w
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// The result of a transfer gets the default as well; a written "default" may stay.
// CHECK-LABEL: func.func @after
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "default"})
func.func @after(%arg0: !v) -> (!w {mhlo.layout_mode = "{0,1}"}, !w {mhlo.layout_mode = "auto"}, !v {mhlo.layout_mode = "{0,1}"}, !v {mhlo.layout_mode = "default"})
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  %1 = mpmd.transfer %0 : (!w) -> !v
  // CHECK: origin=["f"]> (%{{.*}}, %{{.*}}) {arg_attrs = [{}, {foo.a = 1 : i32}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%1, %1) {arg_attrs = [{mhlo.layout_mode = "{0,1}"}, {foo.a = 1 : i32}]} (%a: !t, %b: !t) {
    mpmd.return
  } : (!v, !v) -> ()
  // CHECK: origin=["g"]> (%{{.*}}) {res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> (%1) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return %0, %0, %1, %1 : !w, !w, !v, !v
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// Layouts of other values stay, next to a transfer and after one.
// CHECK-LABEL: func.func @no_connection
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>> {mhlo.layout_mode = "{1,0}"})
func.func @no_connection(%arg0: !v {mhlo.layout_mode = "{0,1}"}, %arg1: !v) -> (!w {mhlo.layout_mode = "{1,0}"})
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> (%arg0, %arg1) {arg_attrs = [{mhlo.layout_mode = "{0,1}"}, {}], res_attrs = [{}]} (
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg1) (%a: !t, %b: !t) {
    mpmd.return %a : !t
  } : (!v, !v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // CHECK: origin=["g"]> (%{{.*}}) {res_attrs = [{mhlo.layout_mode = "{1,0}"}]} (
  %2 = mpmd.fragment<mesh="m2", origin=["g"]> (%1) (%a: !t) {
    mpmd.return %a : !t
  } : (!w) -> !w
  return %2 : !w
}
