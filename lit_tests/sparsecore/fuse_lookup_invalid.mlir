// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps -sparsecore-fuse-lookup -verify-diagnostics

func.func @other_places(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
    %to = memref.subview %received[%n, 0] [%size, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    // expected-error@+1 {{'memref.copy' op keeps step 'all_to_all' from being joined by 'received': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
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

func.func @written_twice(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
    // expected-error@+1 {{'memref.copy' op keeps step 'all_to_all' from being joined by 'received': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
    memref.copy %gathered, %received : memref<64x8xf32, "spmem"> to memref<64x8xf32, "spmem">
    memref.copy %gathered, %received : memref<64x8xf32, "spmem"> to memref<64x8xf32, "spmem">
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

func.func @tile(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
      %row = arith.addi %t, %local : index
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %gathered[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      // expected-error@+1 {{'memref.copy' op keeps step 'gather' from being joined by 'gathered': expected that what is copied follows from the place it is copied to, and from nothing else counted}}
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

func.func @under_condition(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
    %some = arith.cmpi slt, %t, %n : index
    // expected-error@+1 {{'scf.if' op keeps step 'all_to_all' from being joined by 'received': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
    scf.if %some {
      memref.copy %gathered, %received : memref<64x8xf32, "spmem"> to memref<64x8xf32, "spmem">
    }
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

func.func @view(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
      // expected-error@+1 {{'memref.subview' op keeps steps 'all_to_all' and 'reduce' from being joined by 'received': expected loads and stores, of single elements unless the step copies a part as a whole}}
      %from = memref.subview %received[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      %row = vector.load %from[%c0, %c0] : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">, vector<8xf32>
      vector.store %row, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["numbers", "received"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @overwritten(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
  // Rows would be read by other ids.
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    memref.copy %ids, %inbox : memref<?xi32> to memref<64xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["inbox"]}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %size = arith.subi %n, %t : index
    %from = memref.subview %gathered[%t, 0] [%size, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    %to = memref.subview %received[%t, 0] [%size, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    memref.copy %from, %to : memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
  } {sparsecore.step = "all_to_all", sparsecore.reads = ["gathered"], sparsecore.writes = ["received"]}
  // expected-error@+1 {{'scf.parallel' op keeps steps 'gather' and 'reduce' from being joined by 'gathered': step 'load' writes 'inbox', which they would read later}}
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

func.func @both_write(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
  // expected-error@+1 {{'scf.parallel' op keeps steps 'all_to_all' and 'load' from being joined by 'received': both write it}}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %x = arith.constant dense<0.0> : vector<8xf32>
    vector.store %x, %received[%t, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
  } {sparsecore.step = "load", sparsecore.reads = [], sparsecore.writes = ["received"]}
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

func.func @another_block(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{'scf.parallel' op keeps steps 'all_to_all' and 'reduce' from being joined by 'received': one is not after the other in its block}}
    scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
      scf.for %e = %t to %n step %c1 {
        %number = memref.load %numbers[%e] : memref<64xi32, "spmem">
        %k = arith.index_cast %number : i32 to index
        %row = vector.load %received[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        vector.store %row, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
      }
    } {sparsecore.step = "reduce", sparsecore.reads = ["numbers", "received"], sparsecore.writes = ["out"]}
  }
  return
}

// -----

func.func @computed(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
      // expected-error@+1 {{'arith.addi' op keeps steps 'deduplicate' and 'reduce' from being joined by 'numbers': expected that numbers of ids are copied one by one, or that ids are looked up by them}}
      %sum = arith.addi %number, %number : i32
      vector.store %row, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["numbers", "received"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @in_vectors(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
      // expected-error@+1 {{'vector.load' op keeps steps 'deduplicate' and 'reduce' from being joined by 'numbers': expected that numbers of ids are copied one by one, or that ids are looked up by them}}
      %v = vector.load %numbers[%e] : memref<64xi32, "spmem">, vector<1xi32>
      %number = vector.extract %v[0] : i32 from vector<1xi32>
      %k = arith.index_cast %number : i32 to index
      %row = vector.load %received[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %row, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["numbers", "received"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @not_by_number(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
      // expected-error@+1 {{'memref.load' op keeps steps 'deduplicate' and 'reduce' from being joined by 'unique': expected that ids are looked up by the number of an entry's}}
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
      %other = vector.load %received[%e, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %other, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["numbers", "received"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @no_numbers(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
  // expected-error@+1 {{'scf.parallel' op is step 'deduplicate'; expected that the first buffer read for it has the ids of entries, and that the first two it writes have the distinct ids and the number of each entry's}}
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    scf.for %e = %c0 to %n step %c1 {
      %id = memref.load %entry_ids[%e] : memref<64xi32, "spmem">
      memref.store %id, %unique[%e] : memref<64xi32, "spmem">
  
    }
  } {sparsecore.step = "deduplicate", sparsecore.reads = ["entry_ids"], sparsecore.writes = ["unique"]}
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
      %row = vector.load %received[%e, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %row, %out[%e, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  } {sparsecore.step = "reduce", sparsecore.reads = ["received"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @overwritten_numbers(%ids: memref<?xi32> {sparsecore.name = "ids"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index, %first: index)
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
      %other = arith.constant 3 : i32
      // expected-error@+1 {{'memref.store' op keeps steps 'deduplicate' and 'reduce' from being joined by 'numbers': it overwrites numbers of ids}}
      memref.store %other, %copies[%e] : memref<64xi32, "spmem">
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

func.func @into_an_argument(%table: memref<?x8xf32> {sparsecore.name = "table"}, %staged: memref<?x8xf32> {sparsecore.name = "staged"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %row = arith.addi %k, %k : index
    %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %staged[%k, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    // expected-error@+1 {{'memref.copy' op keeps step 'gather' from being joined by 'staged': expected an allocation}}
    memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  } {sparsecore.step = "gather", sparsecore.reads = ["table"], sparsecore.writes = ["staged"]}
  scf.for %k = %c0 to %n step %c1 {
    %row = vector.load %staged[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    vector.store %row, %out[%k, %c0] : memref<?x8xf32>, vector<8xf32>
  } {sparsecore.step = "reduce", sparsecore.reads = ["staged"], sparsecore.writes = ["out"]}
  return
}

// -----

// Eight elements of the copy are not eight adjacent elements of the table.
func.func @several_elements(%table: memref<?xf32> {sparsecore.name = "table"}, %out: memref<?xf32> {sparsecore.name = "out"}, %n: index)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gathered = memref.alloc() {sparsecore.name = "gathered"} : memref<64xf32, "spmem">
  scf.for %k = %c0 to %n step %c1 {
    %row = arith.addi %k, %k : index
    %from = memref.subview %table[%row] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
    %to = memref.subview %gathered[%k] [1] [1] : memref<64xf32, "spmem"> to memref<1xf32, strided<[1], offset: ?>, "spmem">
    memref.copy %from, %to : memref<1xf32, strided<[1], offset: ?>> to memref<1xf32, strided<[1], offset: ?>, "spmem">
  } {sparsecore.step = "gather", sparsecore.reads = ["table"], sparsecore.writes = ["gathered"]}
  scf.for %k = %c0 to %n step %c1 {
    // expected-error@+1 {{'vector.load' op keeps steps 'gather' and 'reduce' from being joined by 'gathered': expected loads and stores, of single elements unless the step copies a part as a whole}}
    %row = vector.load %gathered[%k] : memref<64xf32, "spmem">, vector<8xf32>
    vector.store %row, %out[%k] : memref<?xf32>, vector<8xf32>
  } {sparsecore.step = "reduce", sparsecore.reads = ["gathered"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @carried(%table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gathered = memref.alloc() {sparsecore.name = "gathered"} : memref<64x8xf32, "spmem">
  // expected-error@+1 {{'scf.for' op keeps step 'gather' from being joined by 'gathered': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%row = %c0) -> (index) {
    %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %gathered[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    %next = arith.addi %row, %row : index
    scf.yield %next : index
  } {sparsecore.step = "gather", sparsecore.reads = ["table"], sparsecore.writes = ["gathered"]}
  scf.for %k = %c0 to %n step %c1 {
    %row = vector.load %gathered[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %row, %out[%k, %c0] : memref<?x8xf32>, vector<8xf32>
  } {sparsecore.step = "reduce", sparsecore.reads = ["gathered"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @from_a_part_of_a_part(%table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gathered = memref.alloc() {sparsecore.name = "gathered"} : memref<64x8xf32, "spmem">
  scf.for %k = %c0 to %n step %c1 {
    %part = memref.subview %table[%c1, 0] [%n, 8] [1, 1] : memref<?x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    %from = memref.subview %part[%k, 0] [1, 8] [1, 1] : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %gathered[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    // expected-error@+1 {{'memref.copy' op keeps step 'gather' from being joined by 'gathered': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
    memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
  } {sparsecore.step = "gather", sparsecore.reads = ["table"], sparsecore.writes = ["gathered"]}
  scf.for %k = %c0 to %n step %c1 {
    %row = vector.load %gathered[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %row, %out[%k, %c0] : memref<?x8xf32>, vector<8xf32>
  } {sparsecore.step = "reduce", sparsecore.reads = ["gathered"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @to_a_part_of_a_part(%table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?x8xf32> {sparsecore.name = "out"}, %n: index)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gathered = memref.alloc() {sparsecore.name = "gathered"} : memref<64x8xf32, "spmem">
  scf.for %k = %c0 to %n step %c1 {
    %part = memref.subview %gathered[%c1, 0] [%n, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">
    %from = memref.subview %table[%k, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %part[%k, 0] [1, 8] [1, 1] : memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    // expected-error@+1 {{'memref.copy' op keeps step 'gather' from being joined by 'gathered': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
    memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
  } {sparsecore.step = "gather", sparsecore.reads = ["table"], sparsecore.writes = ["gathered"]}
  scf.for %k = %c0 to %n step %c1 {
    %row = vector.load %gathered[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %row, %out[%k, %c0] : memref<?x8xf32>, vector<8xf32>
  } {sparsecore.step = "reduce", sparsecore.reads = ["gathered"], sparsecore.writes = ["out"]}
  return
}
