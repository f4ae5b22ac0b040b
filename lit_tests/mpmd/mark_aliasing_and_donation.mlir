// RUN: mpmd-opt %s -split-input-file -mpmd-mark-aliasing-and-donation | FileCheck %s

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// An argument of the function that is not donated gets no mark; any other value takes an output.
// CHECK-LABEL: func.func public @share_a_buffer
func.func public @share_a_buffer(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%{{.*}}) (%
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}) {arg_attrs = [{tf.aliasing_output = 0 : i32}]}
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!s = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// Without a compatible output a buffer is donated.
// CHECK-LABEL: func.func public @donated_without_output
func.func public @donated_without_output(%arg0: !v) -> !s
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}) {arg_attrs = [{jax.buffer_donor = true}]}
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    %c0 = stablehlo.constant dense<0.0> : tensor<4xf32>
    mpmd.return %c0 : tensor<4xf32>
  } : (!v) -> !s
  return %1 : !s
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!s = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// Outputs are taken in the order of operands and of outputs.
// CHECK-LABEL: func.func public @first_compatible_output
func.func public @first_compatible_output(%arg0: !v) -> (!s, !v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0:3 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v, !v)
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>
  // CHECK-SAME: {arg_attrs = [{tf.aliasing_output = 1 : i32}, {tf.aliasing_output = 2 : i32}, {jax.buffer_donor = true}]}
  %1:3 = mpmd.fragment<mesh="m", origin=["g"]> (%0#0, %0#1, %0#2) (%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) {
    %c0 = stablehlo.constant dense<0.0> : tensor<4xf32>
    mpmd.return %c0, %a, %a : tensor<4xf32>, tensor<8xf32>, tensor<8xf32>
  } : (!v, !v, !v) -> (!s, !v, !v)
  return %1#0, %1#1, %1#2 : !s, !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @last_use_only
func.func public @last_use_only(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}) (%
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["h"]> (%{{.*}}) {arg_attrs = [{tf.aliasing_output = 0 : i32}]}
  %2 = mpmd.fragment<mesh="m", origin=["h"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1, %2 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// The last use of a returned value is the return.
// CHECK-LABEL: func.func public @returned
func.func public @returned(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}) (%
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Only the last of several operands is marked.
// CHECK-LABEL: func.func public @used_twice_by_one_fragment
func.func public @used_twice_by_one_fragment(%arg0: !v) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}, %{{.*}}) {arg_attrs = [{}, {tf.aliasing_output = 0 : i32}]}
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0, %0) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w", tensor<8xf32>>

// A value that a transfer uses is not marked, wherever the transfer is.
// CHECK-LABEL: func.func public @transferred
func.func public @transferred(%arg0: !v) -> (!w, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"w": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.transfer %0 : (!v) -> !w
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}) (%
  %2 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %1, %2 : !w, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!h = !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="pinned_host">

// An operand with the attribute is not marked, but one with the memory kind in its type is.
// CHECK-LABEL: func.func public @operand_on_host
func.func public @operand_on_host(%arg0: !v, %arg1: !h {jax.buffer_donor = true}) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>
  // CHECK-SAME: {arg_attrs = [{mhlo.memory_kind = "pinned_host"}, {jax.buffer_donor = true}]}
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0, %arg1) {arg_attrs = [{mhlo.memory_kind = "pinned_host"}, {}]} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !h) -> !v
  return %1 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @output_on_host
func.func public @output_on_host(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>
  // CHECK-SAME: {arg_attrs = [{tf.aliasing_output = 1 : i32}], res_attrs
  %1:2 = mpmd.fragment<mesh="m", origin=["g"]> (%0) {res_attrs = [{mhlo.memory_kind = "pinned_host"}, {mhlo.memory_kind = "device"}]} (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  return %1#0, %1#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// An argument with `jax.buffer_donor` is donated, even if it has `tf.aliasing_output` too.
// CHECK-LABEL: func.func public @donor_argument
func.func public @donor_argument(%arg0: !v {jax.buffer_donor = true}, %arg1: !v {jax.buffer_donor = true, tf.aliasing_output = 0 : i32}) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) {arg_attrs = [{jax.buffer_donor = true}, {jax.buffer_donor = true}]}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// `false` is the same as no attribute.
// CHECK-LABEL: func.func public @donor_argument_false
func.func public @donor_argument_false(%arg0: !v {jax.buffer_donor = false}, %arg1: !v {jax.buffer_donor = false, tf.aliasing_output = 0 : i32}) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) {arg_attrs = [{}, {tf.aliasing_output = 0 : i32}]}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v, !v) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// The output that is result 1 of the function comes first.
// CHECK-LABEL: func.func public @aliased_argument
func.func public @aliased_argument(%arg0: !v {tf.aliasing_output = 1 : i32}) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{tf.aliasing_output = 1 : i32}]}
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  return %0#0, %0#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w", tensor<8xf32>>

