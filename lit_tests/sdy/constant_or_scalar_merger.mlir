// RUN: sdy-opt %s -split-input-file -sdy-constant-or-scalar-merger | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// Constants are equal if their attributes are, whatever the op.
// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[A:.*]] = sdy.constant dense<1.000000e+00>
  // CHECK-NEXT: %[[B:.*]] = sdy.constant {{.*}}sharding{{.*}} dense<1.000000e+00>
  // CHECK-NEXT: return %[[A]], %[[A]], %[[B]], %[[A]]
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  %2 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<8xf32>
  %3 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Broadcasts of a scalar to one type are merged once their operands are; others are not.
// CHECK-LABEL: func.func @broadcasts
func.func @broadcasts(%arg0: tensor<4xf32>) {
  // CHECK-NEXT: %[[C:.*]] = sdy.constant
  // CHECK-NEXT: stablehlo.broadcast_in_dim %[[C]], dims = [] : (tensor<f32>) -> tensor<8xf32>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %[[C]], dims = [] : (tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %arg0
  // CHECK-NEXT: stablehlo.broadcast_in_dim %arg0
  // CHECK-NEXT: return
  %0 = sdy.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = sdy.constant dense<1.0> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// Dense complex numbers, which the bindings cannot hold.
// CHECK-LABEL: func.func @complex
func.func @complex() -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  // CHECK-NEXT: %[[A:.*]] = sdy.constant dense<(1.{{.*}},2
  // CHECK-NEXT: %[[B:.*]] = sdy.constant dense<(1.{{.*}},3
  // CHECK-NEXT: return %[[A]], %[[A]], %[[B]]
  %0 = sdy.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  %1 = sdy.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  %2 = sdy.constant dense<(1.0, 3.0)> : tensor<2xcomplex<f32>>
  return %0, %1, %2 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
}

// -----

// A region has its own. Of several blocks the first serves all others, and they not each other.
// CHECK-LABEL: func.func @regions
func.func @regions(%arg0: tensor<i32>, %arg1: i1) -> tensor<i32> {
  // CHECK: %[[A:.*]] = sdy.constant dense<1> : tensor<i32>
  // CHECK: "stablehlo.case"
  // CHECK: %[[B:.*]] = sdy.constant dense<1> : tensor<i32>
  // CHECK: stablehlo.return %[[B]]
  // CHECK: cf.cond_br
  // CHECK: %[[C:.*]] = sdy.constant dense<2> : tensor<i32>
  // CHECK: return %[[C]]
  // CHECK: %[[D:.*]] = sdy.constant dense<2> : tensor<i32>
  // CHECK: stablehlo.add %[[A]], %[[D]]
  %0 = sdy.constant dense<1> : tensor<i32>
  %1 = "stablehlo.case"(%arg0) ({
    %2 = sdy.constant dense<1> : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  cf.cond_br %arg1, ^bb1, ^bb2
^bb1:
  %3 = sdy.constant dense<2> : tensor<i32>
  return %3 : tensor<i32>
^bb2:
  %4 = sdy.constant dense<1> : tensor<i32>
  %5 = sdy.constant dense<2> : tensor<i32>
  %6 = stablehlo.add %4, %5 : tensor<i32>
  return %6 : tensor<i32>
}
