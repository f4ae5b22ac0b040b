// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-gather-scatter | FileCheck %s

// Both halves of a row share where it is.
// CHECK-LABEL: func @halves
// CHECK-SAME: (%[[ROWS:.*]]: memref<64xindex>, %[[TABLE:.*]]: memref<?x8xf32>, %[[N:.*]]: index)
func.func @halves(%rows: memref<64xindex>, %table: memref<?x8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: scf.parallel
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK-NEXT: scf.for %[[K:[^ ]*]] = %{{.*}} to %[[N]]
    // CHECK-NEXT: %[[ROW:.*]] = memref.load %[[ROWS]][%[[K]]]
    // CHECK-NEXT: %[[A:.*]] = vector.load %[[TABLE]][%[[ROW]], %[[C0:.*]]] : memref<?x8xf32>, vector<4xf32>
    // CHECK-NEXT: %[[B:.*]] = vector.load %[[TABLE]][%[[ROW]], %[[C4:.*]]] : memref<?x8xf32>, vector<4xf32>
    // CHECK-NEXT: vector.store %[[B]], %[[TABLE]][%[[ROW]], %[[C0]]] : memref<?x8xf32>, vector<4xf32>
    // CHECK-NEXT: vector.store %[[A]], %[[TABLE]][%[[ROW]], %[[C4]]] : memref<?x8xf32>, vector<4xf32>
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.reduce
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      %0 = vector.load %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<4xf32>
      %1 = vector.load %held[%k, %c4] : memref<64x8xf32, "spmem">, vector<4xf32>
      vector.store %1, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<4xf32>
      vector.store %0, %held[%k, %c4] : memref<64x8xf32, "spmem">, vector<4xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %from = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      %to = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

// Two buffers go through the same loops, which stay as long as they copy something else.
// CHECK-LABEL: func @two_buffers
// CHECK-SAME: (%[[ROWS:.*]]: memref<64xindex>, %[[TABLE:.*]]: memref<?x1xf32>, %[[SLOT:.*]]: memref<?x1xf32>, %[[OTHER:.*]]: memref<?x1xf32>, %[[N:.*]]: index)
func.func @two_buffers(%rows: memref<64xindex>, %table: memref<?x1xf32>, %slot: memref<?x1xf32>, %other: memref<?x1xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: %[[KEPT:.*]] = memref.alloc() : memref<64x1xf32, "spmem">
    // CHECK-NEXT: scf.for
    // CHECK: memref.copy
    // CHECK-NOT: memref.copy
    // CHECK: scf.for %[[K:[^ ]*]] =
    // CHECK-NEXT: %[[ROW:.*]] = memref.load %[[ROWS]][%[[K]]]
    // CHECK-NEXT: %[[A:.*]] = memref.load %[[TABLE]][%[[ROW]], %{{.*}}]
    // CHECK-NEXT: memref.store %[[A]], %[[SLOT]][%[[ROW]], %{{.*}}]
    // CHECK-NEXT: memref.store %[[A]], %[[KEPT]][%[[K]], %{{.*}}]
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.reduce
    %a = memref.alloc() {sparsecore.in_place} : memref<64x1xf32, "spmem">
    %b = memref.alloc() {sparsecore.in_place} : memref<64x1xf32, "spmem">
    %c = memref.alloc() : memref<64x1xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %from = memref.subview %table[%row, 0] [1, 1] [1, 1] : memref<?x1xf32> to memref<1x1xf32, strided<[1, 1], offset: ?>>
      %to = memref.subview %a[%k, 0] [1, 1] [1, 1] : memref<64x1xf32, "spmem"> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x1xf32, strided<[1, 1], offset: ?>> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
      %from1 = memref.subview %slot[%row, 0] [1, 1] [1, 1] : memref<?x1xf32> to memref<1x1xf32, strided<[1, 1], offset: ?>>
      %to1 = memref.subview %b[%k, 0] [1, 1] [1, 1] : memref<64x1xf32, "spmem"> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
      memref.copy %from1, %to1 : memref<1x1xf32, strided<[1, 1], offset: ?>> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
      %from2 = memref.subview %other[%row, 0] [1, 1] [1, 1] : memref<?x1xf32> to memref<1x1xf32, strided<[1, 1], offset: ?>>
      %to2 = memref.subview %c[%k, 0] [1, 1] [1, 1] : memref<64x1xf32, "spmem"> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
      memref.copy %from2, %to2 : memref<1x1xf32, strided<[1, 1], offset: ?>> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      %0 = memref.load %a[%k, %c0] : memref<64x1xf32, "spmem">
      memref.store %0, %b[%k, %c0] : memref<64x1xf32, "spmem">
      memref.store %0, %c[%k, %c0] : memref<64x1xf32, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %from = memref.subview %a[%k, 0] [1, 1] [1, 1] : memref<64x1xf32, "spmem"> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
      %to = memref.subview %table[%row, 0] [1, 1] [1, 1] : memref<?x1xf32> to memref<1x1xf32, strided<[1, 1], offset: ?>>
      memref.copy %from, %to : memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem"> to memref<1x1xf32, strided<[1, 1], offset: ?>>
      %from1 = memref.subview %b[%k, 0] [1, 1] [1, 1] : memref<64x1xf32, "spmem"> to memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem">
      %to1 = memref.subview %slot[%row, 0] [1, 1] [1, 1] : memref<?x1xf32> to memref<1x1xf32, strided<[1, 1], offset: ?>>
      memref.copy %from1, %to1 : memref<1x1xf32, strided<[1, 1], offset: ?>, "spmem"> to memref<1x1xf32, strided<[1, 1], offset: ?>>
    }
  }
  return
}

// -----

// Nothing says that it is copied back.
// CHECK-LABEL: func @other_memory
func.func @other_memory(%x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: memref.alloc
    // CHECK: memref.store
    %held = memref.alloc() : memref<64x8xf32, "spmem">
    memref.store %x, %held[%c0, %c0] : memref<64x8xf32, "spmem">
  }
  return
}

// -----

// Two phases change the same rows, one after the other.
// CHECK-LABEL: func @two_phases
// CHECK-NOT: memref.alloc
// CHECK: vector.store %{{.*}}, %arg1[
// CHECK: scf.parallel
// CHECK: vector.store %{{.*}}, %arg1[
// CHECK-NOT: memref.copy
// CHECK: return
func.func @two_phases(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}
