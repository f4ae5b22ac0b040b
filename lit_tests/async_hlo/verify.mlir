// RUN: sdy-opt %s -async-verify | FileCheck %s

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>, tensor<8xf32>>, tensor<8xf32>, tensor<i32>>
!pair = !mhlo.async_bundle<tuple<tensor<8xf32>>, tuple<tensor<8xf32>, tensor<8xf32>>>
!bare = !mhlo.async_bundle<tensor<8xf32>, tensor<8xf32>>

// CHECK-LABEL: func.func @main
// CHECK:         mhlo.async_done
// CHECK:         mhlo.async_done
// CHECK:         mhlo.async_done
func.func @main(%a: tensor<8xf32>, %t: tuple<tensor<8xf32>>) -> tensor<8xf32> {
  %0 = "mhlo.async_start"(%a, %a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>, tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_update"(%0) {called_computation = @f, execution_thread = "host"} : (!bundle) -> !bundle
  %2 = "mhlo.async_done"(%1) : (!bundle) -> tensor<8xf32>
  %3 = "mhlo.async_start"(%t) {called_computation = @element, execution_thread = "main"} : (tuple<tensor<8xf32>>) -> !mhlo.async_bundle<tuple<tuple<tensor<8xf32>>>, tensor<8xf32>>
  %4 = "mhlo.async_done"(%3) : (!mhlo.async_bundle<tuple<tuple<tensor<8xf32>>>, tensor<8xf32>>) -> tensor<8xf32>
  %5 = "mhlo.async_start"(%4) {called_computation = @group, execution_thread = "main", mhlo.frontend_attributes = {_collectives_group = ""}} : (tensor<8xf32>) -> !bare
  %6 = "mhlo.async_done"(%5) : (!bare) -> tensor<8xf32>
  return %6 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @element(%t: tuple<tensor<8xf32>>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
  %1 = stablehlo.sine %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @group(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  %1 = stablehlo.cosine %0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A function may be empty, or return its operation's tuple element by element.
// CHECK-LABEL: func.func @tuples
func.func @tuples(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "mhlo.async_start"(%a) {called_computation = @nothing, execution_thread = "host"} : (tensor<8xf32>) -> !bare
  %1 = "mhlo.async_done"(%0) : (!bare) -> tensor<8xf32>
  %2 = "mhlo.async_start"(%1) {called_computation = @elements, execution_thread = "host"} : (tensor<8xf32>) -> !pair
  %3:2 = "mhlo.async_done"(%2) : (!pair) -> (tensor<8xf32>, tensor<8xf32>)
  return %3#0 : tensor<8xf32>
}
func.func private @nothing(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  return %a : tensor<8xf32>
}
func.func private @elements(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {execution_thread = "host"} {
  %0 = stablehlo.custom_call @g(%a) : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>>
  %1 = stablehlo.get_tuple_element %0[0] {hlo.implied} : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
  %2 = stablehlo.get_tuple_element %0[1] {hlo.implied} : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
