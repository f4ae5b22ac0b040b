// RUN: sdy-opt %s -allow-unregistered-dialect -sdy-constant-splitter 2>&1 | FileCheck %s

// The user comes before the block of the constant, so that the walk meets it first: that use is
// not split, and the constant stays.
// CHECK-LABEL: func.func @blocks_out_of_order
func.func @blocks_out_of_order() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[IN_ORDER:.*]] = sdy.constant
  // CHECK-NEXT: %[[KEPT:.*]] = sdy.constant
  // CHECK-NEXT: cf.br ^bb2
  // CHECK:      return %[[NEGATED:.*]], %[[IN_ORDER]]
  // CHECK:      %[[NEGATED]] = stablehlo.negate %[[KEPT]]
  // CHECK-NEXT: cf.br ^bb1
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  cf.br ^second
^first:
  return %1, %0 : tensor<8xf32>, tensor<8xf32>
^second:
  %1 = stablehlo.negate %0 : tensor<8xf32>
  cf.br ^first
}

// The conversion of constants does not reach an unreachable block; other constants in it
// are split.
// CHECK-LABEL: func.func @unreachable
func.func @unreachable() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[CONST_1:.*]] = sdy.constant
  // CHECK-NEXT: %[[CONST_2:.*]] = sdy.constant
  // CHECK-NEXT: return %[[CONST_1]], %[[CONST_2]]
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
  // CHECK:      %[[CONST:.*]] = stablehlo.constant
  // CHECK-NEXT: return %[[CONST]], %[[CONST]]
^unreachable:
  %1 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %1, %1 : tensor<8xf32>, tensor<8xf32>
  // CHECK:      %[[IOTA_1:.*]] = stablehlo.iota
  // CHECK-NEXT: %[[IOTA_2:.*]] = stablehlo.iota
  // CHECK-NEXT: return %[[IOTA_1]], %[[IOTA_2]]
^unreachable_too:
  %2 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %2, %2 : tensor<8xf32>, tensor<8xf32>
}

// In a region of an unregistered op a value may be used before it is defined.
// CHECK-LABEL: func.func @graph_region
func.func @graph_region() {
  // CHECK-NEXT: %[[OPERAND:.*]] = sdy.constant
  // CHECK-NEXT: %[[USED_INSIDE:.*]] = sdy.constant
  // CHECK-NEXT: "test.region"(%[[OPERAND]])
  // CHECK-NEXT:   "test.use"(%[[LATE:.*]], %[[USED_INSIDE]])
  // CHECK-NEXT:   %[[FOR_COPY:.*]] = stablehlo.iota
  // CHECK-NEXT:   %[[FOR_LATE:.*]] = stablehlo.iota
  // CHECK-NEXT:   %[[COPY:.*]] = stablehlo.negate %[[FOR_COPY]]
  // CHECK-NEXT:   %[[LATE]] = stablehlo.negate %[[FOR_LATE]]
  // CHECK-NEXT:   "test.use"(%[[COPY]])
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  "test.region"(%0) ({
    "test.use"(%2, %0) : (tensor<8xf32>, tensor<8xf32>) -> ()
    %1 = stablehlo.iota dim = 0 : tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    "test.use"(%2) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> ()
  return
}

// Outside of functions constants are converted only.
// CHECK-LABEL: "test.no_function"
"test.no_function"() ({
  // CHECK-NEXT: %[[CONST:.*]] = sdy.constant
  // CHECK-NEXT: "test.use"(%[[CONST]], %[[CONST]])
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  "test.use"(%0, %0) : (tensor<8xf32>, tensor<8xf32>) -> ()
}) : () -> ()
