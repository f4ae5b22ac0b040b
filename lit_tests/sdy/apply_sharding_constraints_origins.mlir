// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -sdy-apply-sharding-constraints='debug-sharding-origins=true' 2>&1 | FileCheck %s

// From a constraint to its input; only axes of dimensions, each sub-axis with its own origin.
// CHECK-LABEL: func.func @constraints
// CHECK-SAME:    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {"b"}], replicated={"c"}>, sdy.sharding_origins = {"a:(1)2" = "constraint_0", b = "constraint_0"}}
// CHECK-NEXT:    sdy.sharding_constraint {{.*}} {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {"a:(1)2" = "self", b = "self"}, sdy.sharding_rule
// CHECK-NEXT:    sdy.sharding_constraint {{.*}} {sdy.sharding_origin_name = "constraint_1"} : tensor<8x8xf32>
// CHECK-NEXT:    "test.op"() {{.*}}sdy.sharding_origins = [{}, {c = "constraint_2"}]}
// CHECK-NEXT:    sdy.sharding_constraint {{.*}} {sdy.sharding_origin_name = "constraint_2", sdy.sharding_origins = {c = "self"}, sdy.sharding_rule
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
func.func @constraints(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a":(1)2}, {"b"}], replicated={"c"}> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %arg1 <@mesh, [{?}, {?}], unreduced={"c"}> : tensor<8x8xf32>
  %2:2 = "test.op"() : () -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %3 = sdy.sharding_constraint %2#1 <@mesh, [{"c"}, {}]> : tensor<8x8xf32>
  return
}

// -----

// The origin of the axes of an input that has a sharding is the first op that demands one.
// CHECK-LABEL: func.func @input_has_sharding
// CHECK-SAME:    sdy.sharding_origins = {b = "constraint_0"}}
// CHECK:         sdy.sharding_constraint {{.*}}sdy.sharding_origins = {a = "self"}}
// CHECK-NEXT:    sdy.sharding_constraint {{.*}}sdy.sharding_origins = {a = "self"}}
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @input_has_sharding(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  return
}

// -----

