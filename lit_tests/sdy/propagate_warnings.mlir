// RUN: sdy-opt %s -split-input-file -sdy-user-priority-propagate -o /dev/null 2>&1 | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sdy-user-priority-propagate -o /dev/null -verify-diagnostics

// A run warns once of each op and custom call without a rule, however often they are visited and there.
// CHECK:     propagate_warnings.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: custom call @mine is unknown to SDY sharding rule registry
// CHECK:     propagate_warnings.mlir:{{[0-9]+}}:{{[0-9]+}}: warning: op 'chlo.erf' is unknown to SDY sharding rule registry
// CHECK-NOT: warning:
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-warning@+2 {{custom call @mine is unknown to SDY sharding rule registry}}
  // expected-note@+1 {{stablehlo.custom_call @mine}}
  %0 = stablehlo.custom_call @mine(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @mine(%0) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-warning@+2 {{op 'chlo.erf' is unknown to SDY sharding rule registry}}
  // expected-note@+1 {{chlo.erf}}
  %2 = chlo.erf %1 : tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @mine(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  // The other ones without a rule are known.
  %1 = stablehlo.custom_call @tpu_custom_call(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
