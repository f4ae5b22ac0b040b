// RUN: sdy-opt %s -async-schedule='max-in-flight=1' | FileCheck %s --check-prefix=ONE
// RUN: sdy-opt %s -async-schedule='max-in-flight=2' | FileCheck %s --check-prefix=TWO
// RUN: sdy-opt %s -async-schedule | FileCheck %s --check-prefix=ANY
// RUN: sdy-opt %s -async-schedule -async-schedule='max-in-flight=1' | FileCheck %s --check-prefix=BACK
// RUN: not sdy-opt %s -async-schedule='max-in-flight=-1' 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: error: pass 'async-schedule': option 'max-in-flight' must not be negative, found -1

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// ONE-LABEL: func.func @main
// TWO-LABEL: func.func @main
// ANY-LABEL: func.func @main
// BACK-LABEL: func.func @main
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // ONE-NEXT: @f, execution_thread
  // ONE-NEXT: async_done
  // ONE-NEXT: @g, execution_thread
  // ONE-NEXT: async_done
  // ONE-NEXT: @h, execution_thread
  // ONE-NEXT: stablehlo.tan
  // ONE-NEXT: async_done
  // TWO-NEXT: @f, execution_thread
  // TWO-NEXT: @g, execution_thread
  // TWO-NEXT: async_done
  // TWO-NEXT: @h, execution_thread
  // TWO-NEXT: stablehlo.tan
  // TWO-NEXT: async_done
  // TWO-NEXT: async_done
  // ANY-NEXT: @f, execution_thread
  // ANY-NEXT: @g, execution_thread
  // ANY-NEXT: @h, execution_thread
  // ANY-NEXT: stablehlo.tan
  // ANY-NEXT: async_done
  // ANY-NEXT: async_done
  // ANY-NEXT: async_done
  // BACK-NEXT: @f, execution_thread
  // BACK-NEXT: async_done
  // BACK-NEXT: @g, execution_thread
  // BACK-NEXT: async_done
  // BACK-NEXT: @h, execution_thread
  // BACK-NEXT: stablehlo.tan
  // BACK-NEXT: async_done
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = "mhlo.async_start"(%a) {called_computation = @g, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %3 = "mhlo.async_done"(%2) : (!bundle) -> tensor<8xf32>
  %4 = "mhlo.async_start"(%a) {called_computation = @h, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %5 = "mhlo.async_done"(%4) : (!bundle) -> tensor<8xf32>
  %6 = stablehlo.tan %a : tensor<8xf32>
  return %1, %3, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @h(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
