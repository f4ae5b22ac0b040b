// RUN: sdy-opt %s -split-input-file -sdy-aggressive-propagate | FileCheck %s --check-prefixes=CHECK,AGGRESSIVE
// RUN: sdy-opt %s -split-input-file -sdy-aggressive-propagate='propagation-strategy=basic' | FileCheck %s --check-prefixes=CHECK,BASIC
// RUN: sdy-opt %s -split-input-file -sdy-aggressive-propagate='propagation-strategy=basic-then-aggressive' | FileCheck %s --check-prefixes=CHECK,THEN

// Both dimensions of the result could have the axis: that of the larger operand gets it.
sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @larger_operand
func.func @larger_operand(
    %arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x32xf32> {
  // AGGRESSIVE: stablehlo.dot_general {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>
  // THEN:       stablehlo.dot_general {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>
  // BASIC:      stablehlo.dot_general
  // BASIC-NOT:  sdy.sharding
  // BASIC-SAME: : (tensor<8x16xf32>
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

// Axes without a conflict go first if the basic strategy does: those of the second addition, which
// the result of the first one would hold back.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @order
func.func @order(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x8xf32> {
  // AGGRESSIVE: stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}
  // THEN:       stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>}
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
  %1 = stablehlo.add %0, %arg2 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Without a conflict all strategies do the same.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @agreed
func.func @agreed(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>}
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
