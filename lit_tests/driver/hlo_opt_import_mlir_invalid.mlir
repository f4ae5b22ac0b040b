// RUN: hlo-opt %s --split-input-file --verify-diagnostics
// RUN: not hlo-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: hlo_opt_import_mlir_invalid.mlir:7:11: error: op stablehlo.cholesky has no form in HLO
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{op stablehlo.cholesky has no form in HLO}}
  %chol = stablehlo.cholesky %a : tensor<2x2xf32>
  return %chol : tensor<2x2xf32>
}

// -----

// The place is that in the text, whatever the location says.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{op stablehlo.abs has no form in HLO: attribute mine.note would be lost}}
  %0 = stablehlo.abs %a {mine.note = 1 : i32} : tensor<4xf32> loc("other.py":1:1)
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{an argument has no form in HLO: type tensor<?xf32> has no shape in HLO}}
func.func @main(%a: tensor<?xf32>) {
  return
}

// -----

// expected-error@+1 {{a program needs a function @main, its entry}}
module {
  func.func @other() {
    return
  }
}

// -----

module {
  // expected-error@+1 {{op builtin.module has no form in HLO}}
  module @inner {
  }
}

// -----

// expected-error@+1 {{function @f has no body, and no form in HLO}}
func.func private @f()
func.func @main() {
  return
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{use of undeclared SSA value name}}
  return %b : tensor<4xf32>
}

// -----

func.func private @w(%a: tensor<4xf32>) -> tensor<4xf32> attributes {execution_thread = "host"} {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{The async-start instruction requires one consumer, found 2}}
  %0 = "mhlo.async_start"(%a) {called_computation = @w, execution_thread = "host"} : (tensor<4xf32>) -> !mhlo.async_bundle<tuple<tensor<4xf32>>, tensor<4xf32>> loc("s")
  // expected-note@+1 {{a consumer is %async-done}}
  %1 = "mhlo.async_done"(%0) : (!mhlo.async_bundle<tuple<tensor<4xf32>>, tensor<4xf32>>) -> tensor<4xf32>
  // expected-note@+1 {{a consumer is %async-done.1}}
  %2 = "mhlo.async_done"(%0) : (!mhlo.async_bundle<tuple<tensor<4xf32>>, tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A good one after bad ones is printed.
// CHECK: {{^}}HloModule good
module @good {
  func.func @main() {
    return
  }
}
