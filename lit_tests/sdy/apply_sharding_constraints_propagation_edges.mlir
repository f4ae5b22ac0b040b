// RUN: sdy-opt %s -split-input-file -sdy-apply-sharding-constraints='debug-propagation-edge-sharding=true' 2>&1 | FileCheck %s

// A step is counted unless the sharding is empty; the axes of dimensions are recorded, sorted by
// name.
// CHECK-LABEL: func.func @steps
// CHECK-NEXT:    sdy.sharding_constraint %arg0 {{.*}} {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = result-0 -> [operand-0]}, {"b":(1)2 = result-0 -> [operand-0]}, {"b":(2)2 = result-0 -> [operand-0]}, {"c" = result-0 -> [operand-0]}]}]>, sdy.sharding_rule
// CHECK-NEXT:    sdy.sharding_constraint %arg1 {{.*}} {sdy.sharding_rule
// CHECK-NEXT:    sdy.sharding_constraint %arg2 {{.*}} {sdy.sharding_rule
// CHECK-NEXT:    sdy.sharding_constraint %arg3 {{.*}} {sdy.sharding_rule
// CHECK-NEXT:    sdy.sharding_constraint %arg4 {{.*}} {sdy.propagation_edges = #sdy.propagation_edges<[{step-3 = [{"a" = result-0 -> [operand-0]}]}]>, sdy.sharding_rule
sdy.mesh @mesh = <["c"=2, "b"=4, "a"=2]>
func.func @steps(%arg0: tensor<8x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"c", "b":(2)2}, {"b":(1)2, "a"}]> : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %arg1 <@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %arg2 <@mesh, []> : tensor<f32>
  %3 = sdy.sharding_constraint %arg3 <@mesh, [], replicated={"a"}> : tensor<f32>
  %4 = sdy.sharding_constraint %arg4 <@mesh, [{"a"}], unreduced={"b"}> : tensor<8xf32>
  return
}

// -----

// Neither manual computations nor constraints that are not applied, or at an edge, count.
// CHECK-LABEL: func.func @not_counted
// CHECK:         sdy.sharding_constraint %{{.*}} <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK:         sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
// CHECK:         sdy.manual_computation
// CHECK:         sdy.sharding_constraint %arg2 {{.*}}{step-0 =
sdy.mesh @mesh = <["a"=2]>
func.func @not_counted(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
  sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%arg3: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  %4 = sdy.sharding_constraint %arg2 <@mesh, [{"a"}]> : tensor<8xf32>
  return
}

// -----

// Steps are numbered after the last one in the module; an earlier record of an op is replaced.
// CHECK-LABEL: func.func @continues
// CHECK-NEXT:    sdy.sharding_constraint %arg0 {{.*}} {sdy.propagation_edges = #sdy.propagation_edges<[{step-8 = [{"a" = result-0 -> [operand-0]}]}]>,
// CHECK-NEXT:    sdy.sharding_constraint %arg1 {{.*}} {sdy.propagation_edges = #sdy.propagation_edges<[{step-7 = [{"b" = operand-0 -> [result-0]}]}, {step-2 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @continues(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-4 = [{"b" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %arg1 <@mesh, [{?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-7 = [{"b" = operand-0 -> [result-0]}]}, {step-2 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
