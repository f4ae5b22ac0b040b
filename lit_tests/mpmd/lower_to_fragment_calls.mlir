// RUN: mpmd-opt %s -split-input-file -allow-unregistered-dialect -mpmd-lower-to-fragment-calls | FileCheck %s

// Equivalent fragments share a function. It is appended, is public, and has the mesh of the first
// fragment.
// CHECK-LABEL: func.func @alike
// CHECK-SAME:    %[[ARG:.*]]: !mpmd
// CHECK-NEXT:    %[[CALL:.*]] = mpmd.fragment_call<mesh="m", origin=["f"]> @f(%[[ARG]]) : (!mpmd.mesh_tensor<"m", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>>
// CHECK-NEXT:    %[[SECOND:.*]] = mpmd.fragment_call<mesh="m", origin=["g"]> @f(%[[CALL]])
// CHECK-NEXT:    return %[[SECOND]]
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @other()
// CHECK-NEXT:  func.func @f(%[[IN:.*]]: tensor<8xf32>) -> tensor<8xf32> attributes {mesh_shape = #sdy.mesh<["x"=2]>} {
// CHECK-NEXT:    %[[SINE:.*]] = stablehlo.sine %[[IN]] : tensor<8xf32>
// CHECK-NEXT:    return %[[SINE]] : tensor<8xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  }
#t = #mpmd.topology<<"n": <["y"=4]>>, <"m": <["x"=2]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @alike(%arg0: !v) -> !v attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %2 = stablehlo.sine %a : tensor<8xf32>
    mpmd.return %2 : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["g"]> (%0) (%b: tensor<8xf32>) {
    %3 = stablehlo.sine %b : tensor<8xf32>
    mpmd.return %3 : tensor<8xf32>
  } : (!v) -> !v
  return %1 : !v
}
func.func private @other()

// -----

// Bodies are not equivalent if they differ in an attribute, a type, or the order of arguments or
// results.
// CHECK-LABEL: func.func @bodies
// CHECK-COUNT-6: mpmd.fragment_call
// CHECK:      func.func @add(%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-NEXT:   stablehlo.subtract %[[A]], %[[B]]
// CHECK:      func.func @swapped_arguments(%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-NEXT:   stablehlo.subtract %[[B]], %[[A]]
// CHECK:      func.func @results
// CHECK:        return %[[A]], %[[B]]
// CHECK:      func.func @swapped_results
// CHECK:        return %[[B]], %[[A]]
// CHECK:      func.func @attribute
// CHECK:      func.func @other_attribute
#t = #mpmd.topology<<"m": <["x"=2]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @bodies(%arg0: !v, %arg1: !v) attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["add"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    %c = stablehlo.subtract %a, %b : tensor<8xf32>
    mpmd.return %c : tensor<8xf32>
  } : (!v, !v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["swapped_arguments"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    %c = stablehlo.subtract %b, %a : tensor<8xf32>
    mpmd.return %c : tensor<8xf32>
  } : (!v, !v) -> !v
  %2:2 = mpmd.fragment<mesh="m", origin=["results"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %a, %b : tensor<8xf32>, tensor<8xf32>
  } : (!v, !v) -> (!v, !v)
  %3:2 = mpmd.fragment<mesh="m", origin=["swapped_results"]> (%arg0, %arg1) (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %b, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v, !v) -> (!v, !v)
  mpmd.fragment<mesh="m", origin=["attribute"]> () () {
    "test.op"() {foo = 1} : () -> ()
    mpmd.return
  } : () -> ()
  mpmd.fragment<mesh="m", origin=["other_attribute"]> () () {
    "test.op"() {foo = 2} : () -> ()
    mpmd.return
  } : () -> ()
  return
}

// -----

// Ops in regions are compared too, with values from outer regions and later blocks.
// CHECK-LABEL: func.func @regions
// CHECK-NEXT:    @f(
// CHECK-NEXT:    @g(
// CHECK-NEXT:    @f(
// CHECK-NEXT:    @i(
// CHECK-NEXT:    @j(
// CHECK-NEXT:    @i(
#t = #mpmd.topology<<"m": <["x"=2]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @regions(%arg0: !v) attributes {topology = #t} {
  mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    "test.loop"() ({
      ^bb0(%b: tensor<8xf32>):
        "test.op"(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> ()
    }) : () -> ()
    mpmd.return
  } : (!v) -> ()
  mpmd.fragment<mesh="m", origin=["g"]> (%arg0) (%a: tensor<8xf32>) {
    "test.loop"() ({
      ^bb0(%b: tensor<8xf32>):
        "test.op"(%b, %a) : (tensor<8xf32>, tensor<8xf32>) -> ()
    }) : () -> ()
    mpmd.return
  } : (!v) -> ()
  mpmd.fragment<mesh="m", origin=["h"]> (%arg0) (%b: tensor<8xf32>) {
    "test.loop"() ({
      ^bb0(%a: tensor<8xf32>):
        "test.op"(%b, %a) : (tensor<8xf32>, tensor<8xf32>) -> ()
    }) : () -> ()
    mpmd.return
  } : (!v) -> ()
  mpmd.fragment<mesh="m", origin=["i"]> (%arg0) (%a: tensor<8xf32>) {
    "test.branches"() ({
        "test.branch"()[^bb1, ^bb2] : () -> ()
      ^bb1:
        "test.end"() : () -> ()
      ^bb2:
        "test.end"() : () -> ()
    }) : () -> ()
    mpmd.return
  } : (!v) -> ()
  mpmd.fragment<mesh="m", origin=["j"]> (%arg0) (%a: tensor<8xf32>) {
    "test.branches"() ({
        "test.branch"()[^bb2, ^bb1] : () -> ()
      ^bb1:
        "test.end"() : () -> ()
      ^bb2:
        "test.end"() : () -> ()
    }) : () -> ()
    mpmd.return
  } : (!v) -> ()
  mpmd.fragment<mesh="m", origin=["k"]> (%arg0) (%a: tensor<8xf32>) {
    "test.branches"() ({
        "test.branch"()[^bb5, ^bb4] : () -> ()
      ^bb5:
        "test.end"() : () -> ()
      ^bb4:
        "test.end"() : () -> ()
    }) : () -> ()
    mpmd.return
  } : (!v) -> ()
  return
}

