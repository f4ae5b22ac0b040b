// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps -sparsecore-fuse-lookup -sparsecore-verify-steps -canonicalize | FileCheck %s

// CHECK-LABEL: func @lookup
// CHECK-SAME: (%[[IDS:[^:]*]]: memref<?xi32> {{.*}}, %[[TABLE:[^:]*]]: memref<?x8xf32> {{.*}}, %[[OUT:[^:]*]]: memref<?x8xf32> {{.*}}, %[[N:.*]]: index, %[[FIRST:.*]]: index)
// CHECK: %[[HELD:.*]] = memref.alloc() {sparsecore.name = "entry_ids"}
// CHECK-NOT: memref.alloc
// CHECK: sparsecore.reads = ["ids"], sparsecore.step = "load", sparsecore.writes = ["entry_ids"]
// CHECK-NEXT: scf.parallel (%[[T:.*]]) =
// CHECK-NEXT: scf.for %[[E:[^ ]*]] = %[[T]] to %[[N]]
// CHECK-NEXT: %[[ID:.*]] = memref.load %[[HELD]][%[[E]]]
// CHECK-NEXT: %[[LOCAL:.*]] = arith.index_cast %[[ID]]
// CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[LOCAL]]
// CHECK-NEXT: %[[VALUE:.*]] = vector.load %[[TABLE]][%[[ROW]], %{{.*}}]
// CHECK-NEXT: vector.store %[[VALUE]], %[[OUT]][%[[E]], %{{.*}}]
// CHECK: sparsecore.reads = ["table", "entry_ids"], sparsecore.step = "reduce", sparsecore.writes = ["out"]
func.func @lookup(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %entry_ids = memref.alloc() {sparsecore.name = "entry_ids"} : memref<64xi32, "spmem">
  %unique = memref.alloc() {sparsecore.name = "unique"} : memref<64xi32, "spmem">
  %numbers = memref.alloc() {sparsecore.name = "numbers"} : memref<64xi32, "spmem">
  %inbox = memref.alloc() {sparsecore.name = "inbox"} : memref<64xi32, "spmem">
  %gathered = memref.alloc() {sparsecore.name = "gathered"} : memref<64x8xf32, "spmem">
  %received = memref.alloc() {sparsecore.name = "received"} : memref<64x8xf32, "spmem">
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    memref.copy %ids, %entry_ids : memref<?xi32> to memref<64xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["entry_ids"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %e = %c0 to %n step %c1 {
      %id = memref.load %entry_ids[%e] : memref<64xi32, "spmem">
      memref.store %id, %unique[%e] : memref<64xi32, "spmem">
      %number = arith.index_cast %e : index to i32
      memref.store %number, %numbers[%e] : memref<64xi32, "spmem">
    }
  } {sparsecore.step = "deduplicate", sparsecore.reads = ["entry_ids"], sparsecore.writes = ["unique", "numbers"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %size = arith.subi %n, %t : index
    %from = memref.subview %unique[%t] [%size] [1] : memref<64xi32, "spmem"> to memref<?xi32, strided<[1], offset: ?>, "spmem">
    %to = memref.subview %inbox[%t] [%size] [1] : memref<64xi32, "spmem"> to memref<?xi32, strided<[1], offset: ?>, "spmem">
    memref.copy %from, %to : memref<?xi32, strided<[1], offset: ?>, "spmem"> to memref<?xi32, strided<[1], offset: ?>, "spmem">
  } {sparsecore.step = "exchange_ids", sparsecore.reads = ["unique"], sparsecore.writes = ["inbox"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %k = %t to %n step %c1 {
      %id = memref.load %inbox[%k] : memref<64xi32, "spmem">
      %local = arith.index_cast %id : i32 to index
      %row = arith.addi %first, %local : index
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %gathered[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
  } {sparsecore.step = "gather", sparsecore.reads = ["inbox", "table"], sparsecore.writes = ["gathered"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %size = arith.subi %n, %t : index
    %from = memref.subview %gathered[%t, 0] [%size, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    %to = memref.subview %received[%t, 0] [%size, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    memref.copy %from, %to : memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
  } {sparsecore.step = "all_to_all", sparsecore.reads = ["gathered"], sparsecore.writes = ["received"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %e = %t to %n step %c1 {
      %number = memref.load %numbers[%e] : memref<64xi32, "spmem">
      %k = arith.index_cast %number : i32 to index
      %row = vector.load %received[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %row, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["numbers", "received"], sparsecore.writes = ["out"]}
  return
}

// -----

// Numbers are copied, ids in their place.
// CHECK-LABEL: func @copied_numbers
// CHECK: %[[IDS:.*]] = memref.alloc() {sparsecore.name = "entry_ids"}
// CHECK: %[[COPIES:.*]] = memref.alloc() {sparsecore.name = "copies"}
// CHECK: %[[ID:.*]] = memref.load %[[IDS]]
// CHECK-NEXT: memref.store %[[ID]], %[[COPIES]]
// CHECK: sparsecore.reads = ["entry_ids"], sparsecore.step = "reduce", sparsecore.writes = ["copies"]
// CHECK: memref.load %[[COPIES]]
// CHECK: vector.load %{{.*}} : memref<?x8xf32>
func.func @copied_numbers(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %entry_ids = memref.alloc() {sparsecore.name = "entry_ids"} : memref<64xi32, "spmem">
  %unique = memref.alloc() {sparsecore.name = "unique"} : memref<64xi32, "spmem">
  %numbers = memref.alloc() {sparsecore.name = "numbers"} : memref<64xi32, "spmem">
  %inbox = memref.alloc() {sparsecore.name = "inbox"} : memref<64xi32, "spmem">
  %gathered = memref.alloc() {sparsecore.name = "gathered"} : memref<64x8xf32, "spmem">
  %received = memref.alloc() {sparsecore.name = "received"} : memref<64x8xf32, "spmem">
  %copies = memref.alloc() {sparsecore.name = "copies"} : memref<64xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    memref.copy %ids, %entry_ids : memref<?xi32> to memref<64xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["entry_ids"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %e = %c0 to %n step %c1 {
      %id = memref.load %entry_ids[%e] : memref<64xi32, "spmem">
      memref.store %id, %unique[%e] : memref<64xi32, "spmem">
      %number = arith.index_cast %e : index to i32
      memref.store %number, %numbers[%e] : memref<64xi32, "spmem">
    }
  } {sparsecore.step = "deduplicate", sparsecore.reads = ["entry_ids"], sparsecore.writes = ["unique", "numbers"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %size = arith.subi %n, %t : index
    %from = memref.subview %unique[%t] [%size] [1] : memref<64xi32, "spmem"> to memref<?xi32, strided<[1], offset: ?>, "spmem">
    %to = memref.subview %inbox[%t] [%size] [1] : memref<64xi32, "spmem"> to memref<?xi32, strided<[1], offset: ?>, "spmem">
    memref.copy %from, %to : memref<?xi32, strided<[1], offset: ?>, "spmem"> to memref<?xi32, strided<[1], offset: ?>, "spmem">
  } {sparsecore.step = "exchange_ids", sparsecore.reads = ["unique"], sparsecore.writes = ["inbox"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %k = %t to %n step %c1 {
      %id = memref.load %inbox[%k] : memref<64xi32, "spmem">
      %local = arith.index_cast %id : i32 to index
      %row = arith.addi %first, %local : index
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %gathered[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
  } {sparsecore.step = "gather", sparsecore.reads = ["inbox", "table"], sparsecore.writes = ["gathered"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %size = arith.subi %n, %t : index
    %from = memref.subview %gathered[%t, 0] [%size, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    %to = memref.subview %received[%t, 0] [%size, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    memref.copy %from, %to : memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
  } {sparsecore.step = "all_to_all", sparsecore.reads = ["gathered"], sparsecore.writes = ["received"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %e = %t to %n step %c1 {
      %number = memref.load %numbers[%e] : memref<64xi32, "spmem">
      memref.store %number, %copies[%e] : memref<64xi32, "spmem">
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["numbers"], sparsecore.writes = ["copies"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %e = %t to %n step %c1 {
      %number = memref.load %copies[%e] : memref<64xi32, "spmem">
      %k = arith.index_cast %number : i32 to index
      %row = vector.load %received[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %row, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["copies", "received"], sparsecore.writes = ["out"]}
  return
}

// -----

// Only the programs of lookups are fused.
// CHECK-LABEL: func @update
func.func @update(%table: memref<?x8xf32> {sparsecore.name = "table"}, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held"} : memref<1x8xf32, "spmem">
  // CHECK: sparsecore.step = "gather"
  scf.parallel (%t) = (%c0) to (%n) step (%c1) {
    %from = memref.subview %table[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %from, %held : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, "spmem">
  } {sparsecore.step = "gather", sparsecore.reads = ["table"], sparsecore.writes = ["held"]}
  // CHECK: sparsecore.step = "scatter"
  scf.parallel (%t) = (%c0) to (%n) step (%c1) {
    %to = memref.subview %table[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %held, %to : memref<1x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  } {sparsecore.step = "scatter", sparsecore.reads = ["held"], sparsecore.writes = ["table"]}
  return
}
