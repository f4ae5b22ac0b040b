// RUN: sdy-opt %s -xla-sdy-round-trip-export-pipeline | FileCheck %s --check-prefix=EXPORT
// RUN: sdy-opt %s -xla-sdy-round-trip-export-pipeline -xla-sdy-round-trip-import-pipeline | FileCheck %s

// Exported and imported again, the module is as before.
// EXPORT-NOT:   sdy.mesh @
// EXPORT-NOT:   sdy.sharding_constraint
// CHECK:        sdy.mesh @mesh = <["x"=4]>
// CHECK-NEXT:   sdy.mesh @other = <["x"=2]>
sdy.mesh @other = <["x"=2]>
// CHECK-LABEL:  func.func @main(
// CHECK-SAME:     %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) {
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) {
  // CHECK-NEXT: sdy.sharding_constraint %arg0 <@other, [{?}]>
  // CHECK-NEXT: sdy.sharding_group
  // CHECK-NEXT: sdy.propagation_barrier
  // CHECK-NEXT: sdy.manual_computation({{.*}}) in_shardings=[<@other, [{"x"}]>] out_shardings=[<@other, [{"x"}]>] manual_axes={"x"}
  %0 = sdy.sharding_constraint %arg0 <@other, [{?}]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=1 : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@other, [{"x"}]>] out_shardings=[<@other, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
