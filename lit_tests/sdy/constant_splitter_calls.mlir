// RUN: sdy-opt %s -split-input-file -sdy-constant-splitter 2>&1 | FileCheck %s

// Each copy of a call calls a clone of its own, at the end of the module.
// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: %[[CALL_1:.*]] = call @foo_0(%[[CONST_1]]) {bar = 1 : i32}
  // CHECK-NEXT: %[[CALL_2:.*]] = call @foo_1(%[[CONST_2]]) {bar = 1 : i32}
  // CHECK-NEXT: return %[[CALL_1]], %[[CALL_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @foo(%0) {bar = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %1 : tensor<8xf32>, tensor<8xf32>
}

// The function stays, whether it is called or not.
// CHECK-LABEL: func.func public @foo(
// CHECK-SAME:    attributes {baz = 2 : i32}
func.func public @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {baz = 2 : i32} {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @last
func.func private @last(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// A clone has the name of its origin, and the same visibility.
// CHECK-LABEL: func.func public @foo_0(
// CHECK-SAME:    attributes {baz = 2 : i32, sdy.original_func_name = "foo"}
// CHECK-NEXT:    stablehlo.negate
// CHECK-LABEL: func.func public @foo_1(
// CHECK-SAME:    attributes {baz = 2 : i32, sdy.original_func_name = "foo"}

// -----

// One use is enough for a clone; a call that is not constant keeps its callee.
// CHECK-LABEL: func.func @one_use
func.func @one_use(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST:.*]] = sdy.constant
  // CHECK-NEXT: %[[CALL:.*]] = call @foo_0(%[[CONST]])
  // CHECK-NEXT: %[[OTHER:.*]] = call @foo(%arg0)
  // CHECK-NEXT: return %[[CALL]], %[[OTHER]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// An unused call is erased.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    return
func.func @unused() {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func private @foo(
// CHECK-NOT:   func.func
func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// The calls in a clone, those in bodies too, call clones that come before it. Numbers
// continue from one name to the next, and only the first origin is kept.
// CHECK-LABEL: func.func @recursive_clones
// CHECK:         call @outer_2(
func.func @recursive_clones() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @outer(
func.func private @outer(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: call @inner(%arg0)
  // CHECK-NEXT: sdy.named_computation
  // CHECK-NEXT:   func.call @inner(
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"foo">(%0) (%arg1: tensor<8xf32>) {
    %2 = func.call @inner(%arg1) : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bar"} {
  return %arg0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @inner_0(
// CHECK-SAME:    sdy.original_func_name = "bar"
// CHECK-LABEL: func.func private @inner_1(
// CHECK-SAME:    sdy.original_func_name = "bar"
// CHECK-LABEL: func.func private @outer_2(
// CHECK-SAME:    sdy.original_func_name = "outer"
// CHECK-NEXT:    call @inner_0(%arg0)
// CHECK-NEXT:    sdy.named_computation
// CHECK-NEXT:      func.call @inner_1(

// -----

// Copies made for one use: operands first.
// CHECK-LABEL: func.func @order
func.func @order() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-2: sdy.constant
  // CHECK-NEXT:    %[[BAR_1:.*]] = call @bar_0
  // CHECK-NEXT:    %[[BAR_2:.*]] = call @bar_2
  // CHECK-NEXT:    %[[FOO:.*]] = call @foo_1(%[[BAR_1]])
  // CHECK-NEXT:    return %[[FOO]], %[[BAR_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @bar(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @foo(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// A function without body counts as constant.
func.func private @bar(tensor<8xf32>) -> tensor<8xf32>

// CHECK:      func.func private @bar_0(tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bar"}
// CHECK-NEXT: func.func private @foo_1(
// CHECK:      func.func private @bar_2(tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bar"}

// -----

// Callees are visited first: they have the lower numbers.
// CHECK-LABEL: func.func @caller
// CHECK-NEXT:    %[[CONST:.*]] = sdy.constant
// CHECK-NEXT:    call @leaf_1(%[[CONST]])
func.func @caller(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @leaf(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @callee(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @callee
// CHECK-NEXT:    %[[CONST:.*]] = sdy.constant
// CHECK-NEXT:    call @leaf_0(%[[CONST]])
func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @leaf(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @leaf(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// Any symbol blocks a name.
// CHECK-LABEL: sdy.mesh @foo_0
sdy.mesh @foo_0 = <["x"=2]>

// CHECK-LABEL: func.func @taken_name
// CHECK:         call @foo_1(
func.func @taken_name() -> tensor<8xf32> {
  %0 = call @foo() : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @foo() -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Not if the callee, or a function that it calls, has another op.
// CHECK-LABEL: func.func @varying
func.func @varying() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST:.*]] = sdy.constant
  // CHECK-NEXT: %[[CALL:.*]] = call @outer(%[[CONST]])
  // CHECK-NEXT: return %[[CALL]], %[[CALL]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func private @outer(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A recursive function with another op.
// CHECK-LABEL: func.func @recursion
func.func @recursion(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK:      %[[CALL:.*]]:2 = call @recursion(
  // CHECK-NEXT: return %[[CALL]]#0, %[[CALL]]#0
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<8xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %2:2 = call @recursion(%1) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %2#0, %2#0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// In a nested module constants are split, but no calls.
func.func private @outside()

// CHECK-LABEL: module @nested
module @nested {
  // CHECK-LABEL: func.func @in_nested_module
  func.func @in_nested_module() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
    // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
    // CHECK-NEXT: %[[CALL:.*]] = call @foo(%[[CONST_1]])
    // CHECK-NEXT: return %[[CALL]], %[[CALL]], %[[CONST_2]]
    %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
    %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1, %1, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }

  func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}

// -----

// A value without a shape is not a scalar.
// CHECK-LABEL: func.func @no_shape
func.func @no_shape() -> (!stablehlo.token, f32, tensor<f32>) {
  // CHECK-NEXT: %[[TOKEN:.*]]:3 = call @types_0()
  // CHECK-NEXT: %[[NUMBER:.*]]:3 = call @types_1()
  // CHECK-NEXT: %[[SCALAR:.*]]:3 = call @types()
  // CHECK-NEXT: return %[[TOKEN]]#0, %[[NUMBER]]#1, %[[SCALAR]]#2
  %0:3 = call @types() : () -> (!stablehlo.token, f32, tensor<f32>)
  return %0#0, %0#1, %0#2 : !stablehlo.token, f32, tensor<f32>
}

func.func private @types() -> (!stablehlo.token, f32, tensor<f32>)