// -----

// Fragments with different meshes, `arg_attrs` or `res_attrs` do not share a function. Absent
// attributes differ from empty ones. Operand and result types, stages and other attributes do not
// matter. Calls keep the mesh, the origin and `remat`.
// CHECK-LABEL: func.func @separate
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f(%{{.*}}) :
// CHECK-NEXT:    mpmd.fragment_call<mesh="n", origin=["f"]> @f_1(%{{.*}}) :
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f_2(%{{.*}}) :
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f_3(%{{.*}}) :
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"]> @f_4(%{{.*}}) :
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=["f"(1)]> @f(%{{.*}}) : (!mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="pinned_host">
// CHECK-NEXT:    mpmd.fragment_call<mesh="m", origin=[]> @f(%{{.*}}) {remat} :
// CHECK:       func.func @f(%{{.*}}: tensor<8xf32>) -> tensor<8xf32> attributes
// CHECK:       func.func @f_1
// CHECK-SAME:    mesh_shape = #sdy.mesh<["y"=4]>
// CHECK:       func.func @f_2(%{{.*}}: tensor<8xf32>) -> tensor<8xf32> attributes
// CHECK:       func.func @f_3(%{{.*}}: tensor<8xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8xf32> attributes
// CHECK:       func.func @f_4(%{{.*}}: tensor<8xf32>) -> (tensor<8xf32> {mhlo.layout_mode = "auto"}) attributes
#t = #mpmd.topology<<"m": <["x"=2]>>, <"n": <["y"=4]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!n = !mpmd.mesh_tensor<"n", tensor<8xf32>>
!sharded = !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>
!host = !mpmd.mesh_tensor<"m", tensor<8xf32>, memory_kind="pinned_host">
sdy.mesh @mesh = <["x"=2]>
func.func @separate(%arg0: !v, %arg1: !n, %arg2: !sharded) attributes {topology = #t} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="n", origin=["f"]> (%arg1) (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!n) -> !n
  %2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{}]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %3 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {arg_attrs = [{tf.aliasing_output = 0 : i32}]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %4 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) {res_attrs = [{mhlo.layout_mode = "auto"}]} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %5 = mpmd.fragment<mesh="m", origin=["f"(1)], stage=3> (%arg2) {call_counter = 3 : ui32, mhlo.foo} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!sharded) -> !host
  %6 = mpmd.fragment<mesh="m", origin=[]> (%arg0) {remat = "yes"} (%a: tensor<8xf32>) {
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return
}

// -----

// The shardings in the types of the first fragment are added to the attributes.
// CHECK-LABEL: func.func @shardings
// CHECK:       func.func @f(%{{.*}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %{{.*}}: tensor<8xf32> {jax.buffer_donor = true})
// CHECK-SAME:    -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
#t = #mpmd.topology<<"m": <["x"=2]>>>
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
!sharded = !mpmd.mesh_tensor<"m", tensor<8xf32>, sharding=<@mesh, [{"x"}]>>
sdy.mesh @mesh = <["x"=2]>
func.func @shardings(%arg0: !sharded, %arg1: !v) attributes {topology = #t} {
  %0:2 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0, %arg1) {arg_attrs = [{}, {jax.buffer_donor = true}]} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %b, %a : tensor<8xf32>, tensor<8xf32>
  } : (!sharded, !v) -> (!v, !sharded)
  %1:2 = mpmd.fragment<mesh="m", origin=["g"]> (%arg1, %arg1) {arg_attrs = [{}, {jax.buffer_donor = true}]} (%a: tensor<8xf32>, %b: tensor<8xf32>) {
    mpmd.return %b, %a : tensor<8xf32>, tensor<8xf32>
  } : (!v, !v) -> (!v, !v)
  return
}

// -----

!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>

// Bodies that differ only in the type of an unused result.
// CHECK-LABEL: func.func public @unused_result
func.func public @unused_result(%arg0: !v) -> (!v, !v)
    attributes {topology = #mpmd.topology<<"m": <["x"=2]>>>} {
  // CHECK: @f(%arg0)
  // CHECK: @f_1(%arg0)
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %2 = stablehlo.custom_call @foo(%a) : (tensor<8xf32>) -> tensor<8xf32>
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  %1 = mpmd.fragment<mesh="m", origin=["f"]> (%arg0) (%a: tensor<8xf32>) {
    %2 = stablehlo.custom_call @foo(%a) : (tensor<8xf32>) -> tensor<4xf32>
    mpmd.return %a : tensor<8xf32>
  } : (!v) -> !v
  return %0, %1 : !v, !v
}
