// RUN: sdy-opt %s -sdy-inline-meshes | FileCheck %s

// CHECK-NOT: sdy.mesh
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @single = <[], device_ids=[3]>

// CHECK-LABEL: func.func @shardings
// CHECK-SAME:    #sdy.sharding<mesh<["x"=2]>, [{"x", ?}]>
// CHECK-SAME:    #sdy.sharding<mesh<["y"=4]>, [{"y"}]>
func.func @shardings(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=4]>, [{"y"}]>}) -> tensor<8xf32> {
  // CHECK: stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[3]>, []>]>}
  // CHECK: sdy.reshard {{.*}} <mesh<["x"=2]>, [{"x"}]>
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A nested module keeps its meshes.
// CHECK-LABEL: module @nested
// CHECK-NEXT:    sdy.mesh @own
// CHECK-NEXT:    #sdy.sharding<@own, [{"z"}]>
module @nested {
  sdy.mesh @own = <["z"=2]>
  func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@own, [{"z"}]>}) {
    return
  }
}
