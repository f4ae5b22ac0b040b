// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-flatten-call-graph

func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @even(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @even(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @odd(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @odd(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'func.call' op calls @even recursively: its clones would need clones without end}}
  %0 = call @even(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
