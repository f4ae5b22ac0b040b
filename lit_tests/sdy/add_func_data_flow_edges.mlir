// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-add-func-data-flow-edges | FileCheck %s

sdy.mesh @mesh = <["x"=2]>

// Arguments of main get no edge, results of calls do, with the sharding of the call.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[CALL:.*]]:2 = call @foo(%arg0, %arg1)
// CHECK-NEXT:    %[[EDGE0:.*]] = sdy.func_data_flow_edge %[[CALL]]#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// CHECK-NEXT:    %[[EDGE1:.*]] = sdy.func_data_flow_edge %[[CALL]]#1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
// CHECK-NEXT:    return %[[EDGE0]], %[[EDGE1]]
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func private @foo
// CHECK-NEXT:    %[[EDGE0:.*]] = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
// CHECK-NEXT:    %[[EDGE1:.*]] = sdy.func_data_flow_edge %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// CHECK-NEXT:    return %[[EDGE0]], %[[EDGE1]]
func.func private @foo(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  return %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func private @declared(tensor<8xf32>)
func.func private @declared(tensor<8xf32>)

// -----

// The only function is the main one, whatever its name.
// CHECK-LABEL: func.func @only
// CHECK-NOT:     sdy.func_data_flow_edge
func.func @only(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @main
func.func @main() {
  return
}

// Values without a static shape get no edge.
// CHECK-LABEL: func.func private @dynamic
// CHECK-NOT:     sdy.func_data_flow_edge
func.func private @dynamic(%arg0: tensor<?xf32>, %arg1: !stablehlo.token) -> tensor<?xf32> {
  return %arg0 : tensor<?xf32>
}

// -----

// expected-error @below {{'builtin.module' op has 2 functions, but none is named @main}}
module {
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
}
