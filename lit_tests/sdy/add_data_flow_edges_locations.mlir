// RUN: sdy-opt %s -sdy-add-data-flow-edges -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s

// An edge has the location of its owner: an op, or a block argument.
sdy.mesh @mesh = <["a"=2]>
// CHECK:      sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{}]> : tensor<4xf32> loc("argument")
// CHECK:      sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"a"}]> : tensor<8xf32> loc("manual computation")
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32> loc("argument")) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32> loc("manual computation")
  return %0 : tensor<8xf32>
}
