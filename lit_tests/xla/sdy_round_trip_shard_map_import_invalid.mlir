// RUN: sdy-opt %s -split-input-file -xla-sdy-round-trip-shard-map-import -verify-diagnostics

func.func @no_body() {
  // expected-error@+1 {{'func.call' op calls @xla.sdy.manual_computation_body, which is not a function with a body of one block}}
  call @xla.sdy.manual_computation_body() : () -> ()
  return
}
func.func private @xla.sdy.manual_computation_body()

// -----

func.func private @xla.sdy.manual_computation_body() {
  // expected-error@+1 {{calls @xla.sdy.manual_computation_body from within itself}}
  call @xla.sdy.manual_computation_body() : () -> ()
  return
}

// -----

func.func @operands(%arg0: tensor<4xf32>) {
  // expected-error@+1 {{expected operands made by xla.sdy.GlobalToLocalShape}}
  call @xla.sdy.manual_computation_body(%arg0) : (tensor<4xf32>) -> ()
  return
}
func.func private @xla.sdy.manual_computation_body(%arg0: tensor<4xf32>) {
  return
}

// -----

func.func @results() -> tensor<4xf32> {
  // expected-error@+1 {{expected results used by xla.sdy.LocalToGlobalShape}}
  %0 = call @xla.sdy.manual_computation_body() : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @text() -> tensor<8xf32> {
  %0 = call @xla.sdy.manual_computation_body() : () -> tensor<4xf32>
  // expected-error@+1 {{lacks the frontend attribute 'xla.sdy.out_shardings'}}
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) : (tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @used_twice() -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = call @xla.sdy.manual_computation_body() : () -> tensor<4xf32>
  // expected-error@+1 {{expected the results of the call of @xla.sdy.manual_computation_body, used nowhere else}}
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) : (tensor<4xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @too_few(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{expected a result for each operand of the call of @xla.sdy.manual_computation_body}}
  %0:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  call @xla.sdy.manual_computation_body(%0#0) : (tensor<4xf32>) -> ()
  return
}
func.func private @xla.sdy.manual_computation_body(%arg0: tensor<4xf32>) {
  return
}
