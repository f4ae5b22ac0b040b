// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -sdy-lift-inlined-meshes 2>&1 | FileCheck %s

// One op for each distinct mesh, at the start of the module. Order: arguments, results,
// body.
// CHECK:       module {
// CHECK-NEXT:    sdy.mesh @[[A:.*]] = <["a"=2]>
// CHECK-NEXT:    sdy.mesh @[[B:.*]] = <["b"=2]>
// CHECK-NEXT:    sdy.mesh @[[C:.*]] = <["c"=2]>
// CHECK-NEXT:    sdy.mesh @[[D:.*]] = <["d"=2]>
// CHECK-NEXT:    func.func @order
// CHECK-SAME:      (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@[[A]], [{"a"}]>}
// CHECK-SAME:      %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@[[B]], [{"b"}]>}
// CHECK-SAME:      -> (tensor<8xf32> {jax.info = "r", sdy.sharding = #sdy.sharding<@[[C]], [{"c"}]>})
func.func @order(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["b"=2]>, [{"b"}]>})
    -> (tensor<8xf32> {jax.info = "r", sdy.sharding = #sdy.sharding<mesh<["c"=2]>, [{"c"}]>}) {
  // CHECK-NEXT: stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@[[D]], [{"d"}]>]>}
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["d"=2]>, [{"d"}]>]>} : tensor<8xf32>
  // CHECK-NEXT: stablehlo.add %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@[[A]], [{?}]>]>}
  %1 = stablehlo.add %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["a"=2]>, [{?}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The first free name, and new ops after the last one.
// CHECK:       func.func @existing
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@given, [{"x"}]>}
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}
// CHECK-SAME:    %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"z"}]>}
// CHECK:       sdy.mesh @given = <["x"=2]>
// CHECK-NEXT:  sdy.mesh @mesh = <["y"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_0 = <["z"=2]>
// CHECK-NEXT:  func.func private @after()
func.func @existing(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2]>, [{"y"}]>},
    %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=2]>, [{"z"}]>}) {
  return
}
sdy.mesh @given = <["x"=2]>
func.func private @after()

// -----

// Names by the kind of the mesh.
// CHECK:       sdy.mesh @maximal_mesh_5 = <[], device_ids=[5]>
// CHECK-NEXT:  sdy.mesh @empty_mesh = <[]>
// CHECK-NEXT:  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
// CHECK-NEXT:  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
// CHECK-LABEL: func.func @kinds
func.func @kinds(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: <@maximal_mesh_5, []>, <@empty_mesh, [{}]>
  %0:2 = stablehlo.custom_call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[5]>, []>, <mesh<[]>, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK-NEXT: <@mesh, [{"x"}]>
  %1 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>]>} : tensor<8xf32>
  // CHECK-NEXT: stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>}
  %2 = stablehlo.create_token {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[0]>, []>]>} : !stablehlo.token
  return
}

// -----

// A symbol of any kind takes a name. A number is appended to a taken name; numbers go up,
// whatever the name.
// CHECK:       sdy.mesh @mesh_0 = <["x"=2]>
// CHECK-NEXT:  sdy.mesh @maximal_mesh_3_1 = <[], device_ids=[3]>
// CHECK-NEXT:  sdy.mesh @mesh_3 = <["y"=2]>
// CHECK-NEXT:  func.func private @mesh()
// CHECK-NEXT:  module @maximal_mesh_3 {
// CHECK:       func.func private @mesh_2()
// CHECK-LABEL: func.func @taken
// CHECK-SAME:    @mesh_0
// CHECK-SAME:    @maximal_mesh_3_1
// CHECK-SAME:    @mesh_3
func.func private @mesh()
module @maximal_mesh_3 {}
func.func private @mesh_2()
func.func @taken(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>},
    %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2]>, [{"y"}]>}) {
  return
}

// -----

