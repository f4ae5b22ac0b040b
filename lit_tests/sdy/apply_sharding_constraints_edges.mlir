// RUN: sdy-opt %s -split-input-file -sdy-apply-sharding-constraints 2>&1 | FileCheck %s

// The constraint is moved directly after the edge, and takes over all uses.
// CHECK-LABEL: func.func @edge_result
// CHECK:         %[[EDGE:.*]] = sdy.data_flow_edge %{{.*}} : tensor<8xf32>
// CHECK-NEXT:    %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[EDGE]] <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %[[ADD:.*]] = stablehlo.add %[[CONSTRAINT]], %[[CONSTRAINT]]
// CHECK-NEXT:    stablehlo.add %[[ADD]], %[[CONSTRAINT]]
// CHECK-NEXT:    return %[[CONSTRAINT]]
sdy.mesh @mesh = <["a"=2]>
func.func @edge_result(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.add %1, %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %4 = stablehlo.add %2, %3 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// To the start of the block for an argument. Other targets keep their uses.
// CHECK-LABEL: func.func @targets
// CHECK:         %[[WHILE:.*]] = stablehlo.while(%[[ITER:.*]] = %arg0)
// CHECK:         cond {
// CHECK-NEXT:      %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[ITER]] <@mesh, [{"b"}]>
// CHECK-NEXT:      stablehlo.constant
// CHECK-NEXT:      stablehlo.compare EQ, %[[CONSTRAINT]], %[[CONSTRAINT]]
// CHECK:         do {
// CHECK-NEXT:      %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[ITER]] <@mesh, [{"a"}]>
// CHECK-NEXT:      %[[ADD:.*]] = stablehlo.add %[[CONSTRAINT]], %[[CONSTRAINT]]
// CHECK-NEXT:      stablehlo.return %[[CONSTRAINT]]
// CHECK:         %[[EDGE:.*]] = sdy.data_flow_edge %[[WHILE]] : tensor<8xf32>
// CHECK-NEXT:    return %[[EDGE]]
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @targets(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.while(%iter = %arg0) : tensor<8xf32>
  cond {
    %2 = stablehlo.constant dense<true> : tensor<i1>
    %3 = stablehlo.compare EQ, %iter, %iter : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %4 = sdy.sharding_constraint %iter <@mesh, [{"b"}]> : tensor<8xf32>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.add %iter, %iter : tensor<8xf32>
    %3 = sdy.sharding_constraint %iter <@mesh, [{"a"}]> : tensor<8xf32>
    stablehlo.return %iter : tensor<8xf32>
  }
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// From a region to the block of the edge.
// CHECK-LABEL: func.func @out_of_region
// CHECK:         %[[EDGE:.*]] = sdy.data_flow_edge
// CHECK-NEXT:    %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[EDGE]] <@mesh, [{"a"}]>
// CHECK:         "stablehlo.case"
// CHECK-NEXT:      stablehlo.return %[[CONSTRAINT]]
sdy.mesh @mesh = <["a"=2]>
func.func @out_of_region(%arg0: tensor<8xf32>, %arg1: tensor<i32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = "stablehlo.case"(%arg1) ({
    %3 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return
}

// -----

// The second constraint demands a sharding of the result of the first one.
// CHECK-LABEL: func.func @equal_constraints
// CHECK:         %[[EDGE:.*]] = sdy.data_flow_edge
// CHECK-NEXT:    %[[FIRST:.*]] = sdy.sharding_constraint %[[EDGE]] <@mesh, [{"a"}]>
// CHECK-NEXT:    %[[SECOND:.*]] = sdy.sharding_constraint %[[FIRST]] <@mesh, [{"a"}]>
// CHECK-NEXT:    return %[[SECOND]], %[[FIRST]]
sdy.mesh @mesh = <["a"=2]>
func.func @equal_constraints(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  return %3, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A manual computation gets a new constraint, also for an operand that is used twice.
// CHECK-LABEL: func.func @manual_computation
// CHECK:         %[[EDGE:.*]] = sdy.data_flow_edge
// CHECK-NEXT:    %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[EDGE]] <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    stablehlo.negate %[[CONSTRAINT]]
// CHECK-NEXT:    sdy.manual_computation(%[[CONSTRAINT]], %[[CONSTRAINT]])
sdy.mesh @mesh = <["a"=2]>
func.func @manual_computation(%arg0: tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  sdy.manual_computation(%1, %1) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%arg1: tensor<4xf32>, %arg2: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}

// -----

// Unreduced axes are set on the edge; then it has a sharding, and the constraint on the
// other target is not applied.
// CHECK-LABEL: func.func @unreduced_axes
// CHECK:         %[[WHILE:.*]] = stablehlo.while(%[[ITER:.*]] = %arg0) : tensor<8x8xf32>
// CHECK:         do {
// CHECK-NEXT:      %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[ITER]] <@mesh, [{"a"}, {}], unreduced={"b"}>
// CHECK-NEXT:      stablehlo.return %[[CONSTRAINT]]
// CHECK:         %[[EDGE:.*]] = sdy.data_flow_edge %[[WHILE]] sharding=<@mesh, [{?}, {?}], unreduced={"b"}> : tensor<8x8xf32>
// CHECK-NEXT:    sdy.sharding_constraint %[[EDGE]] <@mesh, [{"a"}, {}]>
// CHECK-NEXT:    return %[[EDGE]]
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @unreduced_axes(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.while(%iter = %arg0) : tensor<8x8xf32>
  cond {
    %3 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %3 = sdy.sharding_constraint %iter <@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<8x8xf32>
    stablehlo.return %iter : tensor<8x8xf32>
  }
  %1 = sdy.data_flow_edge %0 : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @stays
// CHECK:         %[[EDGES:.*]]:3 = stablehlo.optimization_barrier
// CHECK:         %[[SHARDED:.*]] = sdy.data_flow_edge %[[EDGES]]#0 sharding=<@mesh, [{?}]>
// CHECK-NEXT:    %[[OPEN:.*]] = sdy.data_flow_edge %[[EDGES]]#1 : tensor<8xf32>
// CHECK-NEXT:    %[[DEMANDS:.*]] = sdy.data_flow_edge %[[EDGES]]#2 : tensor<8xf32>
// CHECK-NEXT:    stablehlo.add %[[SHARDED]], %[[OPEN]]
// CHECK-NEXT:    sdy.sharding_constraint %[[SHARDED]]
// CHECK-NEXT:    sdy.sharding_constraint %[[OPEN]]
// CHECK-NEXT:    sdy.sharding_constraint %[[DEMANDS]]
// CHECK-NEXT:    sdy.sharding_constraint %[[DEMANDS]]
sdy.mesh @mesh = <["a"=2]>
func.func @stays(%arg0: tensor<8xf32>) {
  %0:3 = stablehlo.optimization_barrier %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{?}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  %3 = sdy.data_flow_edge %0#2 : tensor<8xf32>
  %4 = stablehlo.add %1, %2 : tensor<8xf32>
  %5 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %6 = sdy.sharding_constraint %2 <@mesh, [{"a", ?}]> : tensor<8xf32>
  %7 = sdy.sharding_constraint %3 <@mesh, [{"a"}]> : tensor<8xf32>
  %8 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

// Edges between functions are ordinary ops.
// CHECK-LABEL: func.func private @callee
// CHECK-NEXT:    %[[EDGE:.*]] = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK:         return %[[EDGE]]
sdy.mesh @mesh = <["a"=2]>
func.func private @callee(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%arg0: tensor<8xf32>) {
  %0 = call @callee(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
