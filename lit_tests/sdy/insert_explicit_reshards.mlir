// RUN: sdy-opt %s -sdy-insert-explicit-reshards -split-input-file | FileCheck %s
// RUN: sdy-opt %s -sdy-insert-explicit-reshards='enable-full-version=true' -split-input-file | FileCheck %s --check-prefix=FULL

// What a function returns is summed over the axes that it is not to be unreduced along.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @returned
// CHECK: %[[SUM:.*]] = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
// CHECK: return %[[SUM]]
func.func @returned(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return %arg0 : tensor<8xf32>
}

// -----

// The operands of an element-wise op get the sharding of most of its tensors, in the full version.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @addition
// CHECK-NOT: sdy.reshard
// FULL-LABEL: func.func @addition
// FULL: %[[Y:.*]] = sdy.reshard %arg1 <@mesh, [{"x"}]> : tensor<8xf32>
// FULL: stablehlo.add %arg0, %[[Y]]
func.func @addition(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>,
      sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What is replicated stays so, but for axes that a dimension gets.
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>

// FULL-LABEL: func.func @replicated
// FULL: %[[X:.*]] = sdy.reshard %arg0 <@mesh, [{"x"}], replicated={"z"}> : tensor<8xf32>
// FULL: stablehlo.add %[[X]], %arg1
func.func @replicated(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x", "z"}>},
    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
