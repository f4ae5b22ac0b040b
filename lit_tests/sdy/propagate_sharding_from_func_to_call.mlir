// RUN: sdy-opt %s -split-input-file -sdy-propagate-sharding-from-func-to-call 2>&1 | FileCheck %s

// Shardings of all results, whatever those of the arguments are.
// CHECK-LABEL: func.func @all_results
// CHECK-NEXT:    call @foo(%arg0) {jax.x, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}p1]>, <@mesh, [{?}], replicated={"y"}>]>}
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @all_results(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @foo(%arg0) {jax.x} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// CHECK:       func.func private @foo(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
// CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1]>}, tensor<8xf32> {jax.r, sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"y"}>})
func.func private @foo(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1]>}, tensor<8xf32> {jax.r, sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"y"}>}) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A result without sharding gets an open one, on the mesh of the first that has one.
// CHECK-LABEL: func.func @some_results
// CHECK-NEXT:    call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@b, [{?}, {?}]>, <@b, [{"y"}]>, <@a, [{"x"}]>, <@b, []>, <@b, []>, <@b, [{?}, {?}]>]>}
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["y"=2]>
func.func @some_results() {
  %0:6 = call @foo() : () -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, !stablehlo.token, !mpmd.mesh_tensor<"m", tensor<4x8xf32>>)
  return
}
func.func private @foo() -> (
    tensor<?x8xf32>,
    tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"y"}]>},
    tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>},
    tensor<f32>,
    !stablehlo.token,
    !mpmd.mesh_tensor<"m", tensor<4x8xf32>>)

// -----

// Inlined and empty meshes count as any other.
// CHECK-LABEL: func.func @inlined
// CHECK-NEXT:    call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{?}]>, <mesh<["x"=2]>, [{"x"}]>]>}
// CHECK-NEXT:    call @bar(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@empty, [{}]>, <@empty, [{?}]>]>}
sdy.mesh @empty = <[]>
func.func @inlined(%arg0: tensor<8xf32>) {
  %0:2 = call @foo(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1:2 = call @bar(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
func.func private @foo(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
func.func private @bar(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty, [{}]>}, tensor<8xf32>) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A maximal mesh is not used for other results; if there is no other, the call gets nothing.
// CHECK-LABEL: func.func @maximal
// CHECK-NEXT:    call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@device, []>, <@mesh, [{?}]>, <@mesh, [{"x"}]>]>}
// CHECK-NEXT:    call @bar(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    call @baz(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @device = <[], device_ids=[0]>
func.func @maximal(%arg0: tensor<8xf32>) {
  %0:3 = call @foo(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1 = call @bar(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2:2 = call @baz(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
func.func private @foo(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>}, tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @bar(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>}) {
  return %arg0 : tensor<8xf32>
}
func.func private @baz(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>}) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Calls in regions and unreachable blocks, of public functions, and recursive ones.
// CHECK-LABEL: func.func @anywhere
// CHECK:         "stablehlo.case"
// CHECK-NEXT:    call @anywhere(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// CHECK:       ^bb1
// CHECK-NEXT:    call @anywhere(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
sdy.mesh @mesh = <["x"=2]>
func.func @anywhere(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.case"(%arg1) ({
    %2 = func.call @anywhere(%arg0, %arg1) : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
^bb1:
  %1 = call @anywhere(%arg0, %arg1) : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Functions of a nested module are ignored.
// CHECK-LABEL: func.func @outer
// CHECK:         func.func @in_nested
// CHECK-NEXT:      call @foo() : () -> tensor<8xf32>
func.func @outer() {
  return
}
module @nested {
  sdy.mesh @mesh = <["x"=2]>
  func.func @in_nested() {
    %0 = call @foo() : () -> tensor<8xf32>
    return
  }
  func.func private @foo() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
}

// -----

// A call keeps its shardings; a call of a function without any gets none.
// CHECK-LABEL: func.func @no_change
// CHECK-NEXT:    call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>}
// CHECK-NEXT:    call @bar(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    call @baz(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    call @nothing() : () -> ()
// CHECK-NEXT:    mpmd.call @baq(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
sdy.mesh @mesh = <["x"=2]>
func.func @no_change(%arg0: tensor<8xf32>) {
  %0:2 = call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = call @bar(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @baz(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  call @nothing() : () -> ()
  %3 = mpmd.call @baq(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @foo(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
func.func private @bar(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @baz(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result}) {
  return %arg0 : tensor<8xf32>
}
func.func private @nothing() {
  return
}
func.func private @baq(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<8xf32>
}
