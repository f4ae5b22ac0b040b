// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps -sparsecore-join-row-steps -sparsecore-verify-steps | FileCheck %s

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">

// What is stored is used where it is computed; the search for the next row goes.
// CHECK-LABEL: func @all
// CHECK-SAME: (%[[WORDS:.*]]: memref<?xindex> {{.*}}, %[[TABLE:.*]]: memref<?x8xf32> {{.*}}, %[[X:.*]]: vector<8xf32>, %[[LAST:.*]]: index)
// CHECK-NOT: memref.alloc
// CHECK: scf.while (%[[B:.*]] = %c0)
// CHECK-NEXT: %[[LEFT:.*]] = arith.cmpi slt, %[[B]], %[[LAST]]
// CHECK-NEXT: scf.condition(%[[LEFT]]) %[[B]] : index
// CHECK: ^bb0(%[[P:.*]]: index):
// CHECK-NEXT: %[[ROW:.*]] = memref.load %[[WORDS]][%[[P]]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[P]], %c2
// CHECK-NEXT: vector.store %[[X]], %[[TABLE]][%[[ROW]], %c0]
// CHECK-NEXT: scf.yield %[[NEXT]] : index
// CHECK-NEXT: } attributes {sparsecore.joined = ["deduplicate", "reduce_gradients", "apply"]}
func.func @all(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %sums = memref.alloc() {sparsecore.name = "sums"} : !held
    %done = scf.while (%b = %c0) : (index) -> index {
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
        %id = memref.load %words[%p] : memref<?xindex>
        memref.store %id, %rows[%n] : !rows
        %next = scf.while (%q = %p) : (index) -> index {
          %end = memref.load %words[%q] : memref<?xindex>
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
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %following = arith.addi %p, %c2 : index
        vector.store %x, %sums[%k, %c0] : !held, vector<8xf32>
        scf.yield %following : index
      } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
      scf.for %k = %c0 to %found#1 step %c1 {
        %row = memref.load %rows[%k] : !rows
        %sum = vector.load %sums[%k, %c0] : !held, vector<8xf32>
        vector.store %sum, %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      } {sparsecore.step = "apply", sparsecore.reads = ["rows", "sums"], sparsecore.writes = ["table"]}
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">

// Nothing is stored where it is loaded: one row is left.
// CHECK-LABEL: func @other_columns
// CHECK: %[[SUMS:.*]] = memref.alloc() {sparsecore.name = "sums"} : memref<1x8xf32, "spmem">
// CHECK-NOT: memref.alloc
// CHECK: vector.store %{{.*}}, %[[SUMS]][%c0, %c0]
// CHECK: vector.load %[[SUMS]][%c0, %c2]
func.func @other_columns(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %sums = memref.alloc() {sparsecore.name = "sums"} : !held
    %done = scf.while (%b = %c0) : (index) -> index {
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
        %id = memref.load %words[%p] : memref<?xindex>
        memref.store %id, %rows[%n] : !rows
        %next = scf.while (%q = %p) : (index) -> index {
          %end = memref.load %words[%q] : memref<?xindex>
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
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %following = arith.addi %p, %c2 : index
        vector.store %x, %sums[%k, %c0] : !held, vector<8xf32>
        scf.yield %following : index
      } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
      scf.for %k = %c0 to %found#1 step %c1 {
        %row = memref.load %rows[%k] : !rows
        %sum = vector.load %sums[%k, %c2] : !held, vector<8xf32>
        vector.store %sum, %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      } {sparsecore.step = "apply", sparsecore.reads = ["rows", "sums"], sparsecore.writes = ["table"]}
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">

// Sums of a wide row, in loops over columns, stay; their size does not follow from limits any more.
// CHECK-LABEL: func @sized
// CHECK: %[[SUMS:.*]] = memref.alloc() {sparsecore.name = "sums"} : memref<1x8xf32, "spmem">
// CHECK: scf.for %[[C:[^ ]*]] =
// CHECK-NEXT: vector.store %{{.*}}, %[[SUMS]][%c0, %[[C]]]
// CHECK: scf.for %[[D:[^ ]*]] =
// CHECK-NEXT: vector.load %[[SUMS]][%c0, %[[D]]]
func.func @sized(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %sums = memref.alloc() {sparsecore.name = "sums", sparsecore.size = ["64", "8"], sparsecore.gather_operand = "auto"} : !held
    %done = scf.while (%b = %c0) : (index) -> index {
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
        %id = memref.load %words[%p] : memref<?xindex>
        memref.store %id, %rows[%n] : !rows
        %next = scf.while (%q = %p) : (index) -> index {
          %end = memref.load %words[%q] : memref<?xindex>
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
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %following = arith.addi %p, %c2 : index
        scf.for %c = %c0 to %c1 step %c1 {
          vector.store %x, %sums[%k, %c] : !held, vector<8xf32>
        }
        scf.yield %following : index
      } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
      scf.for %k = %c0 to %found#1 step %c1 {
        %row = memref.load %rows[%k] : !rows
        scf.for %c = %c0 to %c1 step %c1 {
          %sum = vector.load %sums[%k, %c] : !held, vector<8xf32>
          vector.store %sum, %table[%row, %c] : memref<?x8xf32>, vector<8xf32>
        }
      } {sparsecore.step = "apply", sparsecore.reads = ["rows", "sums"], sparsecore.writes = ["table"]}
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">

// A block may have all rows, and the next one may begin where `reduce_gradients` ends.
// CHECK-LABEL: func @no_room
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c2
// CHECK: scf.yield %[[NEXT]] : index
// CHECK-NEXT: } attributes {sparsecore.joined
func.func @no_room(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %sums = memref.alloc() {sparsecore.name = "sums"} : !held
    %done = scf.while (%b = %c0) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %found:2 = scf.while (%p = %b, %n = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        scf.condition(%left) %p, %n : index, index
      } do {
      ^bb0(%p: index, %n: index):
        %id = memref.load %words[%p] : memref<?xindex>
        memref.store %id, %rows[%n] : !rows
        %next = scf.while (%q = %p) : (index) -> index {
          %end = memref.load %words[%q] : memref<?xindex>
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
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %following = arith.addi %p, %c2 : index
        vector.store %x, %sums[%k, %c0] : !held, vector<8xf32>
        scf.yield %following : index
      } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
      scf.for %k = %c0 to %found#1 step %c1 {
        %row = memref.load %rows[%k] : !rows
        %sum = vector.load %sums[%k, %c0] : !held, vector<8xf32>
        vector.store %sum, %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      } {sparsecore.step = "apply", sparsecore.reads = ["rows", "sums"], sparsecore.writes = ["table"]}
      scf.yield %stop : index
    }
  }
  return
}

// -----

// A lookup has no step reduce_gradients.
// CHECK-LABEL: func @lookup
// CHECK: sparsecore.step = "deduplicate"
// CHECK: sparsecore.step = "gather"
func.func @lookup(%n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    scf.for %k = %c0 to %n step %c1 {
    } {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    scf.for %k = %c0 to %n step %c1 {
    } {sparsecore.step = "gather", sparsecore.reads = [], sparsecore.writes = []}
  }
  return
}