// Inputs come before outputs, and outputs in their order: the first origin of an axis stays.
// CHECK-LABEL: func.func @inputs_and_outputs
// CHECK-SAME:    %arg0: tensor<8x8xf32> {{{.*}}, sdy.sharding_origins = {a = "self", b = "output: 0", c = "output: 1"}}
// CHECK-SAME:    %arg1: tensor<8x8xf32> {sdy.sharding_origins = {b = "output: 2"}})
// CHECK-SAME:    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
// CHECK-SAME:    tensor<8x8xf32> {{{.*}}, sdy.sharding_origins = {a = "input: 0", b = "output: 0", c = "self"}},
// CHECK-SAME:    tensor<8x8xf32> {{{.*}}, sdy.sharding_origins = {b = "self"}})
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=2]>
func.func @inputs_and_outputs(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg1: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"b"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  return %arg0, %arg0, %arg1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @constraint_before_output
// CHECK-SAME:    %arg0: {{.*}}, sdy.sharding_origins = {a = "constraint_0"}})
// CHECK-SAME:    -> (tensor<8x8xf32> {{{.*}}, sdy.sharding_origins = {a = "constraint_0", b = "self"}})
// CHECK-NEXT:    sdy.sharding_constraint {{.*}}sdy.sharding_origins = {a = "self", b = "output: 0"}
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @constraint_before_output(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Manual computations: the edges hold the records, with the manual axes. Inner ones come first.
// CHECK-LABEL: func.func @manual_computation
// CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding_origins = {b = "mc_1_output: 0"}})
// CHECK-NEXT:    %[[SHARDED:.*]] = stablehlo.negate %arg0 {{{.*}}, sdy.sharding_origins = [{c = "mc_1_input: 0"}]}
// CHECK-NEXT:    sdy.manual_computation(%[[SHARDED]])
// CHECK-NEXT:      sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"b"}]> {sdy.sharding_origins = {a = "self", b = "mc_0_input: 0"}}
// CHECK-NEXT:      sdy.manual_computation
// CHECK-NEXT:        sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{}]> {sdy.sharding_origins = {b = "self"}}
// CHECK-NEXT:        sdy.return
// CHECK-NEXT:      } {sdy.sharding_origin_name = "mc_0"}
// CHECK:         } {sdy.sharding_origin_name = "mc_1"}
// CHECK-NEXT:    sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"b"}], replicated={"a"}> {sdy.sharding_origins = {b = "self"}}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @manual_computation(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"b"}], replicated={"a"}>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    %3 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"b"}]> : tensor<4xf32>
    sdy.manual_computation(%3) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[] manual_axes={"b"} (%arg2: tensor<2xf32>) {
      %5 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{}]> : tensor<2xf32>
      sdy.return
    } : (tensor<4xf32>) -> ()
    %4 = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.data_flow_edge %1 sharding=<@mesh, [{"b"}], replicated={"a"}> : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// The targets of an edge have one record; block arguments that own an edge have none.
// CHECK-LABEL: func.func @targets
// CHECK:         stablehlo.while
// CHECK-SAME:      attributes {sdy.sharding = {{.*}}, sdy.sharding_origins = [{a = "constraint_0"}]}
// CHECK:         sdy.named_computation
// CHECK:         } {sdy.sharding_origins = [{}]}
sdy.mesh @mesh = <["a"=2]>
func.func @targets(%arg0: tensor<8xf32>) {
  %0 = stablehlo.while(%iter = %arg0) : tensor<8xf32>
  cond {
    %2 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = sdy.sharding_constraint %iter <@mesh, [{"a"}]> : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  %1 = sdy.named_computation<"name">(%0) (%arg1: tensor<8xf32>) {
    %2 = sdy.sharding_constraint %arg1 <@mesh, [{"a"}]> : tensor<8xf32>
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Earlier records are replaced; those that stay get "self" as new ones do.
// CHECK-LABEL: func.func @present_records
// CHECK-SAME:    %arg0: {{.*}} {sdy.sharding = {{.*}}, sdy.sharding_origins = {a = "constraint_0"}},
// CHECK-SAME:    %arg1: {{.*}} {sdy.sharding_origins = {b = "self", c = "input: 0"}})
// CHECK:         "test.op"() {{{.*}}, sdy.sharding_origins = [{b = "input: 0"}, {a = "constraint_1"}]}
// CHECK:         "test.op"() {{{.*}}, sdy.sharding_origins = [{a = "constraint_2"}]}
// CHECK:         sdy.sharding_constraint {{.*}} {sdy.sharding_origin_name = "constraint_3", sdy.sharding_origins = {b = "self"}}
sdy.mesh @mesh = <["a"=2]>
func.func @present_records(%arg0: tensor<8xf32> {sdy.sharding_origins = {b = "input: 0"}}, %arg1: tensor<8xf32> {sdy.sharding_origins = {b = "input: 1", c = "input: 0"}}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  %1:2 = "test.op"() {sdy.sharding_origins = [{b = "input: 0"}, {b = "input: 0"}]} : () -> (tensor<8xf32>, tensor<8xf32>)
  %2 = sdy.sharding_constraint %1#1 <@mesh, [{"a"}]> : tensor<8xf32>
  %3 = "test.op"() {sdy.sharding_origins = "none"} : () -> tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"a"}]> : tensor<8xf32>
  %5 = sdy.sharding_constraint %arg1 <@mesh, [{?}]> {sdy.sharding_origins = {b = "constraint_3"}} : tensor<8xf32>
  return
}

// -----

// The use that was added last counts, if a value is returned more than once.
// CHECK-LABEL: func.func @returned_twice
// CHECK-SAME:    -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding_origins = {a = "constraint_0"}})
// CHECK-LABEL: func.func @returned_twice_by_replacement
// CHECK-SAME:    -> (tensor<8xf32> {sdy.sharding_origins = {a = "constraint_1"}}, tensor<8xf32>)
sdy.mesh @mesh = <["a"=2]>
func.func @returned_twice(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
func.func @returned_twice_by_replacement(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  return %1, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Functions of nested modules have no inputs and outputs.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = {{.*}}, sdy.sharding_origins = {a = "constraint_0"}})
sdy.mesh @mesh = <["a"=2]>
module {
  sdy.mesh @mesh = <["a"=2]>
  func.func @nested(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32>) {
    %0 = sdy.sharding_constraint %arg1 <@mesh, [{"a"}]> : tensor<8xf32>
    return
  }
}