// Of equal ops the first stays. The name of another can be used again: references
// to the old op get the name of the one that stays, in one step.
// CHECK:       module {
// CHECK-NEXT:    sdy.mesh @first = <["x"=2]>
// CHECK-NEXT:    sdy.mesh @mesh = <["y"=2]>
// CHECK-NEXT:    func.func @merged
// CHECK-SAME:      %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@first, [{"x"}]>}
// CHECK-SAME:      %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}
// CHECK-SAME:      %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@first, [{?}]>}
// CHECK-NEXT:      return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
sdy.mesh @first = <["x"=2]>
func.func @merged(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2]>, [{"y"}]>},
    %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@again, [{?}]>}) {
  return
}
sdy.mesh @mesh = <["x"=2], device_ids=[0, 1]>
sdy.mesh @again = <["x"=2]>

// -----

// Meshes that differ in the order of axes or devices are not equal.
// CHECK:       sdy.mesh @a = <["x"=2, "y"=2]>
// CHECK-NEXT:  sdy.mesh @b = <["y"=2, "x"=2]>
// CHECK-NEXT:  sdy.mesh @c = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
// CHECK-NEXT:  func.func @distinct
// CHECK-SAME:    @a, [{"x"}], replicated={"y"}>
// CHECK-SAME:    @b, [{"x"}], unreduced={"y"}>
// CHECK-SAME:    @c, [{"x", ?}p1]>
sdy.mesh @a = <["x"=2, "y"=2]>
sdy.mesh @b = <["y"=2, "x"=2]>
sdy.mesh @c = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @distinct(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}], replicated={"y"}>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2, "x"=2]>, [{"x"}], unreduced={"y"}>},
    %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>, [{"x", ?}p1]>}) {
  return
}

// -----

// Names that need quotes.
// CHECK:       sdy.mesh @"odd \22name\22" = <["an axis"=2]>
// CHECK-LABEL: func.func @odd_names
// CHECK-SAME:    #sdy.sharding<@"odd \22name\22", [{"an axis"}]>
sdy.mesh @"odd \22name\22" = <["an axis"=2]>
func.func @odd_names(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["an axis"=2]>, [{"an axis"}]>}) {
  return
}

// -----

