// RUN: sdy-opt %s -split-input-file -sdy-pre-order-funcs | FileCheck %s

// Callers before callees; other ops of the module before all functions.
// CHECK:      sdy.mesh @mesh
// CHECK-NEXT: sdy.mesh @other
// CHECK-NEXT: func.func @main
// CHECK:      func.func private @bar
// CHECK:      func.func private @foo
sdy.mesh @mesh = <["x"=2]>

func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @bar(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @bar(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

sdy.mesh @other = <["x"=4]>

// -----

// Calls in nested regions count. A callee that comes before its caller in the input, and so
// is met first, comes last.
// CHECK: func.func @main
// CHECK: func.func private @first
// CHECK: func.func private @second
func.func private @second(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%a = %arg0, %p = %arg1) : tensor<8xf32>, tensor<i1>
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      %2 = func.call @first(%a) : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2, %p : tensor<8xf32>, tensor<i1>
    }
  %1 = call @second(%0#0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @first(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// Without calls the order of the functions is reversed.
// CHECK: func.func @b
// CHECK: func.func @a
func.func @a() {
  return
}

func.func @b() {
  return
}

// -----

// Calls of a declaration do not count.
// CHECK: func.func private @declared
// CHECK: func.func @main
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @declared(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @declared(tensor<8xf32>) -> tensor<8xf32>

// -----

// On a cycle the function met first comes first.
// CHECK: func.func @main
// CHECK: func.func private @even
// CHECK: func.func private @odd
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @even(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @even(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @odd(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @odd(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @even(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
