// RUN: sdy-opt %s -split-input-file -sparsecore-check-nan | FileCheck %s

// CHECK-LABEL: func @scalars_and_vectors
// CHECK-SAME: (%[[GAINS:.*]]: memref<?xf32> {sparsecore.name = "gains"}, %[[OUT:.*]]: memref<8x16xf32>,
// CHECK-SAME: %[[IDS:.*]]: memref<?xi32>, %[[STATUS:.*]]: memref<8xi64> {sparsecore.name = "status", sparsecore.status})
// CHECK-SAME: sparsecore.messages = ["ok", "NaN read from gains at or after [{1}]",
// CHECK-SAME: "NaN written to argument 1 at or after [{1}, {2}]"]
func.func @scalars_and_vectors(%gains: memref<?xf32> {sparsecore.name = "gains"}, %out: memref<8x16xf32>,
    %ids: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%t) = (%c0) to (%c8) step (%c1) {
    // CHECK: %[[GAIN:.*]] = memref.load %[[GAINS]]
    // CHECK-NEXT: %[[IS_NAN:.*]] = arith.cmpf uno, %[[GAIN]], %[[GAIN]] : f32
    // CHECK-NEXT: scf.if %[[IS_NAN]] {
    // CHECK: memref.store {{.*}}, %[[STATUS]]
    %0 = memref.load %gains[%t] : memref<?xf32>
    // CHECK: %[[ROW:.*]] = vector.broadcast
    %1 = vector.broadcast %0 : f32 to vector<4xf32>
    // CHECK: vector.store %[[ROW]], %[[OUT]]
    // CHECK-NEXT: %[[LANES:.*]] = arith.cmpf uno, %[[ROW]], %[[ROW]] : vector<4xf32>
    // CHECK-NEXT: vector.reduction <or>, %[[LANES]] : vector<4xi1> into i1
    vector.store %1, %out[%t, %c0] : memref<8x16xf32>, vector<4xf32>
    // Integers, and buffers in SPMEM, are not checked.
    // CHECK: memref.load %[[IDS]]
    // CHECK-NOT: arith.cmpf
    %2 = memref.load %ids[%t] : memref<?xi32>
    %3 = memref.alloc() : memref<1xf32, "spmem">
    memref.store %0, %3[%c0] : memref<1xf32, "spmem">
  }
  return
}

// -----

!part = memref<8xf32, strided<[1], offset: ?>>

// CHECK-LABEL: func @part
// CHECK-SAME: sparsecore.messages = ["ok", "NaN read from gains at or after [{1}]"]
func.func @part(%gains: memref<64xf32> {sparsecore.name = "gains"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%t) = (%c0) to (%c8) step (%c1) {
    %part = memref.subview %gains[%t] [8] [1] : memref<64xf32> to !part
    // CHECK: memref.load
    // CHECK-NEXT: arith.cmpf uno
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: arith.addi %{{.*}}, %{{.*}} : index
    %0 = memref.load %part[%c0] : !part
  }
  return
}

// -----

!gains = memref<4x?xf32>
!row = memref<?xf32, strided<[1]>>
!part = memref<1xf32, strided<[1], offset: ?>>
!strided = memref<2x1xf32, strided<[?, 1]>>

// The position in a view of all rows as one is a row and a column; a view with strides is not followed.
// CHECK-LABEL: func @one_row
// CHECK-SAME: sparsecore.messages = ["ok", "NaN read from gains at or after [{1}, {2}]",
// CHECK-SAME: "NaN read from gains at or after [{1}, {2}] (relative to the tile's part)"]
func.func @one_row(%gains: !gains {sparsecore.name = "gains"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %gains, %c1 : !gains
  %all = arith.muli %n, %c4 : index
  scf.parallel (%t) = (%c0) to (%all) step (%c1) {
    %row = memref.reinterpret_cast %gains to offset: [0], sizes: [%all], strides: [1] : !gains to !row
    %part = memref.subview %row[%t] [1] [1] : !row to !part
    // CHECK: memref.load
    // CHECK: scf.if
    // CHECK-NEXT: %[[FLAT:.*]] = arith.addi
    // CHECK: arith.divui %[[FLAT]]
    // CHECK: arith.remui %[[FLAT]]
    %0 = memref.load %part[%c0] : !part
    %other = memref.subview %gains[0, 0] [2, 1] [2, 1] : !gains to !strided
    %1 = memref.load %other[%c0, %c0] : !strided
  }
  return
}

// -----

!part = memref<8xf32, strided<[1], offset: ?>>
!held = memref<8xf32, "spmem">

// CHECK-LABEL: func @copy
// CHECK-SAME: sparsecore.messages = ["ok", "NaN read from gains at or after [{1}]"]
func.func @copy(%gains: memref<64xf32> {sparsecore.name = "gains"}, %ids: memref<8xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%t) = (%c0) to (%c8) step (%c1) {
    %held = memref.alloc() : !held
    %others = memref.alloc() : memref<8xi32, "spmem">
    // CHECK: %[[PART:.*]] = memref.subview
    %part = memref.subview %gains[%t] [8] [1] : memref<64xf32> to !part
    // CHECK: memref.copy
    // CHECK: scf.for %[[I:.*]] =
    // CHECK-NEXT: %[[GAIN:.*]] = memref.load %[[PART]][%[[I]]]
    // CHECK-NEXT: arith.cmpf uno, %[[GAIN]], %[[GAIN]]
    memref.copy %part, %held : !part to !held
    // CHECK: memref.copy
    // CHECK-NEXT: scf.reduce
    memref.copy %ids, %others : memref<8xi32> to memref<8xi32, "spmem">
  }
  return
}

// -----

// CHECK-LABEL: func @square
func.func @square(%table: memref<?x8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%t) = (%c0) to (%c8) step (%c1) {
    // CHECK: arith.cmpf uno, {{.*}} : vector<2x4xf32>
    // CHECK-NEXT: vector.shape_cast {{.*}} : vector<2x4xi1> to vector<8xi1>
    // CHECK-NEXT: vector.reduction <or>, {{.*}} : vector<8xi1> into i1
    %0 = vector.load %table[%t, %c0] : memref<?x8xf32>, vector<2x4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func @no_entry
func.func @no_entry(%gains: memref<?xf32>, %i: index) -> f32 {
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: return
  %0 = memref.load %gains[%i] : memref<?xf32>
  return %0 : f32
}

// -----

// A scalar has a single position.
// CHECK-LABEL: func @scalar
// CHECK-SAME: sparsecore.messages = ["ok", "NaN read from argument 0 at or after []"]
func.func @scalar(%rate: memref<f32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %rate[] : memref<f32>
  }
  return
}
