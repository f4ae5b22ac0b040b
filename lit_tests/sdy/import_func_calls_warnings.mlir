// RUN: sdy-opt %s -split-input-file -sdy-import-func-calls -o %t 2>&1 | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sdy-import-func-calls -o %t -verify-diagnostics

// A run warns of functions with several calls once, as C++ does: not for each function, nor
// for each module.
// CHECK:      import_func_calls_warnings.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: function @foo has multiple call ops, we need to clone the function body for each call
// CHECK-NOT:  warning
// CHECK-NOT:  function @
func.func @one(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-warning @+1 {{function @foo has multiple call ops}}
  %1 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @bar(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @bar(%2) : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

func.func private @foo(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

func.func private @bar(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}

// -----

func.func @two(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @baz(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @baz(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

func.func private @baz(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
