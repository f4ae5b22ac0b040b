// RUN: sdy-opt %s -sdy-unflatten-call-graph | FileCheck %s
// RUN: sdy-opt %s -sdy-unflatten-call-graph='dedup-functions-fully=true' | FileCheck %s --check-prefix=FULLY

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Calls share the first function with equal shardings; fully, one of those with the most calls. Functions
// with other manual axes or another original name have their own.
// CHECK-LABEL: func.func @main
// FULLY-LABEL: func.func @main
func.func @main(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: call @f_0(
  // CHECK-NEXT: call @f_1(
  // CHECK-NEXT: call @f_1(
  // CHECK-NEXT: call @f_0(
  // CHECK-NEXT: call @f_1(
  // CHECK-NEXT: call @manual(
  // CHECK-NEXT: call @other(
  // FULLY-NEXT: call @f_2(
  // FULLY-NEXT: call @f_2(
  // FULLY-NEXT: call @f_2(
  // FULLY-NEXT: call @f_2(
  // FULLY-NEXT: call @f_2(
  // FULLY-NEXT: call @manual(
  // FULLY-NEXT: call @other(
  %0 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @f_2(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = call @f_2(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %5 = call @manual(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %6 = call @other(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// The attributes go, of functions that are not called any more, too.
// CHECK-NOT: sdy.original_func_name
// CHECK-NOT: sdy.func_manual_axes
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @f_0(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @f_2(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @manual(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"y"}>, sdy.original_func_name = "f"} {
  return %arg0 : tensor<8xf32>
}
func.func private @other(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
  return %arg0 : tensor<8xf32>
}
