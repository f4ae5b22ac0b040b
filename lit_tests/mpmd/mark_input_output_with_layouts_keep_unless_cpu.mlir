// RUN: mpmd-opt %s -split-input-file -mpmd-mark-input-output-with-layouts='transfer-layouts=keep-unless-cpu' -verify-diagnostics | FileCheck %s

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// The mode of an argument passes through transfers, and overwrites other modes.
// CHECK-LABEL: func.func @through_transfers
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func @through_transfers(%arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!w {mhlo.layout_mode = "{1,0}"}, !v, !v {mhlo.layout_mode = "auto"})
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  %1 = mpmd.transfer %0 : (!w) -> !v
  // CHECK: origin=["f"]> (%{{.*}}) {arg_attrs = [{mhlo.layout_mode = "{0,1}"}], res_attrs = []} (
  mpmd.fragment<mesh="m2", origin=["f"]> (%0) (%a: !t) {
    mpmd.return
  } : (!w) -> ()
  // CHECK: origin=["g"]> (%{{.*}}) {arg_attrs = [{mhlo.layout_mode = "{0,1}"}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["g"]> (%1) {arg_attrs = [{mhlo.layout_mode = "{1,0}"}]} (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return %0, %1, %1 : !w, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// So does the default, but a written default stays as it is.
// CHECK-LABEL: func.func @default_through_transfers
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>> {mhlo.layout_mode = "default"})
func.func @default_through_transfers(%arg0: !v) -> (!w {mhlo.layout_mode = "{1,0}"}, !w {mhlo.layout_mode = "default"})
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  return %0, %0 : !w, !w
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!w = !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// "auto" passes too if the transfer is the only use.
// CHECK-LABEL: func.func @auto_argument
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "auto"}, %arg1: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m2", tensor<4x8xf32>> {mhlo.layout_mode = "auto"}, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>)
func.func @auto_argument(%arg0: !v {mhlo.layout_mode = "auto"}, %arg1: !v {mhlo.layout_mode = "auto"})
    -> (!w {mhlo.layout_mode = "{0,1}"}, !w {mhlo.layout_mode = "{0,1}"}, !w) attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  %1 = mpmd.transfer %arg1 : (!v) -> !w
  %2 = mpmd.transfer %arg1 : (!v) -> !w
  return %0, %1, %2 : !w, !w, !w
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>>

// The layout of a fragment's result passes; "auto" with a transfer becomes the default.
// CHECK-LABEL: func.func @results
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>)
func.func @results() -> (!v {mhlo.layout_mode = "{0,1}"}, !w, !v {mhlo.layout_mode = "auto"}, !w {mhlo.layout_mode = "{1,0}"})
    attributes {topology = #topology} {
  // CHECK: origin=["f"]> () {res_attrs = [{mhlo.layout_mode = "{0,1}"}, {}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a, %a : !t, !t
  } : () -> (!v, !v)
  %1 = mpmd.transfer %0#0 : (!v) -> !w
  %2 = mpmd.transfer %0#1 : (!v) -> !w
  return %0#0, %1, %0#1, %2 : !v, !w, !v, !w
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!w = !mpmd.mesh_tensor<"m2", !t>
!c = !mpmd.mesh_tensor<"m1/cpu", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2]>>, <"m1/cpu": <["x"=2]>>>

// A transfer to a CPU mesh requires the default, for all uses of the value.
// CHECK-LABEL: func.func @to_cpu
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>)
// CHECK-SAME:    -> (!mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m2", tensor<4x8xf32>>)
// expected-warning@+1 {{Arg #0 is used in a transfer op, but with a non-default layout: "{0,1}". Forcing the layout to default.}}
func.func @to_cpu(%arg0: !v {mhlo.layout_mode = "{0,1}"}) -> (!c {mhlo.layout_mode = "{0,1}"}, !w {mhlo.layout_mode = "{0,1}"})
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!v) -> !c
  %1 = mpmd.transfer %arg0 : (!v) -> !w
  // CHECK: {arg_attrs = [{}], res_attrs = []} (
  mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: !t) {
    mpmd.return
  } : (!v) -> ()
  return %0, %1 : !c, !w
}

// -----

!t = tensor<4x8xf32>
!v = !mpmd.mesh_tensor<"m1", !t>
!c = !mpmd.mesh_tensor<"m1/cpu", !t>
#topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m1/cpu": <["x"=2]>>>

// CHECK-LABEL: func.func @result_to_cpu
// CHECK-SAME:    () -> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>, !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>>)
func.func @result_to_cpu() -> (!v {mhlo.layout_mode = "{0,1}"}, !c {mhlo.layout_mode = "{1,0}"})
    attributes {topology = #topology} {
  // CHECK: {res_attrs = [{}]}
  // expected-warning@+1 {{Result #0 is used in a transfer op, but with a non-default layout: "{0,1}". Forcing the layout to default.}}
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> () () {
    %a = stablehlo.constant dense<0.0> : !t
    mpmd.return %a : !t
  } : () -> !v
  %1 = mpmd.transfer %0 : (!v) -> !c
  return %0, %1 : !v, !c
}

// -----

!v = !mpmd.mesh_tensor<"m1/cpu_", tensor<4x8xf32>>
!c = !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>>
!h = !mpmd.mesh_tensor<"m1/cpu_", tensor<4x8xf32>, memory_kind="pinned_host">
#topology = #mpmd.topology<<"m1/cpu_": <["x"=2]>>, <"m1/cpu": <["x"=2]>>>

// Only the end of the name of the destination mesh matters, not that of the source mesh, nor
// the memory kind.
// CHECK-LABEL: func.func @not_to_cpu
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1/cpu", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"}, %arg1: !mpmd.mesh_tensor<"m1/cpu_", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func @not_to_cpu(%arg0: !c {mhlo.layout_mode = "{0,1}"}, %arg1: !v {mhlo.layout_mode = "{0,1}"}) -> (!v, !h)
    attributes {topology = #topology} {
  %0 = mpmd.transfer %arg0 : (!c) -> !v
  %1 = mpmd.transfer %arg1 : (!v) -> !h
  return %0, %1 : !v, !h
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<4x8xf32>>
!like = !mpmd.mesh_tensor<"mcpu", tensor<4x8xf32>>

// A mesh whose name ends in `cpu` without the slash is not a CPU mesh.
// CHECK-LABEL: func.func @without_slash
// CHECK-SAME:    (%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "{0,1}"})
func.func @without_slash(%arg0: !v {mhlo.layout_mode = "{0,1}"}) -> !like
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>, <"mcpu": <["x"=2]>>>} {
  %0 = mpmd.transfer %arg0 : (!v) -> !like
  return %0 : !like
}
