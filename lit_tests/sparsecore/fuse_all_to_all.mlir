// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-all-to-all | FileCheck %s

// CHECK-LABEL: func @rows_of_all_sparse_cores
// CHECK-SAME: (%[[ROWS:.*]]: memref<?xindex>, %[[TABLE:.*]]: memref<?x8xf32>, %[[N:.*]]: index)
func.func @rows_of_all_sparse_cores(%rows: memref<?xindex>, %table: memref<?x8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() : memref<64x8xf32, "spmem">
    // CHECK: memref.alloc
    // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
    // CHECK-NEXT: scf.for %[[K:.*]] = %[[ZERO]] to %[[N]]
    // CHECK-NEXT: %[[ROW:.*]] = memref.load %[[ROWS]][%[[K]]]
    // CHECK-NOT: arith.cmpi
    // CHECK-NOT: scf.if
    // CHECK: %[[FROM:.*]] = memref.subview %[[TABLE]][%[[ROW]], 0]
    // CHECK: memref.copy %[[FROM]]
    // CHECK-NOT: scf.for
    scf.for %core = %c0 to %c4 step %c1 {
      %zero = arith.constant 0 : index
      scf.for %k = %zero to %n step %c1 {
        %row = memref.load %rows[%k] : memref<?xindex>
        %owner = arith.remui %row, %c4 : index
        %gives = arith.cmpi eq, %owner, %core : index
        scf.if %gives {
          %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
          %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
          memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
        } {sparsecore.all_to_all}
      }
    }
  }
  return
}

// -----

// A choice like any other.
// CHECK-LABEL: func @not_exchanged
func.func @not_exchanged(%a: memref<4xf32>, %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: scf.for
    // CHECK: scf.for
    // CHECK: scf.if
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %0 = arith.cmpi eq, %i, %j : index
        scf.if %0 {
          memref.store %x, %a[%j] : memref<4xf32>
        }
      }
    }
  }
  return
}
