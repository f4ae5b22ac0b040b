// RUN: mpmd-opt %s -allow-unregistered-dialect -mpmd-mark-aliasing-and-donation | FileCheck %s

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Result 1 is traced back through any op with one operand, not through transfers alone.
// CHECK-LABEL: func.func public @other_op
func.func public @other_op(%arg0: !v {tf.aliasing_output = 1 : i32}) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{tf.aliasing_output = 1 : i32}]}
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  %1 = "foo.id"(%0#1) : (!v) -> !v
  return %0#0, %1 : !v, !v
}

// A missing result number gives no preference: the first output that fits, or donation.
// CHECK-LABEL: func.func public @no_such_result
func.func public @no_such_result(%arg0: !v {tf.aliasing_output = 2 : i32},
    %arg1: !v {tf.aliasing_output = -1 : i32}, %arg2: !v {tf.aliasing_output = 7 : i32}) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1, %arg2) {arg_attrs = [{tf.aliasing_output = 0 : i32}, {tf.aliasing_output = 1 : i32}, {jax.buffer_donor = true}]}
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1, %arg2) (%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) {
    mpmd.return %b, %c : tensor<8xf32>, tensor<8xf32>
  } : (!v, !v, !v) -> (!v, !v)
  return %0#0, %0#1 : !v, !v
}
