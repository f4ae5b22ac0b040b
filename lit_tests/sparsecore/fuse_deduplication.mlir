// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-deduplication | FileCheck %s

// Rows are given by entry; nothing is left of the table that told which are the same.
// CHECK-LABEL: func @rows_of_entries
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x8xf32>, %[[OUT:.*]]: memref<8xf32>, %[[N:.*]]: index)
func.func @rows_of_entries(%table: memref<?x8xf32>, %out: memref<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %free = arith.constant -1 : i32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: scf.parallel
    // CHECK-NEXT: %[[ENTRIES:.*]] = memref.alloc() : memref<64xi32, "spmem">
    // CHECK-NEXT: arith.cmpi
    // CHECK-NEXT: {{.*}} = scf.for %[[I:[^ ]*]] =
    // CHECK-NEXT: %[[ROW:.*]] = memref.load %[[ENTRIES]][%[[I]]]
    // CHECK-NEXT: %[[WHICH:.*]] = arith.index_cast %[[ROW]]
    // CHECK-NEXT: vector.load %[[TABLE]][%[[WHICH]], %{{.*}}]
    // CHECK-NOT: memref.load
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<32xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    %keys = memref.alloc() : memref<128xi32, "spmem">
    %some = arith.cmpi sgt, %n, %c0 : index
    %count = scf.if %some -> (index) {
      scf.for %s = %c0 to %n step %c1 {
        memref.store %free, %keys[%s] : memref<128xi32, "spmem">
      }
      %found = scf.for %k = %c0 to %n step %c1 iter_args(%so_far = %c0) -> (index) {
        %row = memref.load %entries[%k] : memref<64xi32, "spmem">
        %slot = arith.index_castui %row : i32 to index
        %key = memref.load %keys[%slot] : memref<128xi32, "spmem">
        %known = arith.index_cast %key : i32 to index
        %new = arith.cmpi eq, %key, %free : i32
        %place = arith.select %new, %so_far, %known : index
        %number = arith.index_cast %place : index to i32
        memref.store %number, %keys[%slot] : memref<128xi32, "spmem">
        memref.store %row, %rows[%place] : memref<32xi32, "spmem">
        memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
        %more = arith.index_castui %new : i1 to index
        %then = arith.addi %so_far, %more : index
        scf.yield %then : index
      }
      scf.yield %found : index
    } else {
      scf.yield %c0 : index
    } {sparsecore.deduplication}
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zeros) -> (vector<8xf32>) {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<32xi32, "spmem">
      %3 = arith.index_cast %2 : i32 to index
      %4 = vector.load %table[%3, %c0] : memref<?x8xf32>, vector<8xf32>
      %5 = arith.addf %a, %4 : vector<8xf32>
      scf.yield %5 : vector<8xf32>
    }
    vector.store %sum, %out[%c0] : memref<8xf32>, vector<8xf32>
  }
  return
}

// -----

// Nothing says that places are of rows that are the same.
// CHECK-LABEL: func @other_places
func.func @other_places(%out: memref<64xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK-COUNT-3: memref.alloc
    // CHECK: scf.for
    // CHECK: scf.for
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %number = arith.index_cast %k : index to i32
      memref.store %row, %rows[%k] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    }
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<64xi32>
    }
  }
  return
}

// -----

// What the op has allocated goes with it.
// CHECK-LABEL: func @memory_of_its_own
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-COUNT-1: memref.load
// CHECK-NOT: memref.load
// CHECK: return
func.func @memory_of_its_own(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">

    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
      %in = memref.alloc() : memref<4xi32, "spmem">
      memref.store %row, %in[%c0] : memref<4xi32, "spmem">

    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }

  }
  return
}
