// RUN: sdy-opt %s -split-input-file -sparsecore-count | FileCheck %s

// CHECK-LABEL: func @two_phases
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x8xf32> {sparsecore.name = "table"}, %[[OUT:.*]]: memref<?xbf16>,
// CHECK-SAME: %[[COUNTERS:.*]]: memref<36x3xi64> {sparsecore.name = "counters"})
// CHECK-SAME: sparsecore.counted = ["bytes read from table", "bytes written to argument 1", "vector operations"]
// CHECK-SAME: sparsecore.counted_loops = [{{\[}}{name = "axis 0", size = 4 : i64}], [{name = "axis 0", size = 2 : i64}, {name = "axis 1", size = 16 : i64}]]
func.func @two_phases(%table: memref<?x8xf32> {sparsecore.name = "table"}, %out: memref<?xbf16>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %x = arith.constant 1.0 : bf16
  // CHECK: scf.parallel (%[[CORE:.*]]) =
  scf.parallel (%core) = (%c0) to (%c4) step (%c1) {
    // CHECK: scf.for
    scf.for %i = %c0 to %c16 step %c1 {
      // CHECK: vector.load %[[TABLE]]
      %0 = vector.load %table[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %1 = vector.load %table[%i, %c0] : memref<?x8xf32>, vector<4xf32>
      // CHECK: arith.addf
      %2 = arith.addf %0, %0 : vector<8xf32>
      // CHECK-NEXT: %[[FIRST:.*]] = arith.constant 0 : index
      // CHECK-NEXT: %[[BYTES:.*]] = arith.constant 48 : index
      // CHECK-NEXT: %[[MORE:.*]] = arith.index_cast %[[BYTES]] : index to i64
      // CHECK-NEXT: %[[OLD:.*]] = memref.load %[[COUNTERS]][%[[CORE]], %[[FIRST]]]
      // CHECK-NEXT: %[[NEW:.*]] = arith.addi %[[OLD]], %[[MORE]] : i64
      // CHECK-NEXT: memref.store %[[NEW]], %[[COUNTERS]][%[[CORE]], %[[FIRST]]]
      // CHECK: arith.constant 2 : index
      // CHECK-NEXT: arith.constant 1 : index
      // CHECK: memref.store
      // CHECK-NEXT: }
    }
    // CHECK-NOT: memref.store
    // CHECK: scf.reduce
  }
  // CHECK: scf.parallel (%[[CORE2:.*]], %[[TILE:.*]]) =
  scf.parallel (%core, %tile) = (%c0, %c0) to (%c2, %c16) step (%c1, %c1) {
    // CHECK-NEXT: %[[SIXTEEN:.*]] = arith.constant 16 : index
    // CHECK-NEXT: %[[BEFORE:.*]] = arith.muli %[[CORE2]], %[[SIXTEEN]] : index
    // CHECK-NEXT: %[[NUMBER:.*]] = arith.addi %[[TILE]], %[[BEFORE]] : index
    // CHECK-NEXT: %[[FOUR:.*]] = arith.constant 4 : index
    // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[NUMBER]], %[[FOUR]] : index
    // CHECK: memref.store %{{.*}}, %[[OUT]]
    // CHECK-NEXT: arith.constant 1 : index
    // CHECK-NEXT: arith.constant 2 : index
    memref.store %x, %out[%tile] : memref<?xbf16>
    // CHECK: memref.store %{{.*}}, %[[COUNTERS]][%[[ROW]], %{{.*}}]
    // CHECK-NEXT: scf.reduce
  }
  return
}

// -----

!held = memref<4x8xf32, "spmem">
!rows = memref<?x8xf32, strided<[8, 1]>>
!held_rows = memref<?x8xf32, strided<[8, 1]>, "spmem">

// Accesses of SPMEM are not counted; a copy is one DMA, and counted by its sizes.
// CHECK-LABEL: func @copy
// CHECK-SAME: sparsecore.counted = ["DMAs", "bytes written to out"]
func.func @copy(%out: memref<64x8xf32> {sparsecore.name = "out"}, %n: index, %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() : !held
    memref.store %x, %held[%c0, %c0] : !held
    %from = memref.subview %held[0, 0] [%n, 8] [1, 1] : !held to !held_rows
    %to = memref.subview %out[0, 0] [%n, 8] [1, 1] : memref<64x8xf32> to !rows
    // CHECK-NOT: memref.dim
    // CHECK: %[[WIDTH:.*]] = arith.constant 8 : index
    // CHECK-NEXT: %[[ELEMENTS:.*]] = arith.muli %[[WIDTH]], %{{.*}} : index
    // CHECK-NEXT: %[[FOUR:.*]] = arith.constant 4 : index
    // CHECK-NEXT: %[[BYTES:.*]] = arith.muli %[[ELEMENTS]], %[[FOUR]] : index
    // CHECK: arith.index_cast %[[BYTES]] : index to i64
    // CHECK: memref.copy
    memref.copy %from, %to : !held_rows to !rows
  }
  return
}

