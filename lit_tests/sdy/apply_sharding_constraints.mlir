// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -sdy-apply-sharding-constraints 2>&1 | FileCheck %s

// With or without uses, an op result or an argument: the input gets the sharding, and the
// constraint a sharding rule.
// CHECK-LABEL: func.func @copies_sharding
// CHECK-SAME:    %arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}
// CHECK-SAME:    %arg1: tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    %[[ADD:.*]] = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}p1], replicated={"a"}, unreduced={"c"}>]>}
// CHECK-NEXT:    %[[USED:.*]] = sdy.sharding_constraint %[[ADD]] <@mesh, [{}, {"b"}p1], replicated={"a"}, unreduced={"c"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>}
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"a", "b"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>}
// CHECK-NEXT:    return %[[USED]]
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @copies_sharding(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"b"}p1], replicated={"a"}, unreduced={"c"}> : tensor<8x4xf32>
  %2 = sdy.sharding_constraint %arg0 <@mesh, [{"a", "b"}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @rules
// CHECK-NEXT:    sdy.sharding_constraint {{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : tensor<f32>
// CHECK-NEXT:    sdy.sharding_constraint {{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=1, j=0}>} : tensor<1x0xf32>
// CHECK-NEXT:    sdy.sharding_constraint {{.*}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1])->
// CHECK-NEXT:    sdy.sharding_constraint %arg3 <@mesh, []> : !stablehlo.token
sdy.mesh @mesh = <["a"=2]>
func.func @rules(%arg0: tensor<f32>, %arg1: tensor<1x0xf32>, %arg2: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, %arg3: !stablehlo.token) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, []> : tensor<f32>
  %1 = sdy.sharding_constraint %arg1 <@mesh, [{"a"}, {}]> : tensor<1x0xf32>
  %2 = sdy.sharding_constraint %arg2 <@mesh, [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]> : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  %3 = sdy.sharding_constraint %arg3 <@mesh, []> : !stablehlo.token
  return
}

// -----

// CHECK-LABEL: func.func @keeps_rule
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} blocked_propagation={i}>}
sdy.mesh @mesh = <["a"=2]>
func.func @keeps_rule(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} blocked_propagation={i}>} : tensor<8xf32>
  return
}

// -----

// Other results are left open; values without dimensions cannot be sharded anyway.
// CHECK-LABEL: func.func @several_results
// CHECK:         "test.op"() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>, <@mesh, [{"a"}]>, <@mesh, []>, <@mesh, []>]>}
sdy.mesh @mesh = <["a"=2]>
func.func @several_results() {
  %0:4 = "test.op"() : () -> (tensor<8x?xf32>, tensor<8xf32>, tensor<f32>, !stablehlo.token)
  %1 = sdy.sharding_constraint %0#1 <@mesh, [{"a"}]> : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @input_has_sharding
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %[[ADD:.*]] = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// CHECK-NEXT:    sdy.sharding_constraint %[[ADD]] <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %[[RESHARD:.*]] = sdy.reshard %[[ADD]] <@mesh, [{?}]>
// CHECK-NEXT:    sdy.sharding_constraint %[[RESHARD]] <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %[[SLICE:.*]] = sdy.all_slice
// CHECK-NEXT:    sdy.sharding_constraint %[[SLICE]] <@mesh, [{"a"}]> : tensor<8xf32>
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @input_has_sharding(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %3 = sdy.reshard %1 <@mesh, [{?}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"a"}]> : tensor<8xf32>
  %5 = sdy.all_slice [{"a"}] %1 out_sharding=<@mesh, [{"b", "a"}]> : tensor<8xf32>
  %6 = sdy.sharding_constraint %5 <@mesh, [{"a"}]> : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @open_dimension
// CHECK-SAME:    %arg0: tensor<8x8xf32>)
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {?}]> : tensor<8x8xf32>
sdy.mesh @mesh = <["a"=2]>
func.func @open_dimension(%arg0: tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {?}]> : tensor<8x8xf32>
  return
}

// -----

