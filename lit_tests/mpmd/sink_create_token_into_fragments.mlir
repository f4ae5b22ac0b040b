// RUN: mpmd-opt %s -split-input-file -mpmd-sink-create-token-into-fragments | FileCheck %s

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// The op that has created the token stays.
// CHECK-LABEL: func.func @operand
func.func @operand(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // CHECK-NEXT: stablehlo.create_token
  // CHECK-NEXT: mpmd.fragment<mesh="m1", origin=["f"], stage=2> (%arg0) {call_counter = 3 : ui32} (%[[A:.*]]: tensor<8xf32>) {
  // CHECK-NEXT:   %[[TOKEN:.*]] = stablehlo.create_token : !stablehlo.token
  // CHECK-NEXT:   stablehlo.add %[[A]], %[[A]]
  // CHECK-NEXT:   stablehlo.after_all %[[TOKEN]], %[[TOKEN]]
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = mpmd.fragment<mesh="m1", origin=["f"], stage=2> (%0, %arg0) {call_counter = 3 : ui32}
      (%token: !stablehlo.token, %a: tensor<8xf32>) {
    %2 = stablehlo.add %a, %a : tensor<8xf32>
    %3 = stablehlo.after_all %token, %token : !stablehlo.token
    mpmd.return %2 : tensor<8xf32>
  } : (!stablehlo.token, !v) -> !v
  return %1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// Each operand gets a token of its own, even if the body does not use it.
// CHECK-LABEL: func.func @several_operands
func.func @several_operands(%arg0: !v, %arg1: !stablehlo.token) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg0) (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>) {
  // CHECK-NEXT:   %[[T0:.*]] = stablehlo.create_token
  // CHECK-NEXT:   %[[T1:.*]] = stablehlo.create_token
  // CHECK-NEXT:   stablehlo.create_token
  // CHECK-NEXT:   stablehlo.after_all %[[T1]], %[[T0]]
  // CHECK-NEXT:   mpmd.return %[[B]]
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = mpmd.fragment<mesh="m1", origin=["f"]> (%0, %arg0, %0, %arg1, %arg0)
      (%t0: !stablehlo.token, %a: tensor<8xf32>, %t1: !stablehlo.token, %t2: !stablehlo.token, %b: tensor<8xf32>) {
    %2 = stablehlo.after_all %t1, %t0 : !stablehlo.token
    mpmd.return %b : tensor<8xf32>
  } : (!stablehlo.token, !v, !stablehlo.token, !stablehlo.token, !v) -> !v
  return %1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// The source of a token does not matter: an argument, or other fragments.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[ARG0:.*]]: !mpmd.mesh_tensor<"m1", tensor<8xf32>>, %[[ARG1:.*]]: !stablehlo.token
func.func @chain(%arg0: !v, %arg1: !stablehlo.token) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment<mesh="m1", origin=["f"]> () () {
  // CHECK-NEXT:   %[[TOKEN:.*]] = stablehlo.create_token
  // CHECK-NEXT:   stablehlo.custom_call @print(%[[TOKEN]])
  // CHECK-NEXT:   mpmd.return
  // CHECK-NEXT: } : () -> ()
  // CHECK-NEXT: %[[G:.*]]:2 = mpmd.fragment<mesh="m1", origin=["g"]> (%[[ARG0]]) (%[[A:.*]]: tensor<8xf32>) {
  // CHECK-NEXT:   stablehlo.create_token
  // CHECK-NEXT:   %[[SUM:.*]] = stablehlo.add
  // CHECK-NEXT:   mpmd.return %[[A]], %[[SUM]] : tensor<8xf32>, tensor<8xf32>
  // CHECK-NEXT: } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> (!mpmd.mesh_tensor<"m1", tensor<8xf32>>, !mpmd.mesh_tensor<"m1", tensor<8xf32>>)
  // CHECK-NEXT: return %[[G]]#1, %[[G]]#0
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg1) (%token: !stablehlo.token) {
    %1 = stablehlo.custom_call @print(%token) {has_side_effect = true} : (!stablehlo.token) -> !stablehlo.token
    mpmd.return %1 : !stablehlo.token
  } : (!stablehlo.token) -> !stablehlo.token
  %2:4 = mpmd.fragment<mesh="m1", origin=["g"]> (%arg0, %0) (%a: tensor<8xf32>, %token: !stablehlo.token) {
    %3 = stablehlo.add %a, %a : tensor<8xf32>
    mpmd.return %token, %a, %token, %3 : !stablehlo.token, tensor<8xf32>, !stablehlo.token, tensor<8xf32>
  } : (!v, !stablehlo.token) -> (!stablehlo.token, !v, !stablehlo.token, !v)
  return %2#3, %2#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @attributes
func.func @attributes(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m1", origin=["f"], in_shardings=[<@mesh, [{"x"}]>], out_shardings=[<@mesh, [{?}]>]> (%arg0)
  // CHECK-SAME: {arg_attrs = [{jax.buffer_donor = true}], mpmd.inferred_by = ["a", "b"], res_attrs = [{mhlo.layout_mode = "auto"}]}
  %0 = stablehlo.create_token : !stablehlo.token
  %1:2 = mpmd.fragment<mesh="m1", origin=["f"], in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>], out_shardings=[<@mesh, [{?}]>, <@mesh, []>]> (%0, %arg0)
      {arg_attrs = [{a.token}, {jax.buffer_donor = true}], res_attrs = [{mhlo.layout_mode = "auto"}, {a.token}], mpmd.inferred_by = ["a", "b"]}
      (%token: !stablehlo.token, %a: tensor<8xf32>) {
    mpmd.return %a, %token : tensor<8xf32>, !stablehlo.token
  } : (!stablehlo.token, !v) -> (!v, !stablehlo.token)
  return %1#0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// Only operands or only results have a token; the attributes of the others stay.
// CHECK-LABEL: func.func @one_side
func.func @one_side(%arg0: !v, %arg1: !stablehlo.token) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // CHECK-NEXT: mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) {arg_attrs = [{a.a}], res_attrs = [{a.b}]}
  // CHECK: mpmd.fragment<mesh="m1", origin=["g"]> (%arg0) {arg_attrs = [{a.c}], res_attrs = [{a.d}]}
  %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) {arg_attrs = [{a.a}], res_attrs = [{a.token}, {a.b}]} (%a: tensor<8xf32>) {
    %1 = stablehlo.create_token : !stablehlo.token
    mpmd.return %1, %a : !stablehlo.token, tensor<8xf32>
  } : (!v) -> (!stablehlo.token, !v)
  %2 = mpmd.fragment<mesh="m1", origin=["g"]> (%arg0, %arg1) {arg_attrs = [{a.c}, {a.token}], res_attrs = [{a.d}]}
      (%a: tensor<8xf32>, %token: !stablehlo.token) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !stablehlo.token) -> !v
  return %0#1, %2 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m1", tensor<8xf32>>

// Tokens inside fragments, and tokens that no fragment uses, do not change.
// CHECK-LABEL: func.func private @untouched
func.func private @untouched(%arg0: !v, %arg1: !stablehlo.token) -> (!v, !stablehlo.token)
    attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>} {
  // CHECK-NEXT: %[[TOKEN:.*]] = stablehlo.create_token
  // CHECK-NEXT: mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%{{.*}}: tensor<8xf32>) {
  // CHECK-NEXT:   %[[INNER:.*]] = stablehlo.create_token
  // CHECK-NEXT:   stablehlo.after_all %[[INNER]], %[[INNER]]
  // CHECK-NEXT:   mpmd.return
  // CHECK: %[[ALL:.*]] = stablehlo.after_all %[[TOKEN]], %arg1
  // CHECK: return %{{.*}}, %[[ALL]]
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %2 = stablehlo.create_token : !stablehlo.token
    %3 = stablehlo.after_all %2, %2 : !stablehlo.token
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %4 = stablehlo.after_all %0, %arg1 : !stablehlo.token
  return %1, %4 : !v, !stablehlo.token
}
