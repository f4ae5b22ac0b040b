// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -sdy-apply-sharding-constraints 2>&1 | FileCheck %s

// Users after the last constraint of a chain use it; those before it, and the return, do not.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[INPUT:.*]] = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:    stablehlo.abs %[[INPUT]]
// CHECK-NEXT:    %[[FIRST:.*]] = sdy.sharding_constraint %[[INPUT]] <@mesh, [{?}]>
// CHECK-NEXT:    stablehlo.cosine %[[INPUT]]
// CHECK-NEXT:    %[[SECOND:.*]] = sdy.sharding_constraint %[[FIRST]] <@mesh, [{"a", ?}]>
// CHECK-NEXT:    %[[LAST:.*]] = sdy.sharding_constraint %[[SECOND]] <@mesh, [{?}]>
// CHECK-NEXT:    stablehlo.add %[[LAST]], %[[LAST]]
// CHECK-NEXT:    stablehlo.sine %[[LAST]]
// CHECK-NEXT:    return %[[INPUT]], %[[LAST]]
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @chain(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = stablehlo.abs %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{?}]> : tensor<8xf32>
  %3 = stablehlo.cosine %0 : tensor<8xf32>
  %4 = sdy.sharding_constraint %2 <@mesh, [{"a", ?}]> : tensor<8xf32>
  %5 = sdy.sharding_constraint %4 <@mesh, [{?}]> : tensor<8xf32>
  %6 = stablehlo.add %0, %0 : tensor<8xf32>
  %7 = stablehlo.sine %0 : tensor<8xf32>
  return %0, %5 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The chain is found before the input gets the sharding of its first constraint.
// CHECK-LABEL: func.func @applied_later
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
// CHECK-NEXT:    %[[FIRST:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> {sdy.sharding_rule
// CHECK-NEXT:    %[[LAST:.*]] = sdy.sharding_constraint %[[FIRST]] <@mesh, [{"b"}]> : tensor<8xf32>
// CHECK-NEXT:    stablehlo.negate %[[LAST]]
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @applied_later(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b"}]> : tensor<8xf32>
  %2 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}

// -----

// The first constraint then takes over the remaining uses, if its input is an edge.
// CHECK-LABEL: func.func @at_edge
// CHECK:         %[[EDGE:.*]] = sdy.data_flow_edge
// CHECK-NEXT:    %[[FIRST:.*]] = sdy.sharding_constraint %[[EDGE]] <@mesh, [{"a"}]>
// CHECK-NEXT:    stablehlo.negate %[[FIRST]]
// CHECK-NEXT:    %[[LAST:.*]] = sdy.sharding_constraint %[[FIRST]] <@mesh, [{"b"}]>
// CHECK-NEXT:    stablehlo.negate %[[LAST]]
// CHECK-NEXT:    return %[[FIRST]]
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @at_edge(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"b"}]> : tensor<8xf32>
  %5 = stablehlo.negate %1 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Only users in the block of the last constraint: not those in regions after it.
// CHECK-LABEL: func.func @same_block
// CHECK-NEXT:    %[[FIRST:.*]] = sdy.sharding_constraint %arg0
// CHECK-NEXT:    %[[LAST:.*]] = sdy.sharding_constraint %[[FIRST]]
// CHECK-NEXT:    "stablehlo.case"
// CHECK-NEXT:      stablehlo.return %arg0
// CHECK:         stablehlo.optimization_barrier %[[LAST]]
sdy.mesh @mesh = <["a"=2]>
func.func @same_block(%arg0: tensor<8xf32>, %arg1: tensor<i32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = "stablehlo.case"(%arg1) ({
    stablehlo.return %arg0 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %3 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  return
}

// -----

// `func.return` is the only return that is spared; a value that cannot have a sharding has
// none.
// CHECK-LABEL: func.func @in_region
// CHECK:         "test.op"() ({
// CHECK-NEXT:    ^bb0(%[[ARG:.*]]: tensor<8xf32>):
// CHECK-NEXT:      %[[FIRST:.*]] = sdy.sharding_constraint %[[ARG]]
// CHECK-NEXT:      %[[LAST:.*]] = sdy.sharding_constraint %[[FIRST]]
// CHECK-NEXT:      stablehlo.return %[[LAST]]
sdy.mesh @mesh = <["a"=2]>
func.func @in_region() {
  "test.op"() ({
  ^bb0(%arg0: tensor<8xf32>):
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}]> : tensor<8xf32>
    stablehlo.return %arg0 : tensor<8xf32>
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @one_constraint
// CHECK-NEXT:    sdy.sharding_constraint %arg0
// CHECK-NEXT:    stablehlo.negate %arg0
sdy.mesh @mesh = <["a"=2]>
func.func @one_constraint(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %1 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @input_has_sharding
// CHECK:         stablehlo.negate %arg0
sdy.mesh @mesh = <["a"=2]>
func.func @input_has_sharding(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}]> : tensor<8xf32>
  %2 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @other_constraint_on_input
// CHECK-COUNT-3: sdy.sharding_constraint
// CHECK-NEXT:    stablehlo.negate %arg0
sdy.mesh @mesh = <["a"=2]>
func.func @other_constraint_on_input(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %3 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @manual_computation_on_input
// CHECK:         stablehlo.negate %arg0
sdy.mesh @mesh = <["a"=2]>
func.func @manual_computation_on_input(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{?}]>] out_shardings=[] manual_axes={} (%arg1: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  %2 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}

// -----

// The chain begins at the first constraint, not at the second.
// CHECK-LABEL: func.func @used_in_between
// CHECK:         %[[SECOND:.*]] = sdy.sharding_constraint %{{.*}} <@mesh, [{"a", ?}]>
// CHECK-NEXT:    sdy.sharding_constraint %[[SECOND]] <@mesh, [{?}]>
// CHECK-NEXT:    stablehlo.negate %arg0
// CHECK-NEXT:    stablehlo.negate %[[SECOND]]
sdy.mesh @mesh = <["a"=2]>
func.func @used_in_between(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<8xf32>
  %3 = stablehlo.negate %arg0 : tensor<8xf32>
  %4 = stablehlo.negate %1 : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @ends_in_two_constraints
// CHECK-COUNT-4: sdy.sharding_constraint
// CHECK-NEXT:    stablehlo.negate %arg0
sdy.mesh @mesh = <["a"=2]>
func.func @ends_in_two_constraints(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %4 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @ends_in_manual_computation
// CHECK:         stablehlo.negate %arg0
sdy.mesh @mesh = <["a"=2]>
func.func @ends_in_manual_computation(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  sdy.manual_computation(%1) in_shardings=[<@mesh, [{?}]>] out_shardings=[] manual_axes={} (%arg1: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  %2 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}
