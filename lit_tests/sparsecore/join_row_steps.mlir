// RUN: sdy-opt %s -split-input-file -sparsecore-join-row-steps | FileCheck %s

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// The position that reduce_gradients carries is that of the row; the search for the next row goes.
// CHECK-LABEL: func @all
// CHECK-SAME: (%[[IDS:.*]]: memref<?xindex> {{.*}}, %[[TABLE:.*]]: memref<?x8xf32> {{.*}}, %[[X:.*]]: vector<8xf32>, %[[LAST:.*]]: index)
func.func @all(%ids: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: %[[ROWS:.*]] = memref.alloc() : memref<64xindex
    // CHECK: %[[SUMS:.*]] = memref.alloc() : memref<64x8xf32
    // CHECK: %[[HELD:.*]] = memref.alloc() : memref<64x8xf32
    %rows = memref.alloc() : !rows
    %sums = memref.alloc() : !held
    %held = memref.alloc() : !held
    // CHECK: arith.constant 5
    // CHECK-NEXT: scf.while (%{{.*}} = %c0, %{{.*}} = %c0)
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      %room = arith.cmpi slt, %n, %c64 : index
      %both = arith.andi %left, %room : i1
      scf.condition(%both) %p, %n : index, index
    } do {
    // CHECK: ^bb0(%[[P:.*]]: index, %[[N:.*]]: index):
    ^bb0(%p: index, %n: index):
      // CHECK-NEXT: %[[ID:.*]] = memref.load %[[IDS]][%[[P]]]
      // CHECK-NEXT: memref.store %[[ID]], %[[ROWS]][%[[N]]]
      // CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[N]], %c1
      %id = memref.load %ids[%p] : memref<?xindex>
      memref.store %id, %rows[%n] : !rows
      %next = scf.while (%q = %p) : (index) -> index {
        %end = memref.load %ids[%q] : memref<?xindex>
        %is_same = arith.cmpi eq, %end, %id : index
        scf.condition(%is_same) %q : index
      } do {
      ^bb0(%q: index):
        %r = arith.addi %q, %c1 : index
        scf.yield %r : index
      }
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    // CHECK-NEXT: %[[STOP:.*]] = arith.addi %[[P]], %c2
    // CHECK-NEXT: vector.store %[[X]], %[[SUMS]][%[[N]], %c0]
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      %following = arith.addi %p, %c2 : index
      vector.store %x, %sums[%k, %c0] : !held, vector<8xf32>
      scf.yield %following : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    %five = arith.constant 5 : index
    // CHECK-NEXT: %[[ROW:.*]] = memref.load %[[ROWS]][%[[N]]]
    // CHECK-NEXT: %[[FROM:.*]] = memref.subview %[[TABLE]][%[[ROW]], 0]
    // CHECK-NEXT: %[[TO:.*]] = memref.subview %[[HELD]][%[[N]], 0]
    // CHECK-NEXT: memref.copy %[[FROM]], %[[TO]]
    scf.for %k = %c0 to %found#1 step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    // CHECK-NEXT: %[[SUM:.*]] = vector.load %[[SUMS]][%[[N]], %c0]
    // CHECK-NEXT: vector.store %[[SUM]], %[[HELD]][%[[N]], %c0]
    scf.for %k = %c0 to %found#1 step %c1 {
      %sum = vector.load %sums[%k, %c0] : !held, vector<8xf32>
      vector.store %sum, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["held"]}
    // CHECK: memref.copy
    // CHECK-NEXT: scf.yield %[[STOP]], %[[MORE]]
    // CHECK-NEXT: } attributes {sparsecore.joined = ["deduplicate", "reduce_gradients", "gather", "apply", "scatter"]}
    // CHECK-NOT: scf.for
    scf.for %k = %c0 to %found#1 step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

// A lookup has no step reduce_gradients.
// CHECK-LABEL: func @lookup
func.func @lookup(%n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: sparsecore.step = "deduplicate"
    // CHECK: sparsecore.step = "gather"
    scf.for %k = %c0 to %n step %c1 {
    } {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    scf.for %k = %c0 to %n step %c1 {
    } {sparsecore.step = "gather", sparsecore.reads = [], sparsecore.writes = []}
  }
  return
}
