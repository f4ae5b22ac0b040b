// RUN: sdy-opt %s -sdy-constant-splitter 2>&1 | FileCheck %s

// Groups do not count as uses; each copy has all of them, directly after it.
// CHECK-LABEL: func.func @copied
func.func @copied() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: sdy.sharding_group %[[CONST_1]] group_id=0 :
  // CHECK-NEXT: sdy.sharding_group %[[CONST_1]] group_id=1 {foo = 1 : i32}
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: sdy.sharding_group %[[CONST_2]] group_id=0 :
  // CHECK-NEXT: sdy.sharding_group %[[CONST_2]] group_id=1 {foo = 1 : i32}
  // CHECK-NEXT: %[[NEGATED:.*]] = stablehlo.negate %[[CONST_2]]
  // CHECK-NEXT: sdy.sharding_group %[[NEGATED]] group_id=2 :
  // CHECK-NEXT: return %[[CONST_1]], %[[NEGATED]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=1 {foo = 1 : i32} : tensor<8xf32>
  sdy.sharding_group %1 group_id=2 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @expansion
func.func @expansion(%arg0: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[FIRST:.*]] = stablehlo.broadcast_in_dim %arg0
  // CHECK-NEXT: sdy.sharding_group %[[FIRST]] group_id=0
  // CHECK-NEXT: %[[SECOND:.*]] = stablehlo.broadcast_in_dim %arg0
  // CHECK-NEXT: sdy.sharding_group %[[SECOND]] group_id=0
  // CHECK-NEXT: return %[[FIRST]], %[[SECOND]]
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// A group in a region is a group of the constant, too.
// CHECK-LABEL: func.func @in_region
func.func @in_region(%arg0: tensor<i32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[IN_REGION:.*]] = sdy.constant
  // CHECK-NEXT: sdy.sharding_group %[[IN_REGION]] group_id=0
  // CHECK-NEXT: "stablehlo.case"(%arg0) ({
  // CHECK-NEXT:   stablehlo.return %[[IN_REGION]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = "stablehlo.case"(%arg0) ({
    sdy.sharding_group %0 group_id=0 : tensor<8xf32>
    stablehlo.return %0 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A constant that only a group uses is erased with it.
// CHECK-LABEL: func.func @unused
func.func @unused(%arg0: tensor<f32>, %arg1: tensor<8xf32>) {
  // CHECK-NEXT: sdy.sharding_group %arg1 group_id=2
  // CHECK-NEXT: return
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  sdy.sharding_group %1 group_id=1 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=2 : tensor<8xf32>
  return
}

// A scalar keeps its groups, and so do the constants that it is computed from.
// CHECK-LABEL: func.func @scalar
func.func @scalar() -> (tensor<f32>, tensor<1xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: sdy.sharding_group %[[CONST_1]] group_id=0
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: %[[SCALAR:.*]] = stablehlo.reshape %[[CONST_2]]
  // CHECK-NEXT: sdy.sharding_group %[[SCALAR]] group_id=1
  // CHECK-NEXT: sdy.sharding_group %[[CONST_2]] group_id=0
  // CHECK-NEXT: return %[[SCALAR]], %[[CONST_1]]
  %0 = stablehlo.constant dense<1.0> : tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  sdy.sharding_group %1 group_id=1 : tensor<f32>
  sdy.sharding_group %0 group_id=0 : tensor<1xf32>
  return %1, %0 : tensor<f32>, tensor<1xf32>
}

// Of several results, a copy has the groups of the one that was asked for first.
// CHECK-LABEL: func.func @two_results
func.func @two_results() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[FOO_1:.*]]:2 = sdy.named_computation<"foo">
  // CHECK:      sdy.sharding_group %[[FOO_1]]#0 group_id=2
  // CHECK-NEXT: sdy.sharding_group %[[FOO_1]]#0 group_id=0
  // CHECK-NEXT: %[[FOO_2:.*]]:2 = sdy.named_computation<"foo">
  // CHECK:      sdy.sharding_group %[[FOO_2]]#1 group_id=1
  // CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[FOO_2]]#1, %[[FOO_2]]#0
  // CHECK-NEXT: return %[[FOO_1]]#0, %[[SUM]]
  %0:2 = sdy.named_computation<"foo">() () {
    %2 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %2, %2 : tensor<8xf32>, tensor<8xf32>
  } : () -> (tensor<8xf32>, tensor<8xf32>)
  sdy.sharding_group %0#0 group_id=0 : tensor<8xf32>
  sdy.sharding_group %0#1 group_id=1 : tensor<8xf32>
  sdy.sharding_group %0#0 group_id=2 : tensor<8xf32>
  %1 = stablehlo.add %0#1, %0#0 : tensor<8xf32>
  return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
}
