// RUN: sdy-opt %s -async-decompose='updates=2' -async-verify | FileCheck %s
// RUN: sdy-opt %s -async-decompose='updates=3' -async-decompose='updates=0' | FileCheck %s --check-prefix=ZERO
// RUN: sdy-opt %s -async-decompose='updates=0 execution-thread=host' | FileCheck %s --check-prefix=HOST
// RUN: not sdy-opt %s -async-decompose='updates=-1' 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: error: pass 'async-decompose': option 'updates' must not be negative, found -1

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// CHECK-LABEL: func.func @main
// ZERO-LABEL:  func.func @main
// HOST-LABEL:  func.func @main
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[F:.*]] = "mhlo.async_start"
  // CHECK-NEXT: %[[F1:.*]] = "mhlo.async_update"(%[[F]])
  // CHECK-NEXT: %[[G:.*]] = "mhlo.async_start"
  // CHECK-NEXT: %[[F2:.*]] = "mhlo.async_update"(%[[F1]])
  // CHECK-NEXT: %[[G1:.*]] = "mhlo.async_update"(%[[G]])
  // CHECK-NEXT: "mhlo.async_done"(%[[F2]])
  // CHECK-NEXT: %[[G2:.*]] = "mhlo.async_update"(%[[G1]])
  // CHECK-NEXT: stablehlo.tan
  // CHECK-NEXT: stablehlo.sine
  // CHECK-NEXT: "mhlo.async_done"(%[[G2]])
  // CHECK-NEXT: return
  // ZERO:       %[[F:.*]] = "mhlo.async_start"
  // ZERO-NEXT:  %[[G:.*]] = "mhlo.async_start"
  // ZERO-NEXT:  "mhlo.async_done"(%[[F]])
  // ZERO-NEXT:  stablehlo.tan
  // ZERO-NEXT:  stablehlo.sine
  // ZERO-NEXT:  "mhlo.async_done"(%[[G]])
  // HOST:       async_update
  // HOST-NEXT:  async_start
  // HOST-NEXT:  async_update
  // HOST-NEXT:  async_update
  // HOST-NEXT:  async_done
  // HOST-NOT:   async_update
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_update"(%0) : (!bundle) -> !bundle
  %2 = "mhlo.async_start"(%a) {called_computation = @g, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %3 = "mhlo.async_update"(%1) : (!bundle) -> !bundle
  %4 = "mhlo.async_update"(%3) : (!bundle) -> !bundle
  %5 = "mhlo.async_done"(%4) : (!bundle) -> tensor<8xf32>
  %6 = stablehlo.tan %5 : tensor<8xf32>
  %7 = stablehlo.sine %6 : tensor<8xf32>
  %8 = "mhlo.async_done"(%2) : (!bundle) -> tensor<8xf32>
  return %5, %7, %8 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
