// RUN: sdy-opt %s -split-input-file -sparsecore-join-row-steps -verify-diagnostics

func.func @other_order(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    // expected-error@+1 {{'scf.while' op is step 'deduplicate' in a block with deduplicate, apply, reduce_gradients; expected deduplicate, reduce_gradients, gather, apply, scatter, in this order}}
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    scf.for %k = %c0 to %found#1 step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
      memref.store %0, %out[%k] : memref<64xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["out"]}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
  }
  return
}

// -----

func.func @two_at_a_time(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while that carries a position and the number of rows, from 0 on, and adds 1 to the latter}}
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c2 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    scf.for %k = %c0 to %found#1 step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
      memref.store %0, %out[%k] : memref<64xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["out"]}
  }
  return
}

// -----

func.func @from_one_on(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    // expected-error@+1 {{'scf.while' op is step 'deduplicate'; expected an scf.while that carries a position and the number of rows, from 0 on, and adds 1 to the latter}}
    %found:2 = scf.while (%p = %c0, %n = %c1) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
  }
  return
}

// -----

func.func @another_position(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    // expected-error@+1 {{'scf.for' op is step 'reduce_gradients'; expected an scf.for over the rows that step 'deduplicate' found, which carries at most the position, from the same first one on}}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c1) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
  }
  return
}

// -----

func.func @other_rows(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    // expected-error@+1 {{'scf.for' op is step 'apply'; expected an scf.for over the rows that step 'deduplicate' found, which carries at most the position, from the same first one on}}
    scf.for %k = %c0 to %last step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
      memref.store %0, %out[%k] : memref<64xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["out"]}
  }
  return
}

// -----

func.func @another_row(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    scf.for %k = %c0 to %found#1 step %c1 {
      // expected-error@+1 {{'memref.load' op accesses sums in step 'apply', and step 'reduce_gradients' does so, too; expected only the row that the iteration counts, or the one that a list of distinct rows has there}}
      %0 = memref.load %sums[%c0] : memref<64xf32, "spmem">
      memref.store %0, %out[%k] : memref<64xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["out"]}
  }
  return
}

// -----

func.func @a_listed_row(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    scf.for %k = %c0 to %found#1 step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex, "spmem">
      // expected-error@+1 {{'memref.load' op accesses sums in step 'apply', and step 'reduce_gradients' does so, too; expected only the row that the iteration counts, or the one that a list of distinct rows has there}}
      %0 = memref.load %sums[%row] : memref<64xf32, "spmem">
      memref.store %0, %out[%k] : memref<64xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["out"]}
  }
  return
}

// -----

func.func @between(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    // expected-error@+1 {{'arith.addi' op is between the steps of an update of rows; expected only arithmetic that uses none of their results}}
    %other = arith.addi %found#1, %c1 : index
    scf.for %k = %c0 to %found#1 step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
      memref.store %0, %out[%k] : memref<64xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["out"]}
  }
  return
}

// -----

func.func @store_between(%words: memref<?xindex> {sparsecore.name = "words"}, %out: memref<64xf32> {sparsecore.name = "out"}, %x: f32, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<64xf32, "spmem">
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %next = arith.addi %p, %c1 : index
      %more = arith.addi %n, %c1 : index
      scf.yield %next, %more : index, index
    } attributes {sparsecore.step = "deduplicate", sparsecore.reads = [], sparsecore.writes = []}
    %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %p : index
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    // expected-error@+1 {{'memref.store' op is between the steps of an update of rows; expected only arithmetic that uses none of their results}}
    memref.store %x, %out[%c0] : memref<64xf32>
    scf.for %k = %c0 to %found#1 step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
      memref.store %0, %out[%k] : memref<64xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["sums"], sparsecore.writes = ["out"]}
  }
  return
}
