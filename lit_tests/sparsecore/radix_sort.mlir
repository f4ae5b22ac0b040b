// RUN: sdy-opt %s -split-input-file -sparsecore-radix-sort -canonicalize -cse | FileCheck %s

// Words move between the two copies; what a phase after the sort reads stays.
// CHECK-LABEL: func @buffers
// CHECK-SAME: %{{[^:]*}}: memref<?xi32> {sparsecore.name = "row_pointers"}, %[[IDS:[^:]*]]: memref<?xi32>
// CHECK-SAME: %[[WORDS:[^:]*]]: memref<2x?xi64> {sparsecore.name = "words"}
// CHECK-SAME: %[[PARTS:[^:]*]]: memref<2x2xi32> {sparsecore.name = "parts"}
// CHECK: %[[FIRST:.*]] = memref.reinterpret_cast %[[WORDS]]
// CHECK: scf.parallel
// CHECK: } {sparsecore.axes = ["core"], sparsecore.check}
// CHECK: scf.parallel
// CHECK: %[[BOTH:.*]] = memref.subview %[[WORDS]]
// CHECK: %[[ID:.*]] = memref.load %[[IDS]]
// CHECK: memref.store %{{.*}}, %[[BOTH]][%{{.*}}, %{{.*}}]
// CHECK: arith.maxui
// CHECK: %[[DIGITS:.*]] = memref.alloc() : memref<2048xi32, "spmem">
// CHECK: memref.store %{{.*}}, %[[DIGITS]]
// CHECK: %[[WORD:.*]] = memref.load %[[BOTH]]
// CHECK: memref.store %[[WORD]], %[[BOTH]]
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: sparsecore.step = "sort"
// CHECK-NOT: vector.maskedload
// CHECK: memref.load %[[FIRST]]
// CHECK: sparsecore.step = "reduce_gradients"
// CHECK-NOT: scf.parallel
func.func @buffers(
    %row_pointers: memref<?xi32> {sparsecore.name = "row_pointers"},
    %embedding_ids: memref<?xi32> {sparsecore.name = "embedding_ids"},
    %sample_ids: memref<?xi32> {sparsecore.name = "sample_ids"},
    %gains: memref<?xf32> {sparsecore.name = "gains"},
    %table: memref<8x4xf32> {sparsecore.name = "table"},
    %words: memref<2x?xi64> {sparsecore.name = "words"},
    %pairs: memref<?xi64> {sparsecore.name = "pairs"},
    %parts: memref<2x2xi32> {sparsecore.name = "parts"},
    %status: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
) attributes {sparsecore.entry, sparsecore.sizes = {
    samples_per_core = 2 : i64, sparse_cores = 2 : i64, num_devices = 1 : i64, tiles = 2 : i64,
    lanes = 4 : i64, max_ids_per_partition = 64 : i64, max_unique_ids_per_partition = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %mask = arith.constant dense<true> : vector<4xi1>
  %none = arith.constant dense<0> : vector<4xi64>
  %first = memref.reinterpret_cast %words to offset: [0], sizes: [%c8], strides: [1] : memref<2x?xi64> to memref<?xi64>
  scf.parallel (%core) = (%c0) to (%c2) step (%c1) {
  } {sparsecore.check}
  scf.parallel (%partition) = (%c0) to (%c2) step (%c1) {
    scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
      %word = vector.maskedload %first[%c0], %mask, %none : memref<?xi64>, vector<4xi1>, vector<4xi64> into vector<4xi64>
      vector.maskedstore %first[%c0], %mask, %word : memref<?xi64>, vector<4xi1>, vector<4xi64>
    } {sparsecore.step = "sort", sparsecore.reads = ["words"], sparsecore.writes = ["words"]}
  }
  scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
    scf.for %row = %c0 to %c2 step %c1 {
      %word = memref.load %first[%row] : memref<?xi64>
      memref.store %word, %pairs[%row] : memref<?xi64>
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = ["words"], sparsecore.writes = ["pairs"]}
  }
  return
}

// -----

// Raw ids: three passes of a phase each, the last of which large tables have.
// CHECK-LABEL: func @ids
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%[[CORES:.*]]) step
// CHECK-COUNT-3: sparsecore.step = "sort"
// CHECK-NOT: sparsecore.step = "sort"
// CHECK: sparsecore.step = "reduce_gradients"
func.func @ids(
    %ids: memref<4x?xi32> {sparsecore.name = "ids"},
    %table: memref<?x4xf32> {sparsecore.name = "table"},
    %words: memref<2x?xi64> {sparsecore.name = "words"},
    %parts: memref<1x2xi32> {sparsecore.name = "parts"},
    %starts: memref<2x2056xi32> {sparsecore.name = "starts"},
    %status: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
) attributes {sparsecore.entry, sparsecore.sizes = {samples_per_core = 2 : i64, sparse_cores = 2 : i64,
    num_devices = 1 : i64, tiles = 2 : i64, lanes = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%partition) = (%c0) to (%c2) step (%c1) {
    scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
      %word = memref.load %words[%c0, %tile] : memref<2x?xi64>
      memref.store %word, %words[%c0, %tile] : memref<2x?xi64>
    } {sparsecore.step = "sort", sparsecore.reads = ["words"], sparsecore.writes = ["words"]}
  }
  scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
    scf.for %row = %c0 to %c2 step %c1 {
      %word = memref.load %words[%c0, %row] : memref<2x?xi64>
      memref.store %word, %words[%c1, %row] : memref<2x?xi64>
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = ["words"], sparsecore.writes = ["words"]}
  }
  return
}

// -----

// A chip has no second copy of the words.
// CHECK-LABEL: func @chip
// CHECK: vector.load
// CHECK: sparsecore.step = "sort"
func.func @chip(%words: memref<?xi64> {sparsecore.name = "words"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%partition) = (%c0) to (%c2) step (%c1) {
    memref.prefetch %words[%partition], read, locality<3>, data : memref<?xi64>
    scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
      %word = vector.load %words[%c0] : memref<?xi64>, vector<4xi64>
      vector.store %word, %words[%c0] : memref<?xi64>, vector<4xi64>
    } {sparsecore.step = "sort", sparsecore.reads = ["words"], sparsecore.writes = ["words"]}
  }
  scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
    scf.for %row = %c0 to %c1 step %c1 {
      %word = memref.load %words[%row] : memref<?xi64>
      memref.store %word, %words[%row] : memref<?xi64>
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = ["words"], sparsecore.writes = ["words"]}
  }
  return
}
