// RUN: sdy-opt %s -sdy-constant-or-scalar-splitter 2>&1 | FileCheck %s
// RUN: sdy-opt %s -sdy-constant-splitter 2>&1 | FileCheck %s
// RUN: sdy-opt %s -pass-pipeline='builtin.module(sdy-constant-or-scalar-splitter)' 2>&1 | FileCheck %s

// Both names of the splitter do the same.
// CHECK-LABEL: func.func @main
func.func @main(%arg0: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: %[[SCALAR_1:.*]] = stablehlo.broadcast_in_dim %arg0
  // CHECK-NEXT: %[[SCALAR_2:.*]] = stablehlo.broadcast_in_dim %arg0
  // CHECK-NEXT: return %[[CONST_1]], %[[CONST_2]], %[[SCALAR_1]], %[[SCALAR_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  return %0, %0, %1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Nothing to do.
// CHECK-LABEL: func.func @no_constant
// CHECK-NEXT:    stablehlo.negate
// CHECK-NEXT:    return
func.func @no_constant(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
