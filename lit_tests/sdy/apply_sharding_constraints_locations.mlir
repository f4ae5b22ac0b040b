// RUN: sdy-opt %s -sdy-apply-sharding-constraints -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s

// A new constraint has the location of the manual computation, a moved one keeps its own.
sdy.mesh @mesh = <["a"=2]>
// CHECK:      sdy.data_flow_edge %{{.*}}#0 : tensor<8xf32> loc("edge")
// CHECK-NEXT: sdy.sharding_constraint %{{.*}} <@mesh, [{"a"}]> : tensor<8xf32> loc("manual computation")
// CHECK-NEXT: sdy.data_flow_edge %{{.*}}#1 : tensor<8xf32> loc("edge")
// CHECK-NEXT: sdy.sharding_constraint %{{.*}} <@mesh, [{"a"}]> : tensor<8xf32> loc("constraint")
func.func @main(%arg0: tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  %1 = sdy.data_flow_edge %0#0 : tensor<8xf32> loc("edge")
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32> loc("edge")
  sdy.manual_computation(%1) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> () loc("manual computation")
  %3 = sdy.sharding_constraint %2 <@mesh, [{"a"}]> : tensor<8xf32> loc("constraint")
  return
}
