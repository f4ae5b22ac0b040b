// RUN: sdy-opt %s -split-input-file -sdy-constant-splitter 2>&1 | FileCheck %s

// A body of constants and ops that preserve them makes a constant out of constants.
// CHECK-LABEL: func.func @constant
func.func @constant() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant dense<1.000000e+00>
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant dense<1.000000e+00>
  // CHECK-NEXT: %[[FOO_1:.*]] = sdy.named_computation<"foo">(%[[CONST_1]])
  // CHECK-NEXT:   sdy.sharding_group
  // CHECK-NEXT:   sdy.constant dense<2.000000e+00>
  // CHECK:      %[[FOO_2:.*]] = sdy.named_computation<"foo">(%[[CONST_2]])
  // CHECK-NEXT:   sdy.sharding_group
  // CHECK-NEXT:   sdy.constant dense<2.000000e+00>
  // CHECK:      return %[[FOO_1]], %[[FOO_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.named_computation<"foo">(%0) (%arg0: tensor<8xf32>) {
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    %2 = stablehlo.constant dense<2.0> : tensor<8xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Not with another operand.
// CHECK-LABEL: func.func @other_operand
func.func @other_operand(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[FOO:.*]] = sdy.named_computation<"foo">(%arg0)
  // CHECK:      return %[[FOO]], %[[FOO]]
  %0 = sdy.named_computation<"foo">(%arg0) (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Not with another op in the body, which is split for itself.
// CHECK-LABEL: func.func @other_op
func.func @other_op() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[FOO:.*]] = sdy.named_computation<"foo">()
  // CHECK-NEXT:   %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT:   %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT:   %[[REVERSE:.*]] = stablehlo.reverse %[[CONST_1]]
  // CHECK-NEXT:   %[[SUM:.*]] = stablehlo.add %[[REVERSE]], %[[CONST_2]]
  // CHECK-NEXT:   sdy.return %[[SUM]]
  // CHECK:      return %[[FOO]], %[[FOO]]
  %0 = sdy.named_computation<"foo">() () {
    %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<8xf32>
    %3 = stablehlo.add %2, %1 : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : () -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// If one is no constant, later ones of its name are none; those of earlier functions are.
// CHECK-LABEL: func.func @before
func.func @before() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-2: sdy.named_computation<"foo">
  // CHECK:         return
  %0 = sdy.named_computation<"foo">() () {
    %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : () -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @one_name
func.func @one_name(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[FOO:.*]] = sdy.named_computation<"foo">()
  // CHECK:      sdy.named_computation<"foo">(%arg0)
  // CHECK:      return %[[FOO]], %[[FOO]]
  %0 = sdy.named_computation<"foo">() () {
    %2 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : () -> tensor<8xf32>
  %1 = sdy.named_computation<"foo">(%arg0) (%arg1: tensor<8xf32>) {
    %2 = stablehlo.reverse %arg1, dims = [0] : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Bodies are split before the scope around them: the copies have split bodies.
// CHECK-LABEL: func.func @nested
func.func @nested() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-2: sdy.named_computation<"outer">
  // CHECK:         return
  %0 = sdy.named_computation<"outer">() () {
    %1 = sdy.named_computation<"inner">() () {
      %3 = stablehlo.constant dense<1.0> : tensor<8xf32>
      sdy.return %3 : tensor<8xf32>
    } : () -> tensor<8xf32>
    %2 = sdy.named_computation<"unused">() () {
      %3 = stablehlo.constant dense<2.0> : tensor<8xf32>
      sdy.return %3 : tensor<8xf32>
    } : () -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : () -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
// CHECK-NOT: "unused"

// -----

// Scalar results are not copied alone, but with another result.
// CHECK-LABEL: func.func @scalar_result
func.func @scalar_result() -> (tensor<f32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[FOO_1:.*]]:2 = sdy.named_computation<"foo">()
  // CHECK:      %[[FOO_2:.*]]:2 = sdy.named_computation<"foo">()
  // CHECK:      %[[BROADCAST_1:.*]] = stablehlo.broadcast_in_dim %[[FOO_1]]#0
  // CHECK-NEXT: %[[BROADCAST_2:.*]] = stablehlo.broadcast_in_dim %[[FOO_2]]#0
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[FOO_1]]#1, %[[BROADCAST_1]]
  // CHECK-NEXT: return %[[FOO_2]]#0, %[[SUM]], %[[BROADCAST_2]]
  %0:2 = sdy.named_computation<"foo">() () {
    %3 = stablehlo.constant dense<1.0> : tensor<f32>
    %4 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %3, %4 : tensor<f32>, tensor<8xf32>
  } : () -> (tensor<f32>, tensor<8xf32>)
  %1 = stablehlo.broadcast_in_dim %0#0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.add %0#1, %1 : tensor<8xf32>
  return %0#0, %2, %1 : tensor<f32>, tensor<8xf32>, tensor<8xf32>
}
