// RUN: sdy-opt %s -split-input-file -xla-sdy-round-trip-export-shardy-attrs | FileCheck %s

// CHECK-LABEL: module @all attributes {mhlo.frontend_attributes = {a = "b", xla.sdy.meshes = "{max = #sdy.mesh<[], device_ids=[1]>, mesh = #sdy.mesh<[\22x\22=2]>}"}} {
// CHECK-NEXT:    func.func @main
// CHECK-SAME:    %arg0: tensor<8xf32> {mhlo.frontend_attributes = {foo = "bar", xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}p1]>"}},
// CHECK-SAME:    %arg1: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "a"}, tensor<8xf32>) {
module @all attributes {mhlo.frontend_attributes = {a = "b"}} {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @max = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {foo = "bar"}, sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "a", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32>) {
    // CHECK-NEXT: %[[A:.*]] = stablehlo.abs %arg0 {mhlo.frontend_attributes = {k = "v", xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}}
    // CHECK-NEXT: %[[B:.*]] = stablehlo.custom_call @foo(%[[A]]) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>"}}
    // CHECK-NEXT: %[[C:.*]] = stablehlo.custom_call @xla.sdy.FuncResultSharding(%[[B]]) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: return %[[C]], %[[B]]
    %0 = stablehlo.abs %arg0 {mhlo.frontend_attributes = {k = "v"}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
    return %1, %1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// CHECK-LABEL: module @nothing {
// CHECK-NEXT:    func.func @f(%arg0: tensor<8xf32> {test.foo = "bar"}) {
module @nothing {
  func.func @f(%arg0: tensor<8xf32> {test.foo = "bar"}) {
    return
  }
}
