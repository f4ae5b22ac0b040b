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

// Nothing depends on the number of the row: one loop is over all blocks.
// CHECK-LABEL: func @blocks
// CHECK: %[[ALL:.*]]:2 = scf.while (%[[P:.*]] = %c1, %[[N:.*]] = %c0)
// CHECK-NEXT: %[[LEFT:.*]] = arith.cmpi slt, %[[P]]
// CHECK: scf.condition(%[[LEFT]]) %[[P]], %[[N]]
// CHECK-NOT: scf.while
// CHECK: memref.store %[[ALL]]#0
func.func @blocks(%out: memref<1xindex>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %end = scf.while (%b = %c1) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %found:2 = scf.while (%p = %b, %n = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %room = arith.cmpi slt, %n, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %n : index, index
      } do {
      ^bb0(%p: index, %n: index):
        %next = arith.addi %p, %c1 : index
        %more = arith.addi %n, %c1 : index
        scf.yield %next, %more : index, index
      } attributes {sparsecore.joined = ["deduplicate", "apply"]}
      scf.yield %found#0 : index
    }
    memref.store %end, %out[%c0] : memref<1xindex>
  }
  return
}

// -----

// The number of the row is a value of the program: the room for rows of a block matters.
// CHECK-LABEL: func @numbered
// CHECK: scf.while
// CHECK: scf.while
// CHECK: arith.andi
func.func @numbered(%out: memref<64xindex>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %end = scf.while (%b = %c1) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %found:2 = scf.while (%p = %b, %n = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %room = arith.cmpi slt, %n, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %n : index, index
      } do {
      ^bb0(%p: index, %n: index):
        %next = arith.addi %p, %c1 : index
        %more = arith.addi %n, %c1 : index
        memref.store %p, %out[%n] : memref<64xindex>
        scf.yield %next, %more : index, index
      } attributes {sparsecore.joined = ["deduplicate", "apply"]}
      scf.yield %found#0 : index
    }
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
