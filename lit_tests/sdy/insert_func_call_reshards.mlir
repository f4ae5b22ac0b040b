// RUN: sdy-opt %s -sdy-insert-func-call-reshards -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, tensor<8xf32>) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// A call without shardings wants replicated results.
// CHECK-LABEL: func.func @calls
func.func @calls(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[A:.*]]:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>}{{.*}} loc("call")
  // CHECK-NEXT: %[[B:.*]] = sdy.reshard %[[A]]#1 <@mesh, [{"y"}]> : tensor<8xf32> loc("call")
  // CHECK-NEXT: %[[C:.*]] = sdy.reshard %[[A]]#0 <@mesh, [{}]> : tensor<8xf32> loc("call")
  // CHECK-NEXT: %[[D:.*]]:2 = call @f(%[[C]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>}
  // CHECK-NEXT: %[[E:.*]] = sdy.reshard %[[D]]#0 <@mesh, [{}]>
  // CHECK-NEXT: return %[[E]], %[[B]]
  %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) loc("call")
  %1:2 = call @f(%0#0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %1#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// Equal axes, and none on both sides, need no reshard. A function without shardings returns replicated values.
// CHECK-LABEL: func.func @equivalent
func.func @equivalent(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[A:.*]]:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>, <@mesh, [{?}]>]>}
  // CHECK-NEXT: %[[B:.*]] = call @g(%[[A]]#0) : (
  // CHECK-NEXT: %[[C:.*]] = call @g(%[[B]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
  // CHECK-NEXT: %[[D:.*]] = sdy.reshard %[[C]] <@mesh, [{"y"}]>
  // CHECK-NEXT: return %[[D]]
  %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = call @g(%0#0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @g(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
