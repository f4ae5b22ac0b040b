// RUN: sdy-opt %s -split-input-file -async-unwrap | FileCheck %s
// RUN: sdy-opt %s -split-input-file -async-unwrap='execution-thread=host' | FileCheck %s --check-prefix=HOST

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>, tensor<8xf32>>, tensor<8xf32>, tensor<i32>>

// The operation comes where its result was wanted. Bundles may have context.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// HOST-LABEL:  func.func @main
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[S:.*]] = stablehlo.sine %[[A]]
  // CHECK-NEXT: %[[C:.*]] = stablehlo.custom_call @f(%[[B]], %[[A]]) {backend_config = "x"}
  // CHECK-NEXT: stablehlo.add %[[S]], %[[C]]
  // HOST:     mhlo.async_start
  // HOST:     mhlo.async_update
  // HOST:     mhlo.async_done
  // HOST-NOT: mhlo.async_start
  // HOST:     stablehlo.tan
  %0 = "mhlo.async_start"(%a, %b) {called_computation = @f, execution_thread = "main"} : (tensor<8xf32>, tensor<8xf32>) -> !bundle
  %1 = stablehlo.sine %a : tensor<8xf32>
  %2 = "mhlo.async_update"(%0) : (!bundle) -> !bundle
  %3 = "mhlo.async_done"(%2) {called_computation = @f, execution_thread = "main"} : (!bundle) -> tensor<8xf32>
  %4 = stablehlo.add %1, %3 : tensor<8xf32>
  %5 = "mhlo.async_start"(%4) {called_computation = @g, execution_thread = "host"} : (tensor<8xf32>) -> !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>
  %6 = "mhlo.async_done"(%5) : (!mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
  return %6 : tensor<8xf32>
}
// CHECK-NOT: func.func
// HOST:      func.func private @f
// HOST-NOT:  func.func private @g
func.func private @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.custom_call @f(%b, %a) {backend_config = "x"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// A function that is called from elsewhere stays.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>
func.func @shared(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tan %[[A]]
  // CHECK-NEXT: %[[U:.*]] = stablehlo.tan %[[T]]
  // CHECK-NEXT: call @f(%[[U]])
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  %2 = "mhlo.async_start"(%1) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %3 = "mhlo.async_done"(%2) : (!bundle) -> tensor<8xf32>
  %4 = call @f(%3) : (tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}
// CHECK:      func.func private @f(%[[A:.*]]: tensor<8xf32>)
// CHECK-NEXT:   stablehlo.tan %[[A]]
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A function that returns what it gets, one with regions, and nothing to do.
// CHECK-LABEL: func.func @bodies
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[P:.*]]: tensor<i1>
func.func @bodies(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[R:.*]] = "stablehlo.if"(%[[P]])
  // CHECK-NEXT:   stablehlo.tan %[[A]]
  // CHECK:      call @untouched(%[[R]], %[[A]])
  %0 = "mhlo.async_start"(%a, %p) {called_computation = @f, execution_thread = "host"} : (tensor<8xf32>, tensor<i1>) -> !mhlo.async_bundle<tuple<tensor<8xf32>, tensor<i1>>, tuple<tensor<8xf32>, tensor<8xf32>>>
  %1:2 = "mhlo.async_done"(%0) : (!mhlo.async_bundle<tuple<tensor<8xf32>, tensor<i1>>, tuple<tensor<8xf32>, tensor<8xf32>>>) -> (tensor<8xf32>, tensor<8xf32>)
  %2:2 = call @untouched(%1#0, %1#1) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %2#0 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) attributes {execution_thread = "host"} {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.tan %a : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %0, %a : tensor<8xf32>, tensor<8xf32>
}
// CHECK: func.func private @untouched
func.func private @untouched(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

!bundle = !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>

// A public function stays. Its copy has no chains either, whichever function comes first.
// CHECK-LABEL: func.func @chains_in_chains
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>
func.func @chains_in_chains(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tan %[[A]]
  // CHECK-NEXT: return %[[T]]
  %0 = "mhlo.async_start"(%a) {called_computation = @public, execution_thread = "host"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CHECK:      func.func @public(%[[B:.*]]: tensor<8xf32>)
// CHECK-NEXT:   %[[U:.*]] = stablehlo.tan %[[B]]
// CHECK-NEXT:   return %[[U]]
// CHECK-NOT:  @inner
func.func @public(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
  %0 = "mhlo.async_start"(%a) {called_computation = @inner, execution_thread = "main"} : (tensor<8xf32>) -> !bundle
  %1 = "mhlo.async_done"(%0) : (!bundle) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @inner(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
