// RUN: sdy-opt %s -split-input-file -sdy-add-data-flow-edges -verify-diagnostics

func.func @has_an_edge(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{sdy op defining the input of the sdy.data_flow_edge}}
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  // expected-error@+1 {{expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other than an sdy.named_computation).}}
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @priority_of_manual_axis_alone(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0)
      in_shardings=[<@mesh, [{"a"}p1]>] out_shardings=[<@mesh, [{"a"}]>]
      // expected-error@+1 {{'sdy.data_flow_edge' op dim 0 is empty and closed but has a priority}}
      manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
