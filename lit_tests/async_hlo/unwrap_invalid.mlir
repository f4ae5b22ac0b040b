// RUN: sdy-opt %s -split-input-file -async-unwrap -verify-diagnostics

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @declared(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op cannot be unwrapped: @f has 0 blocks, expected one}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

func.func @two_users(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op requires one consumer, found 2}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
