// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-gather-reduce | FileCheck %s

// Both halves of a row share where it is.
// CHECK-LABEL: func @sum_of_rows
// CHECK-SAME: (%[[ROWS:.*]]: memref<?xindex>, %[[TABLE:.*]]: memref<?x8xf32>, %[[OUT:.*]]: memref<8xf32>, %[[N:.*]]: index)
func.func @sum_of_rows(%rows: memref<?xindex>, %table: memref<?x8xf32>, %out: memref<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %c4 = arith.constant 4 : index
  // CHECK: scf.parallel
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK-NEXT: {{.*}} = scf.for %[[I:[^ ]*]] = %{{.*}} to %[[N]]
    // CHECK-NEXT: %[[ROW:.*]] = memref.load %[[ROWS]][%[[I]]]
    // CHECK-NEXT: vector.load %[[TABLE]][%[[ROW]], %{{.*}}] : memref<?x8xf32>, vector<4xf32>
    // CHECK-NEXT: vector.load %[[TABLE]][%[[ROW]], %{{.*}}] : memref<?x8xf32>, vector<4xf32>
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros, %b = %zeros) -> (vector<4xf32>, vector<4xf32>) {
      %0 = vector.load %held[%i, %c0] : memref<64x8xf32, "spmem">, vector<4xf32>
      %1 = vector.load %held[%i, %c4] : memref<64x8xf32, "spmem">, vector<4xf32>
      %2 = arith.addf %a, %0 : vector<4xf32>
      %3 = arith.addf %b, %1 : vector<4xf32>
      scf.yield %2, %3 : vector<4xf32>, vector<4xf32>
    }
    vector.store %sums#0, %out[%c0] : memref<8xf32>, vector<4xf32>
    vector.store %sums#1, %out[%c4] : memref<8xf32>, vector<4xf32>
  }
  return
}

// -----

// Nothing says that it is filled row by row.
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
