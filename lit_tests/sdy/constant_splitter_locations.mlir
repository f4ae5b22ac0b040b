// RUN: sdy-opt %s -sdy-constant-splitter -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s

// Whatever is copied or converted keeps its location.
// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: sdy.constant {{.*}} loc("const")
  // CHECK-NEXT: sdy.sharding_group {{.*}} loc("group")
  // CHECK-NEXT: sdy.constant {{.*}} loc("const")
  // CHECK-NEXT: sdy.sharding_group {{.*}} loc("group")
  // CHECK-NEXT: sdy.constant dense<(1.000000e+00,2.000000e+00)> {{.*}} loc(callsite("complex" at "a.py":1:2))
  // CHECK-NEXT: call @foo_0{{.*}} loc("call")
  // CHECK-NEXT: call @foo_1{{.*}} loc("call")
  // CHECK-NEXT: stablehlo.reverse
  // CHECK-NEXT: return
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32> loc("const")
  sdy.sharding_group %0 group_id=0 : tensor<8xf32> loc("group")
  %1 = stablehlo.constant dense<(1.0, 2.0)> : tensor<1xcomplex<f32>> loc(callsite("complex" at "a.py":1:2))
  %2 = call @foo(%0) : (tensor<8xf32>) -> tensor<8xf32> loc("call")
  %3 = stablehlo.reverse %1, dims = [0] : tensor<1xcomplex<f32>>
  return %2, %2 : tensor<8xf32>, tensor<8xf32>
}

func.func private @foo(%arg0: tensor<8xf32> loc("argument")) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32> loc("negate")
  return %0 : tensor<8xf32> loc("return")
} loc("function")

// CHECK-LABEL: func.func private @foo_0(
// CHECK-SAME:    loc("argument")
// CHECK-NEXT:    loc("negate")
// CHECK-NEXT:    loc("return")
// CHECK-NEXT:  loc("function")
