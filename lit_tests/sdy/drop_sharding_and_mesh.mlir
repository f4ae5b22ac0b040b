// RUN: sdy-opt %s -split-input-file -verify-diagnostics -sdy-drop-sharding-and-mesh | FileCheck %s

// CHECK-NOT: sdy.mesh
sdy.mesh @mesh = <["x"=2]>

// Other attributes of arguments and results stay.
// CHECK-LABEL: func.func @shardings(
// CHECK-SAME:    %arg0: tensor<8xf32>, %arg1: tensor<8xf32> {mhlo.layout_mode = "default"}) -> tensor<8xf32> {
// CHECK-NEXT:    stablehlo.abs %arg0 {foo} : tensor<8xf32>
func.func @shardings(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>},
    %arg1: tensor<8xf32> {mhlo.layout_mode = "default", sdy.sharding = #sdy.sharding<@mesh, [{}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.abs %arg0 {foo, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The mesh of an op of sdy goes, too.
sdy.mesh @mesh = <["x"=2]>
func.func @constraint(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{unknown mesh: @mesh}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