// -----

// A loop may count its iterations. What computes one operation in several ways is counted as one.
// CHECK-LABEL: func @iterations
// CHECK-SAME: sparsecore.counted = ["sort: passes", "vector operations"]
func.func @iterations(%x: vector<8xf32>, %is_root: i1) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: scf.if
    // CHECK-NOT: memref.store
    %power = scf.if %is_root -> vector<8xf32> {
      %0 = math.sqrt %x : vector<8xf32>
      scf.yield %0 : vector<8xf32>
    } else {
      %0 = math.powf %x, %x : vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      scf.yield %1 : vector<8xf32>
    } {sparsecore.operation}
    // CHECK: } {sparsecore.operation}
    // CHECK-NEXT: scf.for
    scf.for %pass = %c0 to %c3 step %c1 {
      // CHECK-NEXT: arith.constant 0 : index
      // CHECK-NEXT: arith.constant 1 : index
      // CHECK: memref.store
    } {sparsecore.counts = "sort: passes"}
    // CHECK: arith.constant 1 : index
    // CHECK-NEXT: arith.constant 1 : index
    // CHECK: memref.store
    // CHECK-NEXT: scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func @no_entry
func.func @no_entry(%ids: memref<?xi32>, %i: index) -> i32 {
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: return
  %0 = memref.load %ids[%i] : memref<?xi32>
  return %0 : i32
}

// -----

// Prefetches change no result: a load that only they use is not counted.
// CHECK-LABEL: func @hints
// CHECK-SAME: sparsecore.counted = ["bytes read from ids"]
func.func @hints(%ids: memref<?xi32> {sparsecore.name = "ids"},
    %later: memref<?xi32> {sparsecore.name = "later"}, %table: memref<?x8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %eight = arith.constant 8 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %later[%t] : memref<?xi32>
    // The row may be a part of a word.
    %high = arith.shrui %0, %eight : i32
    %1 = arith.index_cast %high : i32 to index
    memref.prefetch %table[%1, %c0], read, locality<2>, data : memref<?x8xf32>
    // This one is used by a loop, too.
    // CHECK: scf.for
    // CHECK: arith.constant 4 : index
    // CHECK: memref.store
    %4 = memref.load %ids[%c1] : memref<?xi32>
    %5 = arith.index_cast %4 : i32 to index
    memref.prefetch %table[%5, %c0], read, locality<2>, data : memref<?x8xf32>
    scf.for %i = %c0 to %5 step %c1 {
    }
  }
  return
}

// -----

!held = memref<64xi32, "spmem">

// Steps and loops with axes are counted apart; a loop without constant bounds has a maximum. What is
// sent to another SparseCore is neither read from nor written to HBM. The launches of a step are the
// work of the sequencer, outside of it.
// CHECK-LABEL: func @steps
// CHECK-SAME: memref<164x4xi64> {sparsecore.name = "counters"}
// CHECK-SAME: sparsecore.counted = ["bytes read from count", "exchange_ids: DMAs", "exchange_ids: bytes sent", "exchange_ids: launches"]
// CHECK-SAME: sparsecore.counted_loops = [
// CHECK-SAME: [{name = "core", size = 4 : i64}],
// CHECK-SAME: [{name = "core", size = 4 : i64}, {name = "minibatch", size = 8 : i64}],
// CHECK-SAME: [{name = "core", size = 4 : i64}, {name = "minibatch", size = 8 : i64}, {name = "tile", size = 4 : i64}]]
func.func @steps(%count: memref<1xi32> {sparsecore.name = "count"})
    attributes {sparsecore.entry, sparsecore.sizes = {minibatch = 8 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%core) = (%c0) to (%c4) step (%c1) {
    %unique = memref.alloc() {sparsecore.name = "unique"} : !held
    %inbox = memref.alloc() {sparsecore.name = "inbox"} : !held
    %0 = memref.load %count[%c0] : memref<1xi32>
    %n = arith.index_cast %0 : i32 to index
    scf.for %m = %c0 to %n step %c1 {
      scf.parallel (%tile) = (%c0) to (%c4) step (%c1) {
        memref.copy %unique, %inbox : !held to !held
      } {sparsecore.step = "exchange_ids", sparsecore.reads = ["unique"], sparsecore.writes = ["inbox"],
         sparsecore.axes = ["tile"]}
    } {sparsecore.axes = ["minibatch"]}
  } {sparsecore.axes = ["core"]}
  return
}
