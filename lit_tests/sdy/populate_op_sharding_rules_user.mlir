// RUN: sdy-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -load-pass=%S/Inputs/sharding_rules.py -sdy-populate-op-sharding-rules | FileCheck %s

// Rules that the user's file adds, for the target of a custom call and for an op.
// CHECK-LABEL: func @user_rules
func.func @user_rules(%arg0: tensor<2x8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<6xf32>) {
  // CHECK: @last_softmax(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=8} need_replication={j}, custom>}
  %0 = stablehlo.custom_call @last_softmax(%arg0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK: "test.outer"(%arg1, %arg2) {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([i, j]) {i=4, j=6}>}
  %1 = "test.outer"(%arg1, %arg2) : (tensor<4xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @bad_rule(%arg0: tensor<2x8xf32>) {
  // expected-error@+1 {{sharding rule of 'bad_dim': operand 0 has no dimension 7: its shape is (2, 8)}}
  %0 = stablehlo.custom_call @bad_dim(%arg0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}
