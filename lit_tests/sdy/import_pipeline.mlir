// RUN: sdy-opt %s -sdy-import-pipeline 2>&1 | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: sdy-opt %s -sdy-import-pipeline='dedup-functions-fully=false' 2>&1 | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: sdy-opt %s -sdy-import-pipeline='dedup-functions-fully=true' 2>&1 | FileCheck %s --check-prefixes=CHECK,FULLY
// RUN: sdy-opt %s -pass-pipeline='builtin.module(sdy-import-pipeline{dedup-functions-fully=true})' 2>&1 | FileCheck %s --check-prefixes=CHECK,FULLY

// The inlined mesh is lifted; functions that nothing calls are erased.
// CHECK:       sdy.mesh @mesh = <["one"=1, "x"=2, "y"=2]> {stablehlo.mesh =
// CHECK-NOT:   @unused
// CHECK-LABEL: func.func @main
// Axes of size 1 are removed.
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["one"=1, "x"=2, "y"=2]>, [{"x", "one"}]>}) -> tensor<8xf32> {
  // A constant is copied for each of its uses.
  // CHECK:      %[[C0:.*]] = sdy.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: %[[C1:.*]] = sdy.constant dense<1.000000e+00> : tensor<8xf32>
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  // CHECK-NEXT: %[[ADD:.*]] = stablehlo.add %arg0, %[[C0]]
  // FULLY-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>
  // DEFAULT-NOT: sdy.sharding
  // CHECK-SAME: : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  // CHECK-NEXT: %[[MUL:.*]] = stablehlo.multiply %[[ADD]], %[[C1]]
  %2 = stablehlo.multiply %1, %0 : tensor<8xf32>
  // CHECK-NEXT: %[[CONSTRAINT:.*]] = sdy.sharding_constraint %[[ADD]] <@mesh, [{"y"}]>
  %3 = sdy.sharding_constraint %1 <mesh<["one"=1, "x"=2, "y"=2]>, [{"y", "one"}]> : tensor<8xf32>
  // Sharding groups are numbered only together with the constraints.
  // DEFAULT-NEXT: sdy.sharding_group %[[MUL]] group_id=7
  // FULLY-NEXT: sdy.sharding_group %[[MUL]] group_id=0
  sdy.sharding_group %2 group_id=7 : tensor<8xf32>
  // The call gets the sharding of the function's result.
  // CHECK-NEXT: %[[CALL:.*]] = call @used(%[[MUL]]) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>}
  %4 = call @used(%2) : (tensor<8xf32>) -> tensor<8xf32>
  // A manual axis that a sharding does not mention becomes a replicated one, and the
  // data-flow edges get the shardings.
  // CHECK-NEXT: %[[MANUAL:.*]] = sdy.manual_computation(%[[CALL]]) in_shardings=[<@mesh, [{"x"}], replicated={"one"}>]
  // CHECK-SAME:   out_shardings=[<@mesh, [{"x"}], replicated={"one"}>] manual_axes={"one", "x"} (%[[ARG:.*]]: tensor<4xf32>) {
  // CHECK-NEXT:   %[[IN:.*]] = sdy.data_flow_edge %[[ARG]] sharding=<@mesh, [{}]>
  // CHECK-NEXT:   sdy.return %[[IN]]
  // CHECK:      %[[OUT:.*]] = sdy.data_flow_edge %[[MANUAL]] sharding=<@mesh, [{"x"}], replicated={"one"}>
  %5 = sdy.manual_computation(%4)
      in_shardings=[<mesh<["one"=1, "x"=2, "y"=2]>, [{"x"}], replicated={"one"}>]
      out_shardings=[<mesh<["one"=1, "x"=2, "y"=2]>, [{"x"}], replicated={"one"}>] manual_axes={"one", "x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return %[[OUT]]
  return %5 : tensor<8xf32>
}

func.func private @unused() {
  return
}

func.func private @used(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["one"=1, "x"=2, "y"=2]>, [{"x", "one", ?}]>}) {
  return %arg0 : tensor<8xf32>
}
