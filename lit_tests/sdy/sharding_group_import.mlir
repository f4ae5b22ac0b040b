// RUN: sdy-opt %s -split-input-file -sdy-sharding-group-import 2>&1 | FileCheck %s

// Ids become 0, 1, ... in the order in which they are met.
// CHECK-LABEL: func.func @numbers_groups
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=1
// CHECK-NEXT:    sdy.sharding_group %arg2 group_id=2
// CHECK-NEXT:    sdy.sharding_group %arg3 group_id=0
func.func @numbers_groups(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=9 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=-2 : tensor<4xf32>
  sdy.sharding_group %arg2 group_id=4 : tensor<4xf32>
  sdy.sharding_group %arg3 group_id=9 : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @shared_value
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg2 group_id=0
// CHECK-NEXT:    return
func.func @shared_value(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=8 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=5 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=8 : tensor<4xf32>
  sdy.sharding_group %arg2 group_id=5 : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @transitive
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg2 group_id=0
// CHECK-NEXT:    return
func.func @transitive(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=1 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=2 : tensor<4xf32>
  sdy.sharding_group %arg0 group_id=3 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=3 : tensor<4xf32>
  sdy.sharding_group %arg2 group_id=2 : tensor<4xf32>
  return
}

// -----

// The class of the third value's first id, 7, absorbs that of 1: so 4 comes before 7.
// CHECK-LABEL: func.func @order_after_union
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=1
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg2 group_id=1
// CHECK-NEXT:    return
func.func @order_after_union(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=9 : tensor<4xf32>
  sdy.sharding_group %arg0 group_id=1 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=4 : tensor<4xf32>
  sdy.sharding_group %arg2 group_id=7 : tensor<4xf32>
  sdy.sharding_group %arg2 group_id=1 : tensor<4xf32>
  return
}

// -----

// The first op on a value stays, with its other attributes.
// CHECK-LABEL: func.func @erases_duplicates
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0 {first} : tensor<4xf32>
// CHECK-NEXT:    return
func.func @erases_duplicates(%arg0: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=2 {first} : tensor<4xf32>
  sdy.sharding_group %arg0 group_id=2 {second} : tensor<4xf32>
  sdy.sharding_group %arg0 group_id=1 {third} : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @across_functions
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=0
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    return
func.func @across_functions(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=5 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=6 : tensor<4xf32>
  return
}
func.func @other(%arg0: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=5 : tensor<4xf32>
  sdy.sharding_group %arg0 group_id=6 : tensor<4xf32>
  return
}

// -----

// Shapes must agree, element types need not.
// CHECK-LABEL: func.func @element_types
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=0
func.func @element_types(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xi8>) {
  sdy.sharding_group %arg0 group_id=3 : tensor<4x?xf32>
  sdy.sharding_group %arg1 group_id=3 : tensor<4x?xi8>
  return
}

// -----

// Regions of other ops do not matter; ops in regions come before those after them.
// CHECK-LABEL: func.func @in_manual_computation
// CHECK:         sdy.manual_computation
// CHECK-SAME:      (%[[IN:[a-z0-9]+]]: tensor<4xf32>) {
// CHECK-NEXT:      sdy.sharding_group %[[IN]] group_id=0
// CHECK:           do {
// CHECK:             sdy.sharding_group %{{.*}} group_id=0
// CHECK:         sdy.sharding_group %arg0 group_id=1
sdy.mesh @mesh = <["a"=2]>
func.func @in_manual_computation(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.sharding_group %arg1 group_id=4 : tensor<4xf32>
    %1 = stablehlo.while(%iter = %arg1) : tensor<4xf32>
    cond {
      %2 = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      sdy.sharding_group %iter group_id=4 : tensor<4xf32>
      stablehlo.return %iter : tensor<4xf32>
    }
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  sdy.sharding_group %arg0 group_id=2 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @already_imported
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0 : tensor<4xf32>
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=1 : tensor<4xf32>
// CHECK-NEXT:    return
func.func @already_imported(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<4xf32>
  sdy.sharding_group %arg1 group_id=1 : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @no_groups
// CHECK-NEXT:    return
func.func @no_groups(%arg0: tensor<4xf32>) {
  return
}
