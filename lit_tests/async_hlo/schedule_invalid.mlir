// RUN: sdy-opt %s -async-schedule='max-in-flight=1' -verify-diagnostics

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// Effects keep the second chain within the first.
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  // expected-error@+1 {{'mhlo.async_start' op would be chain number 2 in flight, but max-in-flight=1; no order was found that keeps to it, as chains in flight depend on operations after it: use a larger bound}}
  %1 = "mhlo.async_start"(%a) {called_computation = @g, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %2 = "mhlo.async_done"(%1) : (!bundle) -> tensor<8xf32>
  %3 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.custom_call @f(%a) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.custom_call @g(%a) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