// Ops with an attribute for the sharding of their result.
// CHECK-LABEL: func.func @own_shardings
func.func @own_shardings(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: sdy.sharding_constraint %arg0 <@mesh, [{"x"}]>
  %0 = sdy.sharding_constraint %arg0 <mesh<["x"=2]>, [{"x"}]> : tensor<8xf32>
  // CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"x"}]>
  %1 = sdy.reshard %arg0 <mesh<["x"=2]>, [{"x"}]> : tensor<8xf32>
  // CHECK-NEXT: %[[BARRIER:.*]] = stablehlo.optimization_barrier
  %2 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  // CHECK-NEXT: sdy.data_flow_edge %[[BARRIER]] sharding=<@mesh, [{"x"}]>
  %3 = sdy.data_flow_edge %2 sharding=<mesh<["x"=2]>, [{"x"}]> : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @collectives
func.func @collectives(%arg0: tensor<8x8xf32>) {
  // CHECK-NEXT: stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=2]>, [{"x"}, {}]>]>} : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_gather {{.*}} out_sharding=<@mesh, [{}, {}]>
  %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_slice {{.*}} out_sharding=<@mesh, [{"y"}, {}]>
  %2 = sdy.all_slice [{"y"}, {}] %1 out_sharding=<mesh<["x"=2, "y"=2]>, [{"y"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.collective_permute {{.*}} out_sharding=<@mesh, [{"x"}, {}]>
  %3 = sdy.collective_permute %2 out_sharding=<mesh<["x"=2, "y"=2]>, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_to_all {{.*}} out_sharding=<@mesh, [{}, {"x"}]>
  %4 = sdy.all_to_all [{"x"}: 0->1] %3 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.all_reduce {{.*}} out_sharding=<@mesh, [{}, {"x"}]>
  %5 = sdy.all_reduce {"y"} %4 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.reduce_scatter {{.*}} out_sharding=<@mesh, [{}, {"x", "y"}]>
  %6 = sdy.reduce_scatter [{}, {"y"}] %5 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"x", "y"}]> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.sharded_to_unreduced {{.*}} out_sharding=<@mesh, [{}, {"x"}], unreduced={"y"}>
  %7 = sdy.sharded_to_unreduced [{}, {"y"}] %6 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  // CHECK-NEXT: sdy.replicated_to_unreduced {{.*}} out_sharding=<@mesh, [{}, {"x"}], unreduced={"y"}>
  %8 = sdy.replicated_to_unreduced {"y"} %4 out_sharding=<mesh<["x"=2, "y"=2]>, [{}, {"x"}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// -----

// In, out, then the region; an op before its regions.
// CHECK:       sdy.mesh @mesh = <["in0"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_0 = <["in1"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_1 = <["out"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_2 = <["outer"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_3 = <["inner"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_4 = <["in2"=2]>
// CHECK-LABEL: func.func @regions
func.func @regions(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: sdy.manual_computation(%arg0, %arg0) in_shardings=[<@mesh, [{}]>, <@mesh_0, [{}]>] out_shardings=[<@mesh_1, [{}]>]
  %0 = sdy.manual_computation(%arg0, %arg0)
      in_shardings=[<mesh<["in0"=2]>, [{}]>, <mesh<["in1"=2]>, [{}]>]
      out_shardings=[<mesh<["out"=2]>, [{}]>] manual_axes={} (%arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    // CHECK-NEXT: %[[INDEX:.*]] = stablehlo.constant
    // CHECK-NEXT: "stablehlo.case"(%[[INDEX]])
    %index = stablehlo.constant dense<0> : tensor<i32>
    %1 = "stablehlo.case"(%index) ({
      // CHECK-NEXT: {sdy.sharding = #sdy.sharding_per_value<[<@mesh_3, [{}]>]>}
      %2 = stablehlo.abs %arg2 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["inner"=2]>, [{}]>]>} : tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    // CHECK: {sdy.sharding = #sdy.sharding_per_value<[<@mesh_2, [{}]>]>}
    }) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["outer"=2]>, [{}]>]>} : (tensor<i32>) -> tensor<8xf32>
    // CHECK: sdy.named_computation<"foo">(%{{.*}}) in_shardings=[<@mesh_4, [{}]>] out_shardings=[<@mesh, [{}]>]
    %3 = sdy.named_computation<"foo">(%1) in_shardings=[<mesh<["in2"=2]>, [{}]>] out_shardings=[<mesh<["in0"=2]>, [{}]>] (%arg4: tensor<8xf32>) {
      sdy.return %arg4 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK: sdy.named_computation<"bar">(%{{.*}}) out_shardings=[<@mesh, [{}]>]
    %4 = sdy.named_computation<"bar">(%1) out_shardings=[<mesh<["in0"=2]>, [{}]>] (%arg4: tensor<8xf32>) {
      sdy.return %arg4 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Nested manual computations, bound axes included.
// CHECK-LABEL: func.func @nested_manual
// CHECK-NEXT:    in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"}
// CHECK-NEXT:    in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"}
func.func @nested_manual(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<mesh<["a"=2, "b"=2]>, [{"a"}]>] out_shardings=[<mesh<["a"=2, "b"=2]>, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    %1 = sdy.manual_computation(%arg1) in_shardings=[<mesh<["a"=2, "b"=2]>, [{"b"}]>] out_shardings=[<mesh<["a"=2, "b"=2]>, [{"b"}]>] manual_axes={"b"} (%arg2: tensor<2xf32>) {
      sdy.return %arg2 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Blocks that cannot be reached, unregistered ops, calls, declarations.
// CHECK:       sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @anywhere
func.func @anywhere(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: call @declared(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  %0 = call @declared(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  cf.br ^bb2
^bb1:
  // CHECK:      "foo.op"() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  %1 = "foo.op"() {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} : () -> tensor<8xf32>
  cf.br ^bb2
^bb2:
  return
}
// CHECK:       func.func private @declared(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// CHECK-SAME:      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
func.func private @declared(tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{?}]>})

// -----

// MPMD fragments have shardings as computations have.
// CHECK-LABEL: func.func @fragment
// CHECK:         in_shardings=[<@mesh, [{"x"}]>], out_shardings=[<@mesh, [{?}]>]
func.func @fragment(%arg0: !mpmd.mesh_tensor<"m", tensor<8xf32>>) attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"], in_shardings=[<mesh<["x"=2]>, [{"x"}]>], out_shardings=[<mesh<["x"=2]>, [{?}]>]> (%arg0) (%arg1: tensor<8xf32>) {
    %1 = stablehlo.abs %arg1 : tensor<8xf32>
    mpmd.return %1 : tensor<8xf32>
  } : (!mpmd.mesh_tensor<"m", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>>
  return
}

// -----

// Nothing else is a sharding: other attributes, and a `sdy.sharding` on an op that has
// its shardings elsewhere. Of two equal meshes these may refer to the one that is erased.
// CHECK:       sdy.mesh @kept = <["x"=2]>
// CHECK-NOT:   sdy.mesh
// CHECK-LABEL: func.func @not_shardings
// CHECK-SAME:    {foo.a = #sdy.sharding<mesh<["u"=2]>, [{"u"}]>}
// CHECK-SAME:    attributes {foo.b = #sdy.sharding<mesh<["u"=2]>, [{"u"}]>}
sdy.mesh @kept = <["x"=2]>
sdy.mesh @gone = <["x"=2]>
func.func @not_shardings(%arg0: tensor<8xf32> {foo.a = #sdy.sharding<mesh<["u"=2]>, [{"u"}]>})
    attributes {foo.b = #sdy.sharding<mesh<["u"=2]>, [{"u"}]>} {
  // CHECK-NEXT: foo.c = #sdy.sharding<@gone, [{"x"}]>
  %0 = stablehlo.abs %arg0 {foo.c = #sdy.sharding<@gone, [{"x"}]>} : tensor<8xf32>
  // CHECK-NEXT: sdy.sharding_constraint %arg0 <@kept, [{"x"}]> {sdy.sharding = #sdy.sharding_per_value<[<mesh<["u"=2]>, [{"u"}]>]>}
  %1 = sdy.sharding_constraint %arg0 <@gone, [{"x"}]> {sdy.sharding = #sdy.sharding_per_value<[<mesh<["u"=2]>, [{"u"}]>]>} : tensor<8xf32>
  // CHECK-NEXT: "foo.op"() {in_shardings = #sdy.sharding_per_value<[<mesh<["u"=2]>, [{"u"}]>]>, sharding = #sdy.sharding<mesh<["u"=2]>, [{"u"}]>}
  "foo.op"() {in_shardings = #sdy.sharding_per_value<[<mesh<["u"=2]>, [{"u"}]>]>, sharding = #sdy.sharding<mesh<["u"=2]>, [{"u"}]>} : () -> ()
  return
}

// -----

// Meshes of a nested module stay as they are.
// CHECK-LABEL: func.func @outer
// CHECK:         module @inner {
// CHECK-NEXT:      sdy.mesh @a = <["x"=2]>{{$}}
// CHECK-NEXT:      sdy.mesh @b = <["x"=2]>{{$}}
// CHECK-NEXT:      func.func @in_nested(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>})
func.func @outer() {
  return
}
module @inner {
  sdy.mesh @a = <["x"=2]>
  sdy.mesh @b = <["x"=2]>
  func.func @in_nested(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) {
    return
  }
}

// -----

// Every mesh gets its counterpart; one that is there stays.
// CHECK:       sdy.mesh @two = <["x"=2, "y"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 1 : i64}]}}
// CHECK-NEXT:  sdy.mesh @ids = <["x"=2], device_ids=[1, 0]> {foo.x, stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}], device_ids = dense<[1, 0]> : tensor<2xi64>}}
// CHECK-NEXT:  sdy.mesh @maximal = <[], device_ids=[3]> {stablehlo.mesh = {axes = [], device_ids = dense<3> : tensor<1xi64>}}
// CHECK-NEXT:  sdy.mesh @empty = <[]> {stablehlo.mesh = {axes = []}, sym_visibility = "private"}
// CHECK-NEXT:  sdy.mesh @there = <["x"=8]> {stablehlo.mesh = "there"}
// CHECK-NEXT:  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
sdy.mesh @two = <["x"=2, "y"=1]>
sdy.mesh @ids = <["x"=2], device_ids=[1, 0]> {foo.x}
sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @empty = <[]> {sym_visibility = "private"}
sdy.mesh @there = <["x"=8]> {stablehlo.mesh = "there"}
func.func @counterparts(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"x"}]>}) {
  return
}
