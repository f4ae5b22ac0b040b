// RUN: sdy-opt %s -split-input-file -sparsecore-index-entries -canonicalize -cse | FileCheck %s

// The caller passes the index, which is checked.
// CHECK-LABEL: func @given
// CHECK-SAME: %[[SPLITS:[^:]*]]: memref<1x3xi32> {sparsecore.name = "splits"}
// CHECK-SAME: %[[ROWS:[^:]*]]: memref<?xi32> {sparsecore.name = "sample_rows", sparsecore.work = 24 : i64}
// CHECK-SAME: %[[GAINS:[^:]*]]: memref<?xf32> {sparsecore.name = "sample_gains"}
// CHECK-SAME: %{{[^:]*}}: memref<2xi32> {sparsecore.name = "observed"}
// CHECK-SAME: %[[TABLE:[^:]*]]: memref<8x4xf32> {sparsecore.name = "table"}
// CHECK-SAME: %[[OUT:[^:]*]]: memref<2x4xf32> {sparsecore.aligned, sparsecore.name = "activations"}
// CHECK-SAME: %{{[^:]*}}: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
// CHECK-NOT: sparsecore.has_index
// CHECK-SAME: sparsecore.messages = ["ok", "splits:
// CHECK: scf.parallel
// CHECK: sparsecore.check
// CHECK: memref.prefetch %[[TABLE]]
// CHECK: sparsecore.or_first
// CHECK: sparsecore.check
// CHECK: scf.for %[[S:[^ ]*]] = {{.*}} iter_args(%[[START:.*]] = %{{.*}}) -> (index)
// CHECK: %[[NEXT:.*]] = memref.load %[[SPLITS]]
// CHECK: arith.maxsi %[[START]]
// CHECK: %[[TOTAL:.*]] = scf.for %[[E:[^ ]*]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<4xf32>)
// CHECK: memref.prefetch %[[TABLE]]
// CHECK: memref.load %[[GAINS]][%[[E]]]
// CHECK: %[[R:.*]] = memref.load %[[ROWS]][%[[E]]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[R]]
// CHECK: vector.load %[[TABLE]][%[[ROW]],
// CHECK: vector.store %[[TOTAL]], %[[OUT]][%[[S]], %{{.*}}] {alignment = 16 : i64, nontemporal = true}
// CHECK-NOT: sparsecore.step
func.func @given(
    %row_pointers: memref<?xi32> {sparsecore.name = "row_pointers"},
    %embedding_ids: memref<?xi32> {sparsecore.name = "embedding_ids", sparsecore.work = 24 : i64},
    %sample_ids: memref<?xi32> {sparsecore.name = "sample_ids"},
    %gains: memref<?xf32> {sparsecore.name = "gains"},
    %table: memref<8x4xf32> {sparsecore.name = "table"},
    %activations: memref<2x4xf32> {sparsecore.name = "activations", sparsecore.aligned},
    %status: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
) attributes {sparsecore.has_index, sparsecore.entry, sparsecore.sizes = {
    dim = 4 : i64, samples_per_core = 2 : i64, sparse_cores = 1 : i64, num_devices = 1 : i64, tiles = 2 : i64,
    lanes = 4 : i64, max_ids_per_partition = 64 : i64, max_unique_ids_per_partition = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  scf.parallel (%core) = (%c0) to (%c1) step (%c1) {
    %csr_starts = memref.alloc() {sparsecore.name = "csr_starts"} : memref<4xi32, "spmem">
    %csr_rows = memref.alloc() {sparsecore.name = "csr_rows"} : memref<64xi32, "spmem">
    %csr_gains = memref.alloc() {sparsecore.name = "csr_gains"} : memref<64xf32, "spmem">
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<2x4xf32, "spmem">
    scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
      vector.store %zeros, %sums[%t, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
    } {sparsecore.step = "reduce", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    scf.for %p = %c0 to %c1 step %c1 {
      %first_row = arith.muli %p, %c2 : index
      scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
        scf.for %s = %t to %c2 step %c1 {
          %after = arith.addi %s, %c1 : index
          %0 = memref.load %csr_starts[%s] : memref<4xi32, "spmem">
          %1 = memref.load %csr_starts[%after] : memref<4xi32, "spmem">
          %begin = arith.index_cast %0 : i32 to index
          %end = arith.index_cast %1 : i32 to index
          %before = vector.load %sums[%s, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
          %total = scf.for %e = %begin to %end step %c1 iter_args(%sum = %before) -> (vector<4xf32>) {
          %g = memref.load %csr_gains[%e] : memref<64xf32, "spmem">
          %r = memref.load %csr_rows[%e] : memref<64xi32, "spmem">
          %local = arith.index_cast %r : i32 to index
          %row = arith.addi %first_row, %local : index
          %value = vector.load %table[%row, %c0] : memref<8x4xf32>, vector<4xf32>
          %gain = vector.broadcast %g : f32 to vector<4xf32>
          %product = arith.mulf %gain, %value : vector<4xf32>
          %next = arith.addf %sum, %product : vector<4xf32>
          scf.yield %next : vector<4xf32>
          }
          vector.store %total, %sums[%s, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
        }
      } {sparsecore.step = "reduce", sparsecore.reads = ["csr_starts", "csr_rows", "csr_gains", "table", "sums"], sparsecore.writes = ["sums"]}
    }
    scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
      %from = memref.subview %sums[%t, 0] [1, 4] [1, 1] : memref<2x4xf32, "spmem"> to memref<1x4xf32, strided<[4, 1], offset: ?>, "spmem">
      %to = memref.subview %activations[%t, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
      memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>, "spmem"> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    } {sparsecore.step = "store", sparsecore.reads = ["sums"], sparsecore.writes = ["activations"]}
  }
  return
}

// -----

// The program computes the index from the buffers.
// CHECK-LABEL: func @computed
// CHECK-SAME: {sparsecore.name = "row_pointers"}
// CHECK-SAME: {sparsecore.name = "activations"}, %[[SPLITS:[^:]*]]: memref<1x3xi32> {sparsecore.name = "splits"}
// CHECK-SAME: {sparsecore.name = "sample_rows"}
// CHECK-SAME: {sparsecore.name = "sample_gains"}, %{{[^:]*}}: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
// CHECK: memref.store %{{.*}}, %[[SPLITS]]
// CHECK: scf.parallel
// CHECK-NOT: nontemporal
func.func @computed(
    %row_pointers: memref<?xi32> {sparsecore.name = "row_pointers"},
    %embedding_ids: memref<?xi32> {sparsecore.name = "embedding_ids", sparsecore.work = 24 : i64},
    %sample_ids: memref<?xi32> {sparsecore.name = "sample_ids"},
    %gains: memref<?xf32> {sparsecore.name = "gains"},
    %table: memref<8x4xf32> {sparsecore.name = "table"},
    %activations: memref<2x4xf32> {sparsecore.name = "activations"},
    %status: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
) attributes {sparsecore.entry, sparsecore.sizes = {
    dim = 4 : i64, samples_per_core = 2 : i64, sparse_cores = 1 : i64, num_devices = 1 : i64, tiles = 2 : i64,
    lanes = 4 : i64, max_ids_per_partition = 64 : i64, max_unique_ids_per_partition = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  scf.parallel (%core) = (%c0) to (%c1) step (%c1) {
    %csr_starts = memref.alloc() {sparsecore.name = "csr_starts"} : memref<4xi32, "spmem">
    %csr_rows = memref.alloc() {sparsecore.name = "csr_rows"} : memref<64xi32, "spmem">
    %csr_gains = memref.alloc() {sparsecore.name = "csr_gains"} : memref<64xf32, "spmem">
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<2x4xf32, "spmem">
    scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
      vector.store %zeros, %sums[%t, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
    } {sparsecore.step = "reduce", sparsecore.reads = [], sparsecore.writes = ["sums"]}
    scf.for %p = %c0 to %c1 step %c1 {
      %first_row = arith.muli %p, %c2 : index
      scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
        scf.for %s = %t to %c2 step %c1 {
          %after = arith.addi %s, %c1 : index
          %0 = memref.load %csr_starts[%s] : memref<4xi32, "spmem">
          %1 = memref.load %csr_starts[%after] : memref<4xi32, "spmem">
          %begin = arith.index_cast %0 : i32 to index
          %end = arith.index_cast %1 : i32 to index
          %before = vector.load %sums[%s, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
          %total = scf.for %e = %begin to %end step %c1 iter_args(%sum = %before) -> (vector<4xf32>) {
          %g = memref.load %csr_gains[%e] : memref<64xf32, "spmem">
          %r = memref.load %csr_rows[%e] : memref<64xi32, "spmem">
          %local = arith.index_cast %r : i32 to index
          %row = arith.addi %first_row, %local : index
          %value = vector.load %table[%row, %c0] : memref<8x4xf32>, vector<4xf32>
          %gain = vector.broadcast %g : f32 to vector<4xf32>
          %product = arith.mulf %gain, %value : vector<4xf32>
          %next = arith.addf %sum, %product : vector<4xf32>
          scf.yield %next : vector<4xf32>
          }
          vector.store %total, %sums[%s, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
        }
      } {sparsecore.step = "reduce", sparsecore.reads = ["csr_starts", "csr_rows", "csr_gains", "table", "sums"], sparsecore.writes = ["sums"]}
    }
    scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
      %from = memref.subview %sums[%t, 0] [1, 4] [1, 1] : memref<2x4xf32, "spmem"> to memref<1x4xf32, strided<[4, 1], offset: ?>, "spmem">
      %to = memref.subview %activations[%t, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
      memref.copy %from, %to : memref<1x4xf32, strided<[4, 1], offset: ?>, "spmem"> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    } {sparsecore.step = "store", sparsecore.reads = ["sums"], sparsecore.writes = ["activations"]}
  }
  return
}

// -----

// A tile takes its raw ids block by block; sums of a sample go on in the next block.
// CHECK-LABEL: func @raw_ids
// CHECK-SAME: (%{{[^:]*}}: memref<2x?xi32> {sparsecore.name = "ids"}, %[[TABLE:[^:]*]]: memref<8x4xf32> {{{.*}}}, %[[OUT:[^:]*]]: memref<2x4xf32>
// CHECK: scf.parallel
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<1024xi32, "spmem">
// CHECK: sparsecore.or_first
// CHECK: scf.while
// CHECK: %[[BEFORE:.*]] = scf.if %{{.*}} -> (vector<4xf32>)
// CHECK: vector.load %[[OUT]]
// CHECK: %[[TOTAL:.*]] = scf.for %[[E:[^ ]*]] = {{.*}} iter_args(%{{.*}} = %[[BEFORE]]) -> (vector<4xf32>)
// CHECK: %[[R:.*]] = memref.load %[[ROWS]][%[[E]]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[R]]
// CHECK: vector.load %[[TABLE]][%[[ROW]],
// CHECK: vector.store %[[TOTAL]], %[[OUT]]
// CHECK-NOT: sparsecore.step
func.func @raw_ids(
    %ids: memref<2x?xi32> {sparsecore.name = "ids"},
    %table: memref<8x4xf32> {sparsecore.name = "table"},
    %activations: memref<2x4xf32> {sparsecore.name = "activations"},
    %status: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
) attributes {sparsecore.entry, sparsecore.sizes = {
    dim = 4 : i64, samples_per_core = 2 : i64, sparse_cores = 1 : i64, num_devices = 1 : i64, tiles = 2 : i64,
    lanes = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%core) = (%c0) to (%c1) step (%c1) {
    %entry_starts = memref.alloc() {sparsecore.name = "entry_starts"} : memref<4xi32, "spmem">
    %entry_ids = memref.alloc() {sparsecore.name = "entry_ids"} : memref<64xi32, "spmem">
    %sums = memref.alloc() {sparsecore.name = "sums"} : memref<2x4xf32, "spmem">
    scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
      scf.for %s = %t to %c2 step %c1 {
        %0 = memref.load %entry_starts[%s] : memref<4xi32, "spmem">
        %end = arith.index_cast %0 : i32 to index
        %before = vector.load %sums[%s, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
        %total = scf.for %e = %c0 to %end step %c1 iter_args(%sum = %before) -> (vector<4xf32>) {
          %r = memref.load %entry_ids[%e] : memref<64xi32, "spmem">
          %row = arith.index_cast %r : i32 to index
          %value = vector.load %table[%row, %c0] : memref<8x4xf32>, vector<4xf32>
          %next = arith.addf %sum, %value : vector<4xf32>
          scf.yield %next : vector<4xf32>
        }
        vector.store %total, %sums[%s, %c0] : memref<2x4xf32, "spmem">, vector<4xf32>
      }
    } {sparsecore.step = "reduce", sparsecore.reads = ["entry_starts", "entry_ids", "table", "sums"], sparsecore.writes = ["sums"]}
    scf.parallel (%t) = (%c0) to (%c2) step (%c1) {
    } {sparsecore.step = "store", sparsecore.reads = ["sums"], sparsecore.writes = ["activations"]}
  }
  return
}

// -----

// No lookup.
// CHECK-LABEL: func @other
func.func @other(%out: memref<?xi32>, %x: i32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  // CHECK: memref.store
  memref.store %x, %out[%c0] : memref<?xi32>
  return
}
