// RUN: sdy-opt %s -split-input-file -sdy-basic-propagate | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sdy-basic-propagate='conservative-propagation=true keep-sharding-rules=true' | FileCheck %s --check-prefixes=KEPT

// Axes go from operands to results and back, and to the results of the function.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>}
// CHECK-SAME:    %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>}
// CHECK-SAME:    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
// KEPT-LABEL: func.func @main
func.func @main(
    %arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
    %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>}) -> tensor<8x4xf32> {
  // CHECK:      stablehlo.dot_general
  // CHECK-SAME:   {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
  // CHECK-SAME:   :
  // KEPT:       stablehlo.dot_general
  // KEPT-SAME:    sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}>
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Where tensors have different axes, none is propagated; axes that all agree on before them are.
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>

// CHECK-LABEL: func.func @conflict
func.func @conflict(
    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}]>}) -> tensor<8xf32> {
  // CHECK: stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z", ?}]>]>}
  %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A closed dimension gets no axis; neither does one whose tensor has the axis elsewhere, or replicated.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @refused
func.func @refused(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>}
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>} : tensor<8x8xf32>
  // CHECK: stablehlo.sine %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x"}]>]>}
  %1 = stablehlo.sine %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x"}]>]>} : tensor<8x8xf32>
  // CHECK: stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], replicated={"x"}>]>}
  %2 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], replicated={"x"}>]>} : tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A reshape divides an axis between two dimensions; a conservative propagation divides none.
sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: func.func @sub_axes
// KEPT-LABEL: func.func @sub_axes
func.func @sub_axes(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2x4xf32> {
  // CHECK: stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2, ?}, {"x":(2)2, ?}]>]>}
  // KEPT: stablehlo.reshape %arg0 {sdy.sharding_rule =
  %0 = stablehlo.reshape %arg0 : (tensor<8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A loop, through its edges: inits, what the body returns, the arguments of both regions.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @loop
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
func.func @loop(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32>
  cond {
    %2 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    // CHECK: stablehlo.tanh %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>}
    %2 = stablehlo.tanh %iterArg : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"x", ?}]>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Axes pass the border of a manual computation without its manual axes.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @manual
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}
func.func @manual(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
    // CHECK: %[[IN:.*]] = sdy.data_flow_edge %arg1 sharding=<@mesh, [{}, {"y", ?}]>
    %2 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{}, {?}]> : tensor<4x8xf32>
    // CHECK: stablehlo.abs %[[IN]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>}
    %3 = stablehlo.abs %2 : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"x"}, {"y", ?}]>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// All values of a group get the sharding of one. A barrier lets axes go one way only.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @group_and_barrier
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
func.func @group_and_barrier(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
    %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %arg1 group_id=0 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %arg1 allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y"}]>]>}
  %0 = sdy.propagation_barrier %arg1 allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y"}]>]>} : tensor<8x8xf32>
  return %0, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A rule of the user's is used, and stays.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @rule
func.func @rule(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8x4xf32> {
  // CHECK: stablehlo.custom_call @mine(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=8, j=4}, custom>}
  %0 = stablehlo.custom_call @mine(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=8, j=4}, custom>} : (tensor<8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Nothing is sharded: nothing changes, but that what nothing uses is erased.
// CHECK-LABEL: func.func @unsharded
// CHECK-NOT:     sdy.sharding
// CHECK-NOT:     stablehlo.sine
func.func @unsharded(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %arg0 : tensor<8xf32>
  %1 = stablehlo.abs %arg0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
