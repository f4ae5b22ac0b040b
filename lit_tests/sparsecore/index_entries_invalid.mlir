// RUN: sdy-opt %s -split-input-file -sparsecore-index-entries -verify-diagnostics

// expected-error@+1 {{'func.func' op has no sparse_cores in 'sparsecore.sizes'; expected those of a lookup or an update}}
func.func @no_sizes(
    %row_pointers: memref<?xi32> {sparsecore.name = "row_pointers"},
    %embedding_ids: memref<?xi32> {sparsecore.name = "embedding_ids", sparsecore.work = 24 : i64},
    %sample_ids: memref<?xi32> {sparsecore.name = "sample_ids"},
    %gains: memref<?xf32> {sparsecore.name = "gains"},
    %table: memref<8x4xf32> {sparsecore.name = "table"},
    %activations: memref<2x4xf32> {sparsecore.name = "activations"},
    %status: memref<8xi64> {sparsecore.name = "status", sparsecore.status}
) attributes {sparsecore.entry, sparsecore.sizes = {
    dim = 4 : i64, samples_per_core = 2 : i64, num_devices = 1 : i64, tiles = 2 : i64,
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

// expected-error@+1 {{'func.func' op has no step 'reduce' that reads the table; expected sparsecore-fuse-lookup before}}
func.func @not_fused(
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
      } {sparsecore.step = "reduce", sparsecore.reads = ["csr_starts", "csr_rows", "csr_gains", "sums"], sparsecore.writes = ["sums"]}
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

func.func @other_buffer(
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
          // expected-error@+1 {{'memref.load' op accesses 'gains' in step 'reduce'; expected the table, 'sums', and the starts, rows and gains of the entries of samples}}
          %g = memref.load %gains[%e] : memref<?xf32>
          %r = memref.load %csr_rows[%e] : memref<64xi32, "spmem">
          %local = arith.index_cast %r : i32 to index
          %row = arith.addi %first_row, %local : index
          %value = vector.load %table[%row, %c0] : memref<8x4xf32>, vector<4xf32>
          %gain = vector.broadcast %g : f32 to vector<4xf32>
          %next = arith.addf %sum, %gain : vector<4xf32>
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

func.func @by_partition(
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
          %r = memref.load %csr_rows[%e] : memref<64xi32, "spmem">
          %local = arith.index_cast %r : i32 to index
          %row = arith.addi %first_row, %local : index
          %value = vector.load %table[%row, %c0] : memref<8x4xf32>, vector<4xf32>
          // expected-error@+1 {{'arith.index_cast' op needs more than the entries of a sample in step 'reduce'; expected the table, 'sums', and the starts, rows and gains of the entries of samples}}
          %i = arith.index_cast %p : index to i32
          %f = arith.sitofp %i : i32 to f32
          %gain = vector.broadcast %f : f32 to vector<4xf32>
          %next = arith.addf %sum, %gain : vector<4xf32>
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

func.func @by_sample(
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
          %r = memref.load %csr_rows[%e] : memref<64xi32, "spmem">
          %local = arith.index_cast %r : i32 to index
          %row = arith.addi %first_row, %local : index
          %value = vector.load %table[%row, %c0] : memref<8x4xf32>, vector<4xf32>
          // expected-error@+1 {{'arith.index_cast' op needs more than the entries of a sample in step 'reduce'; expected the table, 'sums', and the starts, rows and gains of the entries of samples}}
          %i = arith.index_cast %s : index to i32
          %f = arith.sitofp %i : i32 to f32
          %gain = vector.broadcast %f : f32 to vector<4xf32>
          %next = arith.addf %sum, %gain : vector<4xf32>
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
