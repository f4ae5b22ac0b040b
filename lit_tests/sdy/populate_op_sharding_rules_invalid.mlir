// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-populate-op-sharding-rules | FileCheck %s

// The first custom call of each unknown target is warned of, and the first op of each unknown name.
func.func @unknown(%arg0: tensor<8xf32>) {
  // expected-warning@+2 {{custom call @mine is unknown to SDY sharding rule registry}}
  // expected-note@+1 {{stablehlo.custom_call @mine}}
  %0 = stablehlo.custom_call @mine(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NOT: sharding_rule
  %1 = stablehlo.custom_call @mine(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-warning@+2 {{op 'chlo.erf' is unknown to SDY sharding rule registry}}
  // expected-note@+1 {{chlo.erf}}
  %2 = chlo.erf %arg0 : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @dynamic(%arg0: tensor<?xf32>) {
  // expected-error@+1 {{'stablehlo.negate' op operand - expected a ranked tensor with a static shape. type: 'tensor<?xf32>'}}
  %0 = stablehlo.negate %arg0 : tensor<?xf32>
  return
}
