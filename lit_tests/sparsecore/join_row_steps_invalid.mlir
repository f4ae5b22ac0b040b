// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps -sparsecore-join-row-steps -verify-diagnostics

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">

func.func @no_list(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.while' op is step 'load'; expected an scf.while that carries the position and the number of rows, from 0 on, adds 1 to the latter, and runs as long as rows are left, and room}}
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
      } attributes {sparsecore.step = "load", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
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

func.func @two_at_a_time(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while that carries the position and the number of rows, from 0 on, adds 1 to the latter, and runs as long as rows are left, and room}}
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
        %more = arith.addi %n, %c2 : index
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

func.func @from_one_on(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while that carries the position and the number of rows, from 0 on, adds 1 to the latter, and runs as long as rows are left, and room}}
      %found:2 = scf.while (%p = %b, %n = %c1) : (index, index) -> (index, index) {
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

func.func @another_condition(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while that carries the position and the number of rows, from 0 on, adds 1 to the latter, and runs as long as rows are left, and room}}
      %found:2 = scf.while (%p = %b, %n = %c0) : (index, index) -> (index, index) {
        %some = arith.cmpi slt, %p, %last : index
        %left = arith.xori %some, %some : i1
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

func.func @another_position(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.for' op is step 'reduce_gradients'; expected an scf.for over the rows that step 'deduplicate' found, which carries at most the position, from the same first one on}}
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c1) -> (index) {
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

func.func @other_rows(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.for' op is step 'apply'; expected an scf.for over the rows that step 'deduplicate' found, which carries at most the position, from the same first one on}}
      scf.for %k = %c0 to %last step %c1 {
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

func.func @in_parallel(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.parallel' op is step 'apply'; expected an scf.for over the rows that step 'deduplicate' found, which carries at most the position, from the same first one on}}
      scf.parallel (%k) = (%c0) to (%found#1) step (%c1) {
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

func.func @other_blocks(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %sums = memref.alloc() {sparsecore.name = "sums"} : !held
    %done = scf.while (%b = %c0) : (index) -> index {
      %left = arith.cmpi slt, %b, %c64 : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while over blocks of rows around it, which carries the position, and runs as long as rows are left}}
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

func.func @blocks_from_elsewhere(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while over blocks of rows around it, which carries the position, and runs as long as rows are left}}
      %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
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
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
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

func.func @blocks_of_counts(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while over blocks of rows around it, which carries the position, and runs as long as rows are left}}
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
      scf.yield %found#1 : index
    }
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">

func.func @position_used(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'arith.addi' op uses a result of step 'deduplicate'; expected that only the loops over these rows, and that over the blocks, use it}}
      %used = arith.addi %found#0, %c1 : index
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

func.func @count_used(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'arith.addi' op uses a result of step 'deduplicate'; expected that only the loops over these rows, and that over the blocks, use it}}
      %used = arith.addi %found#1, %c1 : index
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

func.func @another_row(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
        // expected-error@+1 {{'vector.load' op uses sums otherwise than by row; expected that steps load and store by it what they share, and use it for nothing else}}
        %sum = vector.load %sums[%c0, %c0] : !held, vector<8xf32>
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

func.func @a_listed_row(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
        // expected-error@+1 {{'vector.load' op uses sums otherwise than by row; expected that steps load and store by it what they share, and use it for nothing else}}
        %sum = vector.load %sums[%row, %c0] : !held, vector<8xf32>
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

func.func @numbered(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
        // expected-error@+1 {{'vector.store' op uses the number of a row in step 'apply'; expected that steps load and store by it what they share, and use it for nothing else}}
        vector.store %sum, %table[%k, %c0] : memref<?x8xf32>, vector<8xf32>
      } {sparsecore.step = "apply", sparsecore.reads = ["rows", "sums"], sparsecore.writes = ["table"]}
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">

func.func @numbered_column(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
        // expected-error@+1 {{'vector.load' op uses the number of a row in step 'apply'; expected that steps load and store by it what they share, and use it for nothing else}}
        %sum = vector.load %sums[%k, %k] : !held, vector<8xf32>
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

func.func @number_found(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
        // expected-error@+1 {{'arith.muli' op uses the number of a row in step 'deduplicate'; expected that steps load and store by it what they share, and use it for nothing else}}
        %twice = arith.muli %n, %c2 : index
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

func.func @shared_argument(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
        %first = vector.load %table[%p, %c0] : memref<?x8xf32>, vector<8xf32>
        %following = arith.addi %p, %c2 : index
        vector.store %x, %sums[%k, %c0] : !held, vector<8xf32>
        scf.yield %following : index
      } {sparsecore.step = "reduce_gradients", sparsecore.reads = ["table"], sparsecore.writes = ["sums"]}
      // expected-error@+1 {{'scf.for' op keeps steps 'reduce_gradients' and 'apply' from being joined by 'table': expected an allocation}}
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

func.func @written_between(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
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
      // expected-error@+1 {{'memref.store' op writes rows outside of a step; expected that only steps write}}
      memref.store %c0, %rows[%c0] : !rows
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
