// RUN: sdy-opt %s -split-input-file -sdy-flatten-call-graph -verify-diagnostics | FileCheck %s

// The first call keeps its callee, the second gets a clone at the end of the module.
// CHECK-LABEL: func.func @two_calls
// CHECK:         %[[FIRST:.*]] = call @foo(%arg0)
// CHECK-NEXT:    %[[SECOND:.*]] = call @foo_0(%[[FIRST]])
// CHECK-NEXT:    return %[[SECOND]]
func.func @two_calls(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @foo(
// CHECK-NOT:     sdy.original_func_name
func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.abs %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @foo_0(
// CHECK-SAME:    attributes {sdy.original_func_name = "foo"}
// CHECK-NEXT:    stablehlo.abs

// -----

// The calls in a clone get clones too, which come before it and keep the first name.
// CHECK-LABEL: func.func @nested
// CHECK:         call @outer(
// CHECK-NEXT:    call @outer_1(
func.func @nested(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @outer(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @outer(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @inner_0(
// CHECK-SAME:    sdy.original_func_name = "inner"
// CHECK-LABEL: func.func private @outer_1(
// CHECK-SAME:    sdy.original_func_name = "outer"
// CHECK-NEXT:    call @inner_0(

// -----

// One call each: nothing to do.
// CHECK-LABEL: func.func @flat
// CHECK:         call @once(
// CHECK-LABEL: func.func private @once(
// CHECK-NOT:   func.func
func.func @flat(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @once(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @once(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// Recursion without a second call needs no clone.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    call @main(
// CHECK-NOT:   func.func
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @main(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