// The first of two equal constraints is applied, and gets the rule; of two different ones,
// none.
// CHECK-LABEL: func.func @several_constraints
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32>)
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> {sdy.sharding_rule
// CHECK-NEXT:    sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    sdy.sharding_constraint %arg1 <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    sdy.sharding_constraint %arg1 <@mesh, [{?}]> : tensor<8xf32>
sdy.mesh @mesh = <["a"=2]>
func.func @several_constraints(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg1 <@mesh, [{"a"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %arg1 <@mesh, [{?}]> : tensor<8xf32>
  return
}

// -----

// Ops in regions use a value as others do.
// CHECK-LABEL: func.func @constraint_in_region
// CHECK-SAME:    %arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>},
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @constraint_in_region(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = "stablehlo.case"(%arg2) ({
    %2 = sdy.sharding_constraint %arg0 <@mesh, [{"b"}]> : tensor<8xf32>
    %3 = sdy.sharding_constraint %arg1 <@mesh, [{"b"}]> : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return
}

// -----

// The in shardings of a manual computation are constraints, without a rule, and also if
// nothing else uses the operand.
// CHECK-LABEL: func.func @manual_computation
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
// CHECK-SAME:    %arg1: tensor<8xf32>,
// CHECK-SAME:    %arg2: tensor<8xf32>,
// CHECK-SAME:    %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
// CHECK-SAME:    %arg4: tensor<8xf32>)
// CHECK-NEXT:    %[[DANGLING:.*]] = sdy.sharding_constraint %arg2 <@mesh, [{"b"}]> : tensor<8xf32>
// CHECK-NEXT:    sdy.sharding_constraint %arg3 <@mesh, [{"a"}]> {sdy.sharding_rule
// CHECK-NEXT:    sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg4)
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @manual_computation(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg2 <@mesh, [{"b"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg3 <@mesh, [{"a"}]> : tensor<8xf32>
  sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg4)
      in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"a", ?}]>, <@mesh, [{"a"}]>, <@mesh, [{"a"}]>, <@mesh, [{"a"}]>, <@mesh, [{"a", "b"}]>]
      out_shardings=[] manual_axes={"a"} (%arg5: tensor<4xf32>, %arg6: tensor<4xf32>, %arg7: tensor<4xf32>, %arg8: tensor<4xf32>, %arg9: tensor<4xf32>, %arg10: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> ()
  return
}

// -----

// Without a `sdy.data_flow_edge` the op holds the sharding of the edge; block arguments of a
// manual computation have one already.
// CHECK-LABEL: func.func @without_edges
// CHECK:         %[[WHILE:.*]]:2 = stablehlo.while
// CHECK-SAME:      attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>}
// CHECK:         sdy.sharding_constraint %[[WHILE]]#1 <@mesh, [{"b"}]> : tensor<8xf32>
// CHECK:         sdy.named_computation<"name">(%[[WHILE]]#0, %[[WHILE]]#0) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{"b"}]>]
// CHECK:         sdy.manual_computation
// CHECK-SAME:      (%[[IN:[a-z0-9]+]]: tensor<4xf32>) {
// CHECK-NEXT:      sdy.sharding_constraint %[[IN]] <@mesh, [{"b"}]> : tensor<4xf32>
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @without_edges(%arg0: tensor<8xf32>) {
  %0:2 = stablehlo.while(%iter0 = %arg0, %iter1 = %arg0) : tensor<8xf32>, tensor<8xf32>
  cond {
    %4 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = sdy.sharding_constraint %iter1 <@mesh, [{"a"}]> : tensor<8xf32>
    stablehlo.return %iter0, %4 : tensor<8xf32>, tensor<8xf32>
  }
  %1 = sdy.sharding_constraint %0#1 <@mesh, [{"b"}]> : tensor<8xf32>
  %2 = sdy.named_computation<"name">(%0#0, %0#0) (%arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
    %4 = sdy.sharding_constraint %arg1 <@mesh, [{"a"}]> : tensor<8xf32>
    sdy.return %arg2 : tensor<8xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"b"}]> : tensor<8xf32>
  sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    %4 = sdy.sharding_constraint %arg1 <@mesh, [{"b"}]> : tensor<4xf32>
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// Block arguments of other ops cannot have a sharding.
// CHECK-LABEL: func.func @no_place_for_sharding
// CHECK:         ^bb0(%[[ARG:.*]]: tensor<8xf32>):
// CHECK-NEXT:      sdy.sharding_constraint %[[ARG]] <@mesh, [{"a"}]> : tensor<8xf32>
sdy.mesh @mesh = <["a"=2]>
func.func @no_place_for_sharding() {
  "test.op"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

// Arguments of later blocks share shardings with function arguments of their number.
// CHECK-LABEL: func.func @several_blocks
// CHECK-SAME:    %arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
// CHECK:       ^bb1(%[[ARG0:.*]]: tensor<8xf32>, %[[ARG1:.*]]: tensor<8xf32>):
// CHECK-NEXT:    sdy.sharding_constraint %[[ARG1]] <@mesh, [{"a"}]> {sdy.sharding_rule
sdy.mesh @mesh = <["a"=2]>
func.func @several_blocks(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  cf.br ^bb1(%arg1, %arg0 : tensor<8xf32>, tensor<8xf32>)
^bb1(%0: tensor<8xf32>, %1: tensor<8xf32>):
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @no_constraints
// CHECK-SAME:    (%arg0: tensor<8xf32> {test.attr}) {
// CHECK-NEXT:    stablehlo.add %arg0, %arg0 : tensor<8xf32>
func.func @no_constraints(%arg0: tensor<8xf32> {test.attr}) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return
}
