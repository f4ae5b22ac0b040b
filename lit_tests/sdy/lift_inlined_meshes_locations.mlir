// RUN: sdy-opt %s -sdy-lift-inlined-meshes -mlir-print-debuginfo -mlir-print-local-scope 2>&1 | FileCheck %s

// A mesh from a sharding has the location of the module, one from replica groups that of
// the first op with it.
// CHECK:       sdy.mesh @mesh = <["x"=2]> {{.*}} loc("the module")
// CHECK-NEXT:  sdy.mesh @mesh_0 = <["x"=2]> {{.*}} loc("first")
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) {
    %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<16xf32> loc("first")
    %1 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<16xf32> loc("second")
    return
  }
} loc("the module")
