// RUN: sdy-opt %s -split-input-file -sdy-constant-splitter -verify-diagnostics

func.func @main() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @recursive(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @recursive(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'func.call' op calls @recursive recursively: its clones would need clones without end}}
  %0 = call @recursive(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @one(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @other(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func private @other(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'func.call' op calls @one recursively: its clones would need clones without end}}
  %0 = call @one(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @main() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = call @one(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
