// RUN: sdy-opt %s -split-input-file -allow-unregistered-dialect -async-wrap='attribute=foo.mark' -verify-diagnostics

func.func @first_class(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %a {foo.mark} : tensor<8xf32>
  // expected-error@+1 {{'stablehlo.collective_permute' op cannot be wrapped: collective_permute has asynchronous opcodes of its own in HLO}}
  %1 = "stablehlo.collective_permute"(%0) {foo.mark, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @copy(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.copy' op cannot be wrapped: copy has asynchronous opcodes of its own in HLO}}
  %0 = mhlo.copy %a {foo.mark} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @terminator(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'func.return' op cannot be wrapped: it is not an operation that a thread could run}}
  return {foo.mark} %a : tensor<8xf32>
}

// -----

func.func @type(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'foo.op' op cannot be wrapped: a bundle cannot hold the type index}}
  %0 = "foo.op"(%a) {foo.mark} : (tensor<8xf32>) -> index
  return %a : tensor<8xf32>
}

// -----

func.func @chain(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'mhlo.async_start' op cannot be wrapped: it is not an operation that a thread could run}}
  %0 = "mhlo.async_start"(%a) {called_computation = @f, execution_thread = "main", foo.mark} : (tensor<8xf32>) -> !mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>
  %1 = "mhlo.async_done"(%0) : (!mhlo.async_bundle<tuple<tensor<8xf32>>, tensor<8xf32>>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "main"} {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @tuple(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'stablehlo.custom_call' op cannot be wrapped: a bundle takes a tuple for several results; the operation has one}}
  %0 = stablehlo.custom_call @f(%a) {foo.mark} : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<8xf32>, tensor<i32>>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