// CHECK-LABEL: func.func public @aliased_argument_through_transfers
func.func public @aliased_argument_through_transfers(%arg0: !v {tf.aliasing_output = 1 : i32}) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"w": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{tf.aliasing_output = 1 : i32}]}
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  %1 = mpmd.transfer %0#1 : (!v) -> !w
  %2 = mpmd.transfer %1 : (!w) -> !v
  return %0#0, %2 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// A fragment in between makes it another value, which takes the first compatible output.
// CHECK-LABEL: func.func public @aliased_argument_not_through_fragments
func.func public @aliased_argument_not_through_fragments(%arg0: !v {tf.aliasing_output = 1 : i32}) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{tf.aliasing_output = 0 : i32}]}
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0#1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0#0, %1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// If its output is taken, it gets the first one that is free.
// CHECK-LABEL: func.func public @aliased_argument_taken
func.func public @aliased_argument_taken(%arg0: !v {tf.aliasing_output = 1 : i32}, %arg1: !v {tf.aliasing_output = 1 : i32}, %arg2: !v {tf.aliasing_output = 1 : i32}) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>
  // CHECK-SAME: {arg_attrs = [{tf.aliasing_output = 1 : i32}, {tf.aliasing_output = 0 : i32}, {jax.buffer_donor = true}]}
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1, %arg2) (%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v, !v, !v) -> (!v, !v)
  return %0#0, %0#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!s = !mpmd.mesh_tensor<"m", tensor<4xf32>>

// CHECK-LABEL: func.func public @aliased_argument_incompatible
func.func public @aliased_argument_incompatible(%arg0: !s {tf.aliasing_output = 0 : i32}) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{jax.buffer_donor = true}]}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<4xf32>) {
    %c0 = stablehlo.constant dense<0.0> : tensor<8xf32>
    mpmd.return %c0 : tensor<8xf32>
  } : (!s) -> !v
  return %0 : !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!sh = !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@m, [{"x"}]>>
sdy.mesh @m = <["x"=2]>

// Types are equal only if their shardings are.
// CHECK-LABEL: func.func public @shardings_differ
func.func public @shardings_differ(%arg0: !v) -> (!sh, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}) {arg_attrs = [{tf.aliasing_output = 1 : i32}]}
  %1:2 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!sh, !v)
  return %1#0, %1#1 : !sh, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// An absent layout differs from the default layout.
// CHECK-LABEL: func.func public @layouts_differ
func.func public @layouts_differ(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]>
  // CHECK-SAME: {arg_attrs = [{jax.buffer_donor = true}, {mhlo.layout_mode = "{0}", tf.aliasing_output = 1 : i32}]
  %1:2 = mpmd.fragment<mesh="m", origin=["g"]> (%0#0, %0#1) {arg_attrs = [{}, {mhlo.layout_mode = "{0}"}], res_attrs = [{mhlo.layout_mode = "default"}, {mhlo.layout_mode = "{0}"}]} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v, !v) -> (!v, !v)
  return %1#0, %1#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// CHECK-LABEL: func.func public @aliased_argument_layout
func.func public @aliased_argument_layout(%arg0: !v {tf.aliasing_output = 0 : i32}) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]>
  // CHECK-SAME: {arg_attrs = [{mhlo.layout_mode = "{0}", tf.aliasing_output = 1 : i32}]
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{mhlo.layout_mode = "{0}"}], res_attrs = [{}, {mhlo.layout_mode = "{0}"}]} (%a: tensor<8xf32>) {
    mpmd.return %a, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v) -> (!v, !v)
  return %0#0, %0#1 : !v, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Private functions are marked too.
// CHECK-LABEL: func.func private @private
func.func private @private(%arg0: !v {jax.buffer_donor = true}) -> !v
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{jax.buffer_donor = true}]}
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}

// -----

// A function without a topology is not a program.
// CHECK-LABEL: func.func @no_topology
func.func @no_topology(%arg0: tensor<8xf32> {jax.buffer_donor = true}) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.add
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!w = !mpmd.mesh_tensor<"w", tensor<8xf32>>

// CHECK-LABEL: func.func public @transferred_argument
func.func public @transferred_argument(%arg0: !v {jax.buffer_donor = true}) -> (!w, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>, <"w": <["x"=2]>>>} {
  %0 = mpmd.transfer %arg0 : (!v) -> !w
  // CHECK: mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !w, !v
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// The use in the loop is the last one.
// CHECK-LABEL: func.func private @used_in_a_loop
func.func private @used_in_a_loop(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  // CHECK: mpmd.fragment<mesh="m", origin=["g"]> (%{{.*}}) (%
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %2 = mpmd.for (%1) {iterations = 2 : ui32} (%i: !v, %index: tensor<ui32>) {
    %3 = mpmd.fragment<mesh="m", origin=["h"]> (%0, %i) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
      mpmd.return %a : tensor<8xf32>
    } : (!v, !v) -> !v
    mpmd.return %3 : !v
  } : !v
  return %1, %2 : !v, !v
}
