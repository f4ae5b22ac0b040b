// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-deduplicate-reduce | FileCheck %s

// Where a row ends is seen by the loop over its entries.
// CHECK-LABEL: func @blocks
// CHECK-SAME: (%[[KEYS:.*]]: memref<?xi64>, %[[OUT:.*]]: memref<?xindex>, %[[FIRST:.*]]: index, %[[LAST:.*]]: index, %[[N:.*]]: index)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1
// CHECK-NEXT: scf.parallel
// CHECK-NEXT: arith.constant 7
// CHECK-NEXT: scf.while (%[[A:.*]] = %[[FIRST]], %[[B:.*]] = %[[C0]]) : (index, index) -> (index, index) {
// CHECK-NEXT: %[[LEFT:.*]] = arith.cmpi slt, %[[A]], %[[LAST]]
// CHECK-NEXT: arith.constant 64
// CHECK-NEXT: scf.condition(%[[LEFT]]) %[[A]], %[[B]]
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[P:.*]]: index, %[[K:.*]]: index):
// CHECK-NEXT: %[[START:.*]] = arith.addi %[[P]], %[[P]]
// CHECK-NEXT: arith.addi %[[P]], %[[C1]]
// CHECK-NEXT: %[[STOP:.*]] = scf.while (%[[Q:.*]] = %[[P]]) : (index) -> index {
// CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[Q]], %[[C1]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi slt, %[[BEHIND]], %[[N]]
// CHECK-NEXT: %[[SAME:.*]] = scf.if %[[INSIDE]] -> (i1) {
// CHECK-NEXT: %[[BEFORE:.*]] = arith.subi %[[BEHIND]], %[[C1]]
// CHECK-NEXT: memref.load %[[KEYS]][%[[BEHIND]]]
// CHECK-NEXT: memref.load %[[KEYS]][%[[BEFORE]]]
// CHECK: scf.condition(%[[SAME]]) %[[BEHIND]]
// CHECK: memref.store %[[START]], %[[OUT]][%[[K]]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[K]], %[[C1]]
// CHECK-NEXT: %[[ROOM:.*]] = arith.constant 64
// CHECK-NEXT: %[[FULL:.*]] = arith.cmpi eq, %[[NEXT]], %[[ROOM]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0
// CHECK-NEXT: %[[PLACE:.*]] = arith.select %[[FULL]], %[[ZERO]], %[[NEXT]]
// CHECK-NEXT: scf.yield %[[STOP]], %[[PLACE]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.reduce
func.func @blocks(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %c7 = arith.constant 7 : index
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

// What it is for is not said.
// CHECK-LABEL: func @other_loops
// CHECK-COUNT-4: scf.while
func.func @other_loops(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() : memref<64xindex, "spmem">
    %ends = memref.alloc() : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

// There are blocks in a loop, among what is held of others.
// CHECK-LABEL: func @in_a_loop
// CHECK-NOT: memref.alloc
// CHECK-COUNT-4: scf.while
// CHECK-NOT: scf.while
// CHECK: return
func.func @in_a_loop(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    scf.for %z = %c0 to %c1 step %c1 {
    %is = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ie = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %idone = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %c7 = arith.constant 7 : index
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %is[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ie[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ie[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %is[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
    }
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %c7 = arith.constant 7 : index
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}
