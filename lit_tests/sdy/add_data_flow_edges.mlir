// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -sdy-add-data-flow-edges 2>&1 | FileCheck %s

// CHECK-LABEL: func.func @optimization_barrier
// CHECK-SAME:    %[[ARG0:.*]]: tensor<8xf32>, %[[ARG1:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[BARRIER:.*]]:2 = stablehlo.optimization_barrier %[[ARG0]], %[[ARG1]]
// CHECK-NEXT:    %[[EDGE0:.*]] = sdy.data_flow_edge %[[BARRIER]]#0 : tensor<8xf32>
// CHECK-NEXT:    %[[EDGE1:.*]] = sdy.data_flow_edge %[[BARRIER]]#1 : tensor<4xf32>
// CHECK-NEXT:    %[[ADD:.*]] = stablehlo.add %[[EDGE0]], %[[EDGE0]]
// CHECK-NEXT:    return %[[ADD]], %[[EDGE1]]
func.func @optimization_barrier(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
  %1 = stablehlo.add %0#0, %0#0 : tensor<8xf32>
  return %1, %0#1 : tensor<8xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @takes_sharding
// CHECK:         %[[BARRIER:.*]]:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}], replicated={"b"}>]>}
// CHECK-NEXT:    sdy.data_flow_edge %[[BARRIER]]#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    sdy.data_flow_edge %[[BARRIER]]#1 sharding=<@mesh, [{?}], replicated={"b"}> : tensor<4xf32>
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @takes_sharding(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}], replicated={"b"}>]>} %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @without_uses
// CHECK:         %[[BARRIER:.*]] = stablehlo.optimization_barrier
// CHECK-NEXT:    sdy.data_flow_edge %[[BARRIER]] : tensor<8xf32>
// CHECK-NEXT:    return
func.func @without_uses(%arg0: tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  return
}

// -----

