// RUN: sdy-opt %s -split-input-file -sdy-lift-inlined-meshes -verify-diagnostics

func.func @axis_size(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op replica_groups: size of mesh axis 'x' is 0, not positive}}
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 0>]>, axes = []>} : (tensor<8xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @axis_twice(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.all_gather' op replica_groups: mesh has more than one axis 'x'}}
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "x", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<16xf32>
  return
}

// -----

// A new op in this module is not visible in the nested one.
func.func private @outer()
module @inner {
  // expected-error@+1 {{'func.func' op arg 0 - unknown mesh: @mesh}}
  func.func @nested(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) {
    return
  }
}
