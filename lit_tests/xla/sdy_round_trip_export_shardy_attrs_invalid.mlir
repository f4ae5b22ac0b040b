// RUN: sdy-opt %s -split-input-file -xla-sdy-round-trip-export-shardy-attrs -verify-diagnostics

sdy.mesh @mesh = <["x"=2]>
func.func @edge(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.data_flow_edge' op has no form in frontend attributes; a module is exported before propagation and its import passes, by -xla-sdy-round-trip-export-pipeline}}
  %0 = sdy.data_flow_edge %arg0 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{'func.func' op result #1 has a sharding, but the function has no body}}
func.func private @declared() -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
