// RUN: sdy-opt %s -split-input-file -sdy-populate-op-sharding-rules | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sdy-populate-op-sharding-rules='conservative-propagation=true' | FileCheck %s --check-prefix=CONSERVATIVE

// CHECK-LABEL: func @elementwise
func.func @elementwise(%arg0: tensor<8x1xf32>, %arg1: tensor<8x1xf32>) -> tensor<8x1xf32> {
  // CHECK: add {{.*}} #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=1}>
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// -----

// What is summed over is a reduction factor.
// CHECK-LABEL: func @dot_general
func.func @dot_general(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
  // CHECK: #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=8, k=4, l=16} reduction={l}>
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}

// -----

// A dimension of a reshape that is split has several factors, the major one first.
// CHECK-LABEL: func @reshape
func.func @reshape(%arg0: tensor<8x6xf32>) -> tensor<2x4x3x2xf32> {
  // CHECK: #sdy.op_sharding_rule<([ij, kl])->([i, j, k, l]) {i=2, j=4, k=3, l=2}>
  %0 = stablehlo.reshape %arg0 : (tensor<8x6xf32>) -> tensor<2x4x3x2xf32>
  return %0 : tensor<2x4x3x2xf32>
}

// -----

// Sizes that share no factor begin anew on each side.
// CHECK-LABEL: func @reshape_apart
func.func @reshape_apart(%arg0: tensor<4x9xf32>) -> tensor<9x4xf32> {
  // CHECK: #sdy.op_sharding_rule<([i, k])->([j, l]) {i=4, j=9, k=9, l=4}>
  %0 = stablehlo.reshape %arg0 : (tensor<4x9xf32>) -> tensor<9x4xf32>
  return %0 : tensor<9x4xf32>
}

// -----

// Devices exchange elements along a dimension that is cut; not where propagation is conservative.
// CHECK-LABEL: func @slice
// CONSERVATIVE-LABEL: func @slice
func.func @slice(%arg0: tensor<8x4xf32>) -> tensor<6x4xf32> {
  // CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={i}>
  // CONSERVATIVE: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={i} blocked_propagation={i}>
  %0 = stablehlo.slice %arg0 [1:7, 0:4] : (tensor<8x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// An embedding lookup: rows are batches of the indices, and the vocabulary is summed over.
// CHECK-LABEL: func @gather
func.func @gather(%arg0: tensor<100x16xf32>, %arg1: tensor<8x1xi32>) -> tensor<8x16xf32> {
  // CHECK: #sdy.op_sharding_rule<([k, j], [i, l])->([i, j]) {i=8, j=16, k=100, l=1} reduction={k} need_replication={l}>
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<100x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// An op that has a rule keeps it; ops without dimensions that correspond have none.
// CHECK-LABEL: func @kept
func.func @kept(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}>}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}>} : tensor<8xf32>
  // CHECK: iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
