// RUN: sdy-opt %s -xla-flatten-tuple | FileCheck %s

// CHECK-LABEL: func.func @elements
func.func @elements(%arg0: tensor<8xf32>) -> (tensor<f32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[CALL:.*]]:2 = stablehlo.custom_call @f(%arg0) {has_side_effect = true, k = "v"} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<f32>)
  // CHECK-NEXT: return %[[CALL]]#1, %[[CALL]]#0
  %0 = stablehlo.custom_call @f(%arg0) {has_side_effect = true, k = "v"} : (tensor<8xf32>) -> tuple<tensor<4xf32>, tensor<f32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<f32>
  %2 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<4xf32>
  return %1, %2 : tensor<f32>, tensor<4xf32>
}

// An empty tuple is no result; a nested one is flattened.
// CHECK-LABEL: func.func @nested
func.func @nested(%arg0: tensor<8xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: stablehlo.custom_call @none(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
  // CHECK-NEXT: %[[CALL:.*]]:3 = stablehlo.custom_call @f(%arg0) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<f32>)
  // CHECK-NEXT: return %[[CALL]]#1
  %0 = stablehlo.custom_call @none(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> tuple<>
  %1 = stablehlo.custom_call @f(%arg0) : (tensor<8xf32>) -> tuple<tuple<tensor<4xf32>, tensor<2xf32>>, tensor<f32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tuple<tensor<4xf32>, tensor<2xf32>>, tensor<f32>>) -> tuple<tensor<4xf32>, tensor<2xf32>>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<4xf32>, tensor<2xf32>>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// Users of the tuple itself get one; a tuple from elsewhere stays.
// CHECK-LABEL: func.func @tuples
func.func @tuples(%arg0: tensor<8xf32>, %arg1: tuple<tensor<f32>>) -> (tuple<tensor<4xf32>>, tensor<f32>) {
  // CHECK-NEXT: %[[CALL:.*]] = stablehlo.custom_call @f(%arg0) : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[TUPLE:.*]] = stablehlo.tuple %[[CALL]]
  // CHECK-NEXT: %[[ELEMENT:.*]] = stablehlo.get_tuple_element %arg1[0]
  // CHECK-NEXT: return %[[TUPLE]], %[[ELEMENT]]
  %0 = stablehlo.custom_call @f(%arg0) : (tensor<8xf32>) -> tuple<tensor<4xf32>>
  %1 = stablehlo.get_tuple_element %arg1[0] : (tuple<tensor<f32>>) -> tensor<f32>
  return %0, %1 : tuple<tensor<4xf32>>, tensor<f32>
}
