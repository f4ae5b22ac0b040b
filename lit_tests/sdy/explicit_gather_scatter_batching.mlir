// RUN: sdy-opt %s -split-input-file -sdy-explicit-gather-scatter-batching | FileCheck %s

// CHECK-LABEL: func.func @gather
// CHECK-SAME:    (%[[OPERAND:.*]]: tensor<4x8x16xf32>, %[[INDICES:.*]]: tensor<4x3x1xi32>)
// CHECK-NEXT:    %[[GATHER:.*]] = "stablehlo.gather"(%[[OPERAND]], %[[INDICES]])
// CHECK-SAME:      offset_dims = [2], collapsed_slice_dims = [1]
// CHECK-SAME:      operand_batching_dims = [0], start_indices_batching_dims = [0]
// CHECK-SAME:      start_index_map = [1], index_vector_dim = 2>
// CHECK-SAME:      indices_are_sorted = false
// CHECK-SAME:      {test.kept}
// CHECK-NEXT:    return %[[GATHER]]
func.func @gather(%arg0: tensor<4x8x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3x16xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 16>}> {test.kept} : (tensor<4x8x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3x16xf32>
  return %2 : tensor<4x3x16xf32>
}

// -----

// All inputs of a scatter are batched; its region stays.
// CHECK-LABEL: func.func @scatter
// CHECK-NEXT:    %[[SCATTER:.*]]:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4)
// CHECK-SAME:      indices_are_sorted = false
// CHECK-SAME:      update_window_dims = [2], inserted_window_dims = [1]
// CHECK-SAME:      input_batching_dims = [0], scatter_indices_batching_dims = [0]
// CHECK-SAME:      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>
// CHECK-SAME:      unique_indices = true
// CHECK-NEXT:    ^bb0(%[[OLD:.*]]: tensor<f32>, %{{.*}}: tensor<f32>, %[[NEW:.*]]: tensor<f32>, %{{.*}}: tensor<f32>):
// CHECK-NEXT:      stablehlo.return %[[NEW]], %[[OLD]]
// CHECK:         return %[[SCATTER]]#0, %[[SCATTER]]#1
func.func @scatter(%arg0: tensor<4x8x16xf32>, %arg1: tensor<4x8x16xf32>, %arg2: tensor<4x3x1xi32>, %arg3: tensor<4x3x16xf32>, %arg4: tensor<4x3x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %1 = stablehlo.concatenate %0, %arg2, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %2:2 = "stablehlo.scatter"(%arg0, %arg1, %1, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c, %a : tensor<f32>, tensor<f32>
  }) : (tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x3x2xi32>, tensor<4x3x16xf32>, tensor<4x3x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>)
  return %2#0, %2#1 : tensor<4x8x16xf32>, tensor<4x8x16xf32>
}

// -----

// Broadcasts and reshapes of an iota count as one; the place of the iota among the pieces
// is that of dimension 0 in the index map. Of several other pieces, a new concatenation.
// CHECK-LABEL: func.func @seen_through
// CHECK-NEXT:    %[[INDICES:.*]] = stablehlo.concatenate %arg1, %arg2, dim = 2
// CHECK-SAME:      -> tensor<4x3x2xi32>
// CHECK-NEXT:    "stablehlo.gather"(%arg0, %[[INDICES]])
// CHECK-SAME:      collapsed_slice_dims = [1, 2]
// CHECK-SAME:      start_index_map = [2, 1], index_vector_dim = 2>
func.func @seen_through(%arg0: tensor<4x8x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xi32>) -> tensor<4x3xi32>
  %2 = stablehlo.reshape %1 : (tensor<4x3xi32>) -> tensor<4x3x1xi32>
  %3 = stablehlo.concatenate %arg1, %2, %arg2, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x3xi32>
  %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [2, 0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x16xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}

// -----

// Pieces are not all one index wide: the index is sliced away.
// CHECK-LABEL: func.func @wide_pieces
// CHECK:         %[[ALL:.*]] = stablehlo.concatenate
// CHECK-NEXT:    %[[LEFT:.*]] = stablehlo.slice %[[ALL]] [0:4, 0:3, 0:1]
// CHECK-NEXT:    %[[RIGHT:.*]] = stablehlo.slice %[[ALL]] [0:4, 0:3, 2:4]
// CHECK-NEXT:    %[[INDICES:.*]] = stablehlo.concatenate %[[LEFT]], %[[RIGHT]], dim = 2
// CHECK-NEXT:    "stablehlo.gather"(%arg0, %[[INDICES]])
// CHECK-SAME:      start_index_map = [1, 2, 3]
func.func @wide_pieces(%arg0: tensor<4x8x8x8xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %1 = stablehlo.concatenate %arg1, %0, %arg2, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>, tensor<4x3x2xi32>) -> tensor<4x3x4xi32>
  %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [1, 0, 2, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<4x8x8x8xf32>, tensor<4x3x4xi32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// Other uses keep the iota and the concatenation; the index vector need not come last.
// CHECK-LABEL: func.func @other_uses
// CHECK-NEXT:    %[[IOTA:.*]] = stablehlo.iota
// CHECK-NEXT:    %[[ALL:.*]] = stablehlo.concatenate %[[IOTA]], %arg1
// CHECK-NEXT:    %[[GATHER:.*]] = "stablehlo.gather"(%arg0, %arg1)
// CHECK-NEXT:    return %[[GATHER]], %[[ALL]]
func.func @other_uses(%arg0: tensor<4x8xf32>, %arg1: tensor<4x1x3xi32>) -> (tensor<4x3xf32>, tensor<4x2x3xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<4x1x3xi32>
  %1 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<4x1x3xi32>, tensor<4x1x3xi32>) -> tensor<4x2x3xi32>
  %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2x3xi32>) -> tensor<4x3xf32>
  return %2, %1 : tensor<4x3xf32>, tensor<4x2x3xi32>
}

// -----

// Sizes 5 and 4: some rows of the operand are not in the batch.
// CHECK-LABEL: func.func @other_size
// CHECK:         collapsed_slice_dims = [0, 1], start_index_map = [0, 1]
func.func @other_size(%arg0: tensor<5x8xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// The iota counts along dimension 1.
// CHECK-LABEL: func.func @other_iota
// CHECK:         collapsed_slice_dims = [0, 1], start_index_map = [0, 1]
func.func @other_iota(%arg0: tensor<4x8xf32>, %arg1: tensor<4x4x1xi32>) -> tensor<4x4xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<4x4x1xi32>
  %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x4x1xi32>, tensor<4x4x1xi32>) -> tensor<4x4x2xi32>
  %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x4x2xi32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @not_collapsed
// CHECK:         collapsed_slice_dims = [1], start_index_map = [0, 1]
func.func @not_collapsed(%arg0: tensor<4x8xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3x1xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3x1xf32>
  return %2 : tensor<4x3x1xf32>
}

// -----

// CHECK-LABEL: func.func @batched_already
// CHECK:         operand_batching_dims = [2], start_indices_batching_dims = [1]
func.func @batched_already(%arg0: tensor<4x8x3xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], operand_batching_dims = [2], start_indices_batching_dims = [1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x3xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// Indices that are an iota alone stay.
// CHECK-LABEL: func.func @iota_alone
// CHECK-NEXT:    %[[IOTA:.*]] = stablehlo.iota
// CHECK-NEXT:    "stablehlo.gather"(%arg0, %[[IOTA]])
func.func @iota_alone(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