// The results own the edges, not the block arguments.
// CHECK-LABEL: func.func @while
// CHECK:         %[[WHILE:.*]]:2 = stablehlo.while(%[[ITER0:.*]] = %arg0, %[[ITER1:.*]] = %arg1)
// CHECK-SAME:      attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, []>]>}
// CHECK:           stablehlo.compare LT, %[[ITER1]], %[[ITER1]]
// CHECK:         do {
// CHECK-NEXT:      %[[ADD:.*]] = stablehlo.add %[[ITER0]], %[[ITER0]]
// CHECK-NEXT:      stablehlo.return %[[ADD]], %[[ITER1]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[EDGE0:.*]] = sdy.data_flow_edge %[[WHILE]]#0 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %[[EDGE1:.*]] = sdy.data_flow_edge %[[WHILE]]#1 sharding=<@mesh, []> : tensor<i32>
// CHECK-NEXT:    return %[[EDGE0]], %[[EDGE1]]
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @while(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<i32>) {
  %0:2 = stablehlo.while(%iter0 = %arg0, %iter1 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, []>]>}
  cond {
    %1 = stablehlo.compare LT, %iter1, %iter1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %iter0, %iter0 : tensor<8xf32>
    stablehlo.return %1, %iter1 : tensor<8xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func @case
// CHECK:         %[[CASE:.*]] = "stablehlo.case"
// CHECK:           %[[BARRIER:.*]] = stablehlo.optimization_barrier
// CHECK-NEXT:      %[[INNER:.*]] = sdy.data_flow_edge %[[BARRIER]] : tensor<8xf32>
// CHECK-NEXT:      stablehlo.return %[[INNER]]
// CHECK:         }) : (tensor<i32>) -> tensor<8xf32>
// CHECK-NEXT:    %[[EDGE:.*]] = sdy.data_flow_edge %[[CASE]] : tensor<8xf32>
// CHECK-NEXT:    return %[[EDGE]]
func.func @case(%arg0: tensor<i32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%arg0) ({
    %1 = stablehlo.optimization_barrier %arg1 : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    stablehlo.return %arg1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The body of a manual computation sees a sharding without the manual axes.
// CHECK-LABEL: func.func @manual_computation
// CHECK:         %[[MANUAL:.*]]:2 = sdy.manual_computation(%arg0, %arg1)
// CHECK-SAME:      (%[[IN0:[a-z0-9]+]]: tensor<2x8xf32>, %[[IN1:[a-z0-9]+]]: tensor<8xf32>) {
// CHECK-NEXT:      %[[EDGE0:.*]] = sdy.data_flow_edge %[[IN0]] sharding=<@mesh, [{"b"}p1, {?}]> : tensor<2x8xf32>
// CHECK-NEXT:      %[[EDGE1:.*]] = sdy.data_flow_edge %[[IN1]] sharding=<@mesh, [{"b", ?}], unreduced={"c"}> : tensor<8xf32>
// CHECK-NEXT:      %[[ADD:.*]] = stablehlo.add %[[EDGE0]], %[[EDGE0]]
// CHECK-NEXT:      sdy.return %[[ADD]], %[[EDGE1]]
// CHECK-NEXT:    }
// CHECK-NEXT:    sdy.data_flow_edge %[[MANUAL]]#0 sharding=<@mesh, [{"a", "b", ?}, {?}]> : tensor<8x8xf32>
// CHECK-NEXT:    sdy.data_flow_edge %[[MANUAL]]#1 sharding=<@mesh, [{"b", ?}], replicated={"a"}> : tensor<8xf32>
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
func.func @manual_computation(%arg0: tensor<8x8xf32>, %arg1: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0:2 = sdy.manual_computation(%arg0, %arg1)
      in_shardings=[<@mesh, [{"a", "b"}p1, {?}]>, <@mesh, [{"b", ?}], replicated={"a":(1)2}, unreduced={"a":(2)2, "c"}>]
      out_shardings=[<@mesh, [{"a", "b", ?}, {?}]>, <@mesh, [{"b", ?}], replicated={"a"}>]
      manual_axes={"a"} (%arg2: tensor<2x8xf32>, %arg3: tensor<8xf32>) {
    %1 = stablehlo.add %arg2, %arg2 : tensor<2x8xf32>
    sdy.return %1, %arg3 : tensor<2x8xf32>, tensor<8xf32>
  } : (tensor<8x8xf32>, tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @named_computation
// CHECK:         %[[FIRST:.*]] = sdy.named_computation<"first">
// CHECK-SAME:      (%[[IN:[a-z0-9]+]]: tensor<8xf32>) {
// CHECK-NEXT:      %[[EDGE:.*]] = sdy.data_flow_edge %[[IN]] sharding=<@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:      sdy.return %[[EDGE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[FIRST_EDGE:.*]] = sdy.data_flow_edge %[[FIRST]] : tensor<8xf32>
// CHECK-NEXT:    %[[SECOND:.*]] = sdy.named_computation<"second">(%[[FIRST_EDGE]])
// CHECK-SAME:      (%[[IN:[a-z0-9]+]]: tensor<8xf32>) {
// CHECK-NEXT:      sdy.data_flow_edge %[[IN]] : tensor<8xf32>
// CHECK:         sdy.data_flow_edge %[[SECOND]] sharding=<@mesh, [{"b"}]> : tensor<8xf32>
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @named_computation(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"first">(%arg0) in_shardings=[<@mesh, [{"a"}]>] (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"second">(%0) out_shardings=[<@mesh, [{"b"}]>] (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @mpmd_fragment
// CHECK:         %[[FRAGMENT:.*]] = mpmd.fragment
// CHECK-SAME:      (%[[IN:[a-z0-9]+]]: tensor<8xf32>) {
// CHECK-NEXT:      sdy.data_flow_edge %[[IN]] sharding=<@mesh, [{"a"}]> : tensor<8xf32>
// CHECK:         sdy.data_flow_edge %[[FRAGMENT]] sharding=<@mesh, [{?}]> : !mpmd.mesh_tensor<"m", tensor<8xf32>>
sdy.mesh @mesh = <["a"=2]>
func.func @mpmd_fragment(%arg0: !mpmd.mesh_tensor<"m", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>> attributes {topology = #mpmd.topology<<"m" : <["a"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"], in_shardings=[<@mesh, [{"a"}]>], out_shardings=[<@mesh, [{?}]>]> (%arg0) (%arg1: tensor<8xf32>) {
    mpmd.return %arg1 : tensor<8xf32>
  } : (!mpmd.mesh_tensor<"m", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m", tensor<8xf32>>
  return %0 : !mpmd.mesh_tensor<"m", tensor<8xf32>>
}

// -----

// CHECK-LABEL: func.func @mpmd_for
// CHECK:         %[[FOR:.*]] = mpmd.for
// CHECK-NEXT:      mpmd.return
// CHECK-NEXT:    }
// CHECK-NEXT:    sdy.data_flow_edge %[[FOR]] : tensor<8xf32>
func.func @mpmd_for(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mpmd.for (%arg0) {iterations = 2 : ui32, unroll_factor = 2 : ui32} (%arg1: tensor<8xf32>, %index: tensor<ui32>) {
    mpmd.return %arg1 : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Without a static shape there is no edge.
// CHECK-LABEL: func.func @skips_without_static_shape
// CHECK:         %[[BARRIER:.*]]:3 = stablehlo.optimization_barrier
// CHECK-NEXT:    %[[EDGE:.*]] = sdy.data_flow_edge %[[BARRIER]]#1 : tensor<8xf32>
// CHECK-NEXT:    return %[[BARRIER]]#0, %[[EDGE]], %[[BARRIER]]#2
func.func @skips_without_static_shape(%arg0: !stablehlo.token, %arg1: tensor<8xf32>, %arg2: tensor<?xf32>) -> (!stablehlo.token, tensor<8xf32>, tensor<?xf32>) {
  %0:3 = stablehlo.optimization_barrier %arg0, %arg1, %arg2 : !stablehlo.token, tensor<8xf32>, tensor<?xf32>
  return %0#0, %0#1, %0#2 : !stablehlo.token, tensor<8xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @skips_other_ops
// CHECK-NOT:     data_flow_edge
// CHECK:         return
func.func @skips_other_ops(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
  %1 = "stablehlo.if"(%arg1) ({
    stablehlo.return %0 : tensor<8xf32>
  }, {
    stablehlo.return %arg0 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %2 = "test.op"(%1) ({
  ^bb0(%arg2: tensor<8xf32>):
    "test.end"(%arg2) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
