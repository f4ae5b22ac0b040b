// RUN: sdy-opt %s -split-input-file -async-wrap='ops=stablehlo.sine,stablehlo.custom_call execution-thread=host' -async-verify | FileCheck %s
// RUN: sdy-opt %s -split-input-file -async-wrap='ops=stablehlo.sine,stablehlo.custom_call' -async-unwrap | FileCheck %s --check-prefix=BACK

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<4xi32>
// BACK-LABEL:  func.func @main
// BACK-SAME:     %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<4xi32>
func.func @main(%a: tensor<8xf32>, %b: tensor<4xi32>) -> (tensor<8xf32>, tensor<4xi32>) {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.cosine %[[A]]
  // CHECK-NEXT: %[[START:.*]] = "mhlo.async_start"(%[[C]]) <{called_computation = @async_computation, execution_thread = "host"}> : (tensor<8xf32>) -> !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>
  // CHECK-NEXT: %[[DONE:.*]] = "mhlo.async_done"(%[[START]]) : (!mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
  // CHECK-NEXT: %[[TWO:.*]] = "mhlo.async_start"(%[[DONE]], %[[B]], %[[DONE]]) <{called_computation = @async_computation_0, execution_thread = "host"}> : (tensor<8xf32>, tensor<4xi32>, tensor<8xf32>) -> !mhlo.async_bundle<tuple<tensor<8xf32>, tensor<4xi32>, tensor<8xf32>>, tuple<tensor<8xf32>, tensor<4xi32>>>
  // CHECK-NEXT: %[[OUT:.*]]:2 = "mhlo.async_done"(%[[TWO]])
  // CHECK-NEXT: return %[[OUT]]#0, %[[OUT]]#1
  // BACK-NEXT: %[[C:.*]] = stablehlo.cosine %[[A]]
  // BACK-NEXT: %[[S:.*]] = stablehlo.sine %[[C]] {foo.bar = 1 : i32} : tensor<8xf32>
  // BACK-NEXT: %[[OUT:.*]]:2 = stablehlo.custom_call @f(%[[S]], %[[B]], %[[S]])
  // BACK-NEXT: return %[[OUT]]#0, %[[OUT]]#1
  // BACK-NEXT: }
  // BACK-NEXT: }
  %0 = stablehlo.cosine %a : tensor<8xf32>
  %1 = stablehlo.sine %0 {foo.bar = 1 : i32} : tensor<8xf32>
  %2:2 = stablehlo.custom_call @f(%1, %b, %1) : (tensor<8xf32>, tensor<4xi32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>)
  return %2#0, %2#1 : tensor<8xf32>, tensor<4xi32>
}
// CHECK:      func.func private @async_computation(%[[P:.*]]: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
// CHECK-NEXT:   %[[R:.*]] = stablehlo.sine %[[P]] {foo.bar = 1 : i32} : tensor<8xf32>
// CHECK-NEXT:   return %[[R]]
// CHECK:      func.func private @async_computation_0(%[[P:.*]]: tensor<8xf32>, %[[Q:.*]]: tensor<4xi32>, %[[T:.*]]: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xi32>) attributes {execution_thread = "host"} {
// CHECK-NEXT:   %[[R:.*]]:2 = stablehlo.custom_call @f(%[[P]], %[[Q]], %[[T]])
// CHECK-NEXT:   return %[[R]]#0, %[[R]]#1

// -----

// Values from outside that a region uses become operands; the names of functions are free.
// CHECK-LABEL: func.func @captures
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[P:.*]]: tensor<i1>
func.func @captures(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  // CHECK:      stablehlo.if
  // CHECK-NEXT:   "mhlo.async_start"(%[[A]])
  // CHECK-SAME:     @async_computation_0
  // CHECK-NEXT:   mhlo.async_done
  // CHECK-NEXT:   stablehlo.return
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %a : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @async_computation(%{{.*}}: tensor<8xf32>)
func.func private @async_computation(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// CHECK: func.func private @async_computation_0

// -----

// Operations in a reducer are not wrapped, nor those that are wrapped already.
// CHECK-LABEL: func.func @untouched
func.func @untouched(%a: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK:      stablehlo.reduce
  // CHECK-NEXT:   reducer
  // CHECK-NEXT:   stablehlo.sine
  %1 = stablehlo.reduce(%a init: %0) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %4 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }
  // CHECK: "mhlo.async_start"(%{{.*}}) <{called_computation = @wrapped, execution_thread = "main"}>
  %2 = "mhlo.async_start"(%a) {called_computation = @wrapped, execution_thread = "main"} : (tensor<8xf32>) -> !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>
  %3 = "mhlo.async_done"(%2) : (!mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
  return %1, %3 : tensor<f32>, tensor<8xf32>
}
// CHECK:      func.func private @wrapped
// CHECK-NEXT:   stablehlo.sine
// CHECK-NOT:  func.func
func.func private @wrapped(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An operation without results, tokens, tuples, no operands; functions of their own module.
// CHECK-LABEL: module @inner
module @inner {
  // CHECK: func.func @shapes
  func.func @shapes(%t: !stablehlo.token, %u: tuple<tensor<2xf32>, tensor<3xi1>>) -> !stablehlo.token {
    // CHECK-NEXT: "mhlo.async_start"(%{{.*}}) {{.*}} : (tuple<tensor<2xf32>, tensor<3xi1>>) -> !mhlo.async_bundle<tuple<tuple<tensor<2xf32>, tensor<3xi1>>>, tuple<>>
    // CHECK-NEXT: "mhlo.async_done"(%{{.*}}) : (!mhlo.async_bundle<tuple<tuple<tensor<2xf32>, tensor<3xi1>>>, tuple<>>) -> ()
    stablehlo.custom_call @f(%u) : (tuple<tensor<2xf32>, tensor<3xi1>>) -> ()
    // CHECK-NEXT: "mhlo.async_start"() {{.*}} : () -> !mhlo.async_bundle<tuple<>, tensor<f32>>
    %0 = stablehlo.custom_call @g() : () -> tensor<f32>
    // CHECK: !mhlo.async_bundle<tuple<!stablehlo.token>, !stablehlo.token>
    %1 = stablehlo.custom_call @h(%t) : (!stablehlo.token) -> !stablehlo.token
    return %1 : !stablehlo.token
  }
  // CHECK: func.func private @async_computation(
}
