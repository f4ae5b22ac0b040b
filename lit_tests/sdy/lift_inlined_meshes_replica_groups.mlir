// RUN: sdy-opt %s -split-input-file -sdy-lift-inlined-meshes 2>&1 | FileCheck %s

// The five kinds, one after the other; a new op for each distinct mesh, after those of
// the shardings, even if there is an equal one.
// CHECK:       sdy.mesh @existing = <["gather"=2]>
// CHECK-NEXT:  sdy.mesh @mesh = <["s"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_0 = <["gather"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_1 = <["reduce"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_2 = <["scatter"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_3 = <["to_all"=2]>
// CHECK-NEXT:  sdy.mesh @mesh_4 = <["broadcast"=2]>
// CHECK-LABEL: func.func @kinds
sdy.mesh @existing = <["gather"=2]>
func.func @kinds(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: "stablehlo.collective_broadcast"{{.*}}<mesh = @mesh_4, axes = [#stablehlo.axis_ref<name = "broadcast">]>
  %0 = "stablehlo.collective_broadcast"(%arg0) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "broadcast", size = 2>]>, axes = [#stablehlo.axis_ref<name = "broadcast">]>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: "stablehlo.all_to_all"{{.*}}<mesh = @mesh_3, axes = [#stablehlo.axis_ref<name = "to_all">]>
  %1 = "stablehlo.all_to_all"(%arg0) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "to_all", size = 2>]>, axes = [#stablehlo.axis_ref<name = "to_all">]>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: "stablehlo.reduce_scatter"{{.*}}<mesh = @mesh_2, axes = []>
  %2 = "stablehlo.reduce_scatter"(%arg0) ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "scatter", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK: "stablehlo.all_reduce"{{.*}}<mesh = @mesh_1, axes = []>
  %3 = "stablehlo.all_reduce"(%arg0) ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "reduce", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: "stablehlo.all_gather"{{.*}}<mesh = @mesh_0, axes = []>
  %4 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "gather", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<16xf32>
  // CHECK-NEXT: <@mesh, [{"s"}]>
  %5 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["s"=2]>, [{"s"}]>]>} : tensor<8xf32>
  return
}

// -----

// Meshes with different device ids, which are dropped, are distinct. Inner ops come
// first.
// CHECK:       module {
// CHECK-NEXT:    sdy.mesh @mesh = <["i"=2]>
// CHECK-NEXT:    sdy.mesh @mesh_0 = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
// CHECK-NEXT:    sdy.mesh @mesh_1 = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
// CHECK-NEXT:    func.func @distinct
func.func @distinct(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: <mesh = @mesh_0, axes = []>
  %0 = "stablehlo.all_reduce"(%arg0) ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    // CHECK: "stablehlo.all_reduce"(%{{.*}}) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = []>
    %1 = "stablehlo.all_reduce"(%arg1) ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "i", size = 2>]>, axes = []>} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: "stablehlo.all_to_all"{{.*}}<mesh = @mesh_1, axes = []>
  %2 = "stablehlo.all_to_all"(%arg0) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = []>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: "stablehlo.all_to_all"{{.*}}<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>
  %3 = "stablehlo.all_to_all"(%arg0) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// A symbol follows its mesh where equal ones are merged.
// CHECK-LABEL: func.func @symbols
// CHECK-NEXT:    <mesh = @kept, axes = []>
// CHECK-NEXT:    <mesh = @kept, axes = []>
// CHECK-NEXT:    <mesh = @other, axes = []>
sdy.mesh @kept = <["x"=2]>
sdy.mesh @gone = <["x"=2]>
sdy.mesh @other = <["y"=2]>
func.func @symbols(%arg0: tensor<8xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @gone, axes = []>} : (tensor<8xf32>) -> tensor<16xf32>
  %1 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @kept, axes = []>} : (tensor<8xf32>) -> tensor<16xf32>
  %2 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @other, axes = []>} : (tensor<8xf32>) -> tensor<16xf32>
  return
}

// -----

// Blocks that cannot be reached count.
// CHECK:       sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @unreachable
func.func @unreachable(%arg0: tensor<8xf32>) {
  return
^bb1:
  // CHECK: <mesh = @mesh, axes = []>
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<16xf32>
  return
}

// -----

// Lists of devices, and other ops, stay.
// CHECK-NOT:   sdy.mesh
// CHECK-LABEL: func.func @no_change
func.func @no_change(%arg0: tensor<8xf32>) {
  // CHECK-NEXT: replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<16xf32>
  // CHECK-NEXT: "stablehlo.collective_permute"{{.*}}#stablehlo.mesh<
  %1 = "stablehlo.collective_permute"(%arg0) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = []>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
