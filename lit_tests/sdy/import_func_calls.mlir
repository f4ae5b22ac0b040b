// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-import-func-calls | FileCheck %s
// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-import-func-calls='add-data-flow-edges-on-named-computations=false' | FileCheck %s --check-prefix=NOEDGE

sdy.mesh @mesh = <["x"=2]>

// Attributes and sharding of the call are copied; arguments without a sharding are open if
// another has one.
// CHECK-LABEL:  func.func @main
// CHECK-NEXT:     %[[NC:.*]]:2 = sdy.named_computation<"foo">(%arg0, %arg1) in_shardings=[<@mesh, [{?}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{?}]>] (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>) {
// CHECK-NEXT:       %[[EDGE_A:.*]] = sdy.data_flow_edge %[[A]] sharding=<@mesh, [{?}]>
// CHECK-NEXT:       %[[EDGE_B:.*]] = sdy.data_flow_edge %[[B]] sharding=<@mesh, [{"x"}]>
// CHECK-NEXT:       %[[ADD:.*]] = stablehlo.add %[[EDGE_A]], %[[EDGE_B]]
// CHECK-NEXT:       sdy.return %[[ADD]], %[[EDGE_B]]
// CHECK-NEXT:     } {foo.bar = 1 : i64}
// CHECK-NEXT:     %[[EDGE0:.*]] = sdy.data_flow_edge %[[NC]]#0 sharding=<@mesh, [{"x"}]>
// CHECK-NEXT:     %[[EDGE1:.*]] = sdy.data_flow_edge %[[NC]]#1 sharding=<@mesh, [{?}]>
// CHECK-NEXT:     return %[[EDGE0]], %[[EDGE1]]
// CHECK-NOT:    func.func
// NOEDGE-LABEL: func.func @main
// NOEDGE-NOT:     sdy.data_flow_edge
// NOEDGE:         return
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @foo(%arg0, %arg1) {foo.bar = 1 : i64, no_inline, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

func.func private @foo(%arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  return %0, %arg1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Named after the function that the callee was cloned from; callees are imported first.
// CHECK-LABEL: func.func @original_name
// CHECK-NEXT:    sdy.named_computation<"outer">(%arg0) (%{{.*}}: tensor<8xf32>) {
// CHECK:           sdy.named_computation<"inner">
// CHECK-NOT:   in_shardings
func.func @original_name(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @outer_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @outer_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "outer"} {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// Every call gets a copy of the body.
// CHECK-LABEL: func.func @two_calls
// CHECK-COUNT-2: sdy.named_computation<"foo">
func.func @two_calls(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-warning @+1 {{function @foo has multiple call ops, we need to clone the function body for each call}}
  %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

// Functions that nothing calls stay.
// CHECK-LABEL: func.func private @not_called
func.func private @not_called(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

func.func private @declared(tensor<8xf32>) -> tensor<8xf32>

func.func @no_body(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'func.call' op can't import the call: @declared has no body}}
  %0 = call @declared(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @even(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @odd(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @odd(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'func.call' op calls @even from @odd: recursive calls are not supported}}
  %0 = call @even(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @many_blocks(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'func.call' op can't import the call: @branches has 2 blocks, expected 1}}
  %0 = call @branches(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @branches(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^bb1
^bb1:
  return %arg0 : tensor<8xf32>
}
