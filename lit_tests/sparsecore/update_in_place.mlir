// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps -sparsecore-update-in-place -sparsecore-verify-steps | FileCheck %s

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// The row of a list is changed in the table.
// CHECK-LABEL: func @all
// CHECK-SAME: (%{{.*}}: memref<?xindex> {{.*}}, %[[TABLE:.*]]: memref<?x8xf32> {{.*}}, %{{.*}}: index)
// CHECK: %[[ROWS:.*]] = memref.alloc() {sparsecore.name = "rows"}
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: sparsecore.step = "deduplicate"
// CHECK-NEXT: scf.for %[[K:.*]] = %c0
// CHECK-NEXT: %[[ROW:.*]] = memref.load %[[ROWS]][%[[K]]]
// CHECK-NEXT: %[[OLD:.*]] = vector.load %[[TABLE]][%[[ROW]], %c0]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[OLD]]
// CHECK-NEXT: vector.store %[[NEW]], %[[TABLE]][%[[ROW]], %c0]
// CHECK-NEXT: } {sparsecore.reads = ["table", "rows"], sparsecore.step = "apply", sparsecore.writes = ["table"]}
// CHECK-NOT: sparsecore.step
func.func @all(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// Each block of ops, and each row, has its place in the list.
// CHECK-LABEL: func @nested
// CHECK: sparsecore.step = "deduplicate"
// CHECK: scf.for %[[C:[^ ]*]] = %c0 to %c1
// CHECK-NEXT: %[[ROW:.*]] = memref.load %{{.*}}[%[[K:.*]]]
// CHECK-NEXT: %[[OLD:.*]] = vector.load %{{.*}}[%[[ROW]], %[[C]]]
// CHECK-NEXT: vector.store %[[OLD]], %{{.*}}[%[[ROW]], %[[C]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c1
// CHECK-NEXT: %[[OTHER:.*]] = memref.load %{{.*}}[%[[NEXT]]]
// CHECK-NEXT: vector.load %{{.*}}[%[[OTHER]], %c0] : memref<?x8xf32>
func.func @nested(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      scf.for %c = %c0 to %c1 step %c1 {
        %0 = vector.load %held[%k, %c] : !held, vector<8xf32>
        vector.store %0, %held[%k, %c] : !held, vector<8xf32>
      }
      %next = arith.addi %k, %c1 : index
      %1 = vector.load %held[%next, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// A lookup does not scatter rows.
// CHECK-LABEL: func @lookup
// CHECK: memref.copy
// CHECK: sparsecore.step = "gather"
// CHECK: memref.copy
// CHECK: sparsecore.step = "store"
func.func @lookup(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "store", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}
