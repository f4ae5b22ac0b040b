// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -sdy-remove-size-one-axes 2>&1 | FileCheck %s

// Meshes keep their axes.
// CHECK:       sdy.mesh @mesh = <["a"=1, "x"=2, "b"=1, "y"=4]>
// CHECK-NEXT:  sdy.mesh @ones = <["a"=1, "b"=1]>
// CHECK-NEXT:  sdy.mesh @permuted = <["a"=1, "x"=2], device_ids=[1, 0]>
// CHECK-LABEL: func.func @dimensions
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>}
// CHECK-SAME:    %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y":(2)2}]>}
// CHECK-SAME:    %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ones, [{}, {?}]>}
// CHECK-SAME:    -> (tensor<8x8xf32> {jax.info = "r", sdy.sharding = #sdy.sharding<@permuted, [{"x"}, {}]>})
sdy.mesh @mesh = <["a"=1, "x"=2, "b"=1, "y"=4]>
sdy.mesh @ones = <["a"=1, "b"=1]>
sdy.mesh @permuted = <["a"=1, "x"=2], device_ids=[1, 0]>
func.func @dimensions(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", "x"}]>},
    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "a"}, {"y", "b", ?}]>},
    %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {"y":(2)2}]>},
    %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ones, [{"b", "a"}, {?}]>})
    -> (tensor<8x8xf32> {jax.info = "r", sdy.sharding = #sdy.sharding<@permuted, [{"x", "a"}, {}]>}) {
  return %arg0 : tensor<8x8xf32>
}

// -----

// A closed dimension that becomes empty loses its priority.
// CHECK-LABEL: func.func @priorities
// CHECK-SAME:    #sdy.sharding<@mesh, [{}, {?}p1, {"x"}p2, {?}p3]>
sdy.mesh @mesh = <["a"=1, "x"=2, "b"=1]>
func.func @priorities(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p0, {"b", ?}p1, {"x"}p2, {?}p3]>}) {
  return
}

// -----

// CHECK-LABEL: func.func @replicated_and_unreduced
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}, unreduced={"y":(1)2}>}
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
sdy.mesh @mesh = <["a"=1, "x"=2, "b"=1, "y"=4]>
func.func @replicated_and_unreduced(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"a", "x"}, unreduced={"b", "y":(1)2}>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"a"}, unreduced={"b"}>}) {
  return
}

// -----

// Every attribute that holds a sharding. Manual axes stay.
// CHECK-LABEL: func.func @places
sdy.mesh @mesh = <["a"=1, "x"=2]>
func.func @places(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: %[[V:.*]]:2 = "foo.op"() {foo.x = #sdy.sharding<@mesh, [{"a"}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"x"}]>]>}
  %0:2 = "foo.op"() {foo.x = #sdy.sharding<@mesh, [{"a"}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"a", "x"}]>]>} : () -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK-NEXT: sdy.sharding_constraint %arg0 <@mesh, [{"x"}]>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x", "a"}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{?}]>
  %2 = sdy.reshard %arg0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.all_slice [{"x"}] %[[V]]#0 out_sharding=<@mesh, [{"x"}]>
  %3 = sdy.all_slice [{"x"}] %0#0 out_sharding=<@mesh, [{"a", "x"}]> : tensor<8xf32>
  // CHECK-NEXT: stablehlo.optimization_barrier
  %4 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  // CHECK-NEXT: sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{}]>
  %5 = sdy.data_flow_edge %4 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.named_computation<"foo">(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>]
  %6 = sdy.named_computation<"foo">(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"x", "a"}]>] (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK:      sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"a", "x"}
  %7 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", "x"}]>] out_shardings=[<@mesh, [{"x"}], replicated={"a"}>] manual_axes={"a", "x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Inlined meshes too, if there is a `sdy.mesh` with an axis of size 1.
// CHECK-LABEL: func.func @inlined
// CHECK-SAME:    #sdy.sharding<mesh<["i"=1, "x"=2]>, [{"x"}]>
sdy.mesh @other = <["a"=1]>
func.func @inlined(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["i"=1, "x"=2]>, [{"x", "i"}]>}) {
  return
}

// -----

// CHECK-LABEL: func.func @inlined_alone
// CHECK-SAME:    #sdy.sharding<mesh<["i"=1, "x"=2]>, [{"x", "i"}]>
sdy.mesh @other = <["x"=2]>
func.func @inlined_alone(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["i"=1, "x"=2]>, [{"x", "i"}]>}) {
  return
}

// -----

// Meshes of a nested module are ignored.
// CHECK-LABEL: func.func @outer
// CHECK:         func.func @in_nested
// CHECK-SAME:      #sdy.sharding<@inner, [{"a", "x"}]>
sdy.mesh @other = <["a"=1]>
func.func @outer() {
  return
}
module @nested {
  sdy.mesh @inner = <["a"=1, "x"=2]>
  func.func @in_nested(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@inner, [{"a", "x"}]>}) {
    return
  }
}

// -----

// Arguments of declarations.
// CHECK:       func.func private @declared(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
sdy.mesh @mesh = <["a"=1]>
func.func private @declared(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})

// -----

// Nothing to remove.
// CHECK-LABEL: func.func @no_change
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1]>}
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal, []>}
sdy.mesh @mesh = <["a"=1, "x"=2]>
sdy.mesh @maximal = <[], device_ids=[3]>
func.func @no_change(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal, []>}) {
  return
}
