// RUN: sdy-opt %s -split-input-file -sparsecore-update-in-place | FileCheck %s

!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// The row is changed in the table, also in a loop.
// CHECK-LABEL: func @in_place
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x8xf32> {{.*}}, %[[ROW:.*]]: index, %{{.*}}: index, %{{.*}}: index)
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.subview
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK-NEXT: %[[OLD:.*]] = vector.load %[[TABLE]][%[[ROW]], %c0] : memref<?x8xf32>, vector<8xf32>
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[OLD]]
// CHECK-NEXT: vector.store %[[NEW]], %[[TABLE]][%[[ROW]], %c0] : memref<?x8xf32>, vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield
func.func @in_place(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %from, %to : !row to !held_row
      scf.for %k = %c0 to %last step %c1 {
        %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      %back = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %done = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %done, %back : !held_row to !row
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "gather", "apply", "scatter"]}
  }
  return
}

// -----

// Only joined loops are looked at.
// CHECK-LABEL: func @other_loops
// CHECK-COUNT-2: memref.copy
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @other_loops(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %from, %to : !row to !held_row
      scf.for %k = %c0 to %last step %c1 {
        %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      %back = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %done = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %done, %back : !held_row to !row
      scf.yield %p, %n : index, index
    }
  }
  return
}
