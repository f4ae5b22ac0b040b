// RUN: sdy-opt %s -split-input-file -sparsecore-assign-spmem -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @two_phases
func.func @two_phases() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: memref.alloc() {sparsecore.offset = 0 : i64} : memref<100xi32, "spmem">
    %0 = memref.alloc() : memref<100xi32, "spmem">
    scf.for %i = %c0 to %c16 step %c1 {
      // CHECK: memref.alloc() {sparsecore.offset = 448 : i64} : memref<3x5xbf16, "spmem">
      %1 = memref.alloc() : memref<3x5xbf16, "spmem">
    }
    // Memory of another space is not a tile's.
    // CHECK: memref.alloc() : memref<100xi32>
    %2 = memref.alloc() : memref<100xi32>
    // CHECK: memref.alloc() {sparsecore.offset = 512 : i64} : memref<64xindex, "spmem">
    %3 = memref.alloc() : memref<64xindex, "spmem">
    // CHECK: sparsecore.spmem_bytes = 1024 : i64
  }
  // CHECK: scf.parallel
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: memref.alloc() {sparsecore.offset = 0 : i64} : memref<8xf32, "spmem">
    %0 = memref.alloc() : memref<8xf32, "spmem">
    // CHECK: sparsecore.spmem_bytes = 64 : i64
  }
  return
}

// -----

// CHECK-LABEL: func @no_entry
func.func @no_entry() {
  // CHECK-NOT: sparsecore
  %0 = memref.alloc() : memref<100xi32, "spmem">
  return
}

// -----

func.func @too_large() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 448 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{Fixed size allocations (512 bytes) do not fit in TileSpmem (448 bytes): 2 allocations, the largest of 400}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.alloc() : memref<1xi8, "spmem">
    %1 = memref.alloc() : memref<100xi32, "spmem">
  }
  return
}

// -----

func.func @dynamic(%n: index) attributes {sparsecore.entry} {
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c1) to (%n) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op allocates 'memref<?xi32, "spmem">' in SPMEM; expected static sizes}}
    %0 = memref.alloc(%n) : memref<?xi32, "spmem">
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.tile_memory_bytes' = "much"; expected an integer}}
func.func @wrong_memory() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = "much"} {
  return
}

// -----

// Buffers with names and sizes are listed, with the limits that they follow from.

func.func @limits() attributes {
  sparsecore.entry, sparsecore.tile_memory_bytes = 448 : i64,
  sparsecore.sizes = {dim = 8 : i64, max_ids_per_partition = 96 : i64, max_unique_ids_per_partition = 64 : i64}
} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{Fixed size allocations (832 bytes) do not fit in TileSpmem (448 bytes): 3 allocations, in bytes: ids, samples 384 each (max_ids_per_partition); rows 32 (max_unique_ids_per_partition x dim / 4); with max_ids_per_partition = 96, max_unique_ids_per_partition = 64, dim = 8. To fit: max_ids_per_partition = 48; or use a smaller batch}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %ids = memref.alloc() {sparsecore.name = "ids", sparsecore.size = ["max_ids_per_partition"]} : memref<96xi32, "spmem">
    %samples = memref.alloc() {sparsecore.name = "samples", sparsecore.size = ["max_ids_per_partition"]} : memref<96xi32, "spmem">
    %rows = memref.alloc() {
      sparsecore.name = "rows", sparsecore.size = ["max_unique_ids_per_partition", "dim / 4"], sparsecore.tiles = 16 : i64
    } : memref<64x2xf32, "spmem">
  }
  return
}

// -----

func.func @no_limit_is_enough() attributes {
  sparsecore.entry, sparsecore.tile_memory_bytes = 64 : i64,
  sparsecore.sizes = {dim = 32 : i64, samples_per_core = 4 : i64}
} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{1 allocation, in bytes: sums 512 (samples_per_core x dim); with samples_per_core = 4, dim = 32. To fit: no lower limit alone is enough; or use}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums", sparsecore.size = ["samples_per_core", "dim"]} : memref<4x32xf32, "spmem">
  }
  return
}

// -----

func.func @unknown_size() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 64 : i64, sparsecore.sizes = {dim = 32 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{size 'samples' has the name 'samples'; expected one of dim}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.name = "sums", sparsecore.size = ["samples", "max_ids_per_partition"]} : memref<4x32xf32, "spmem">
  }
  return
}

// -----

func.func @sizes_of_another_rank() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op has the attributes 'sparsecore.name' = "sums" and 'sparsecore.size' = ["dim"]; expected a name, and an expression for each of 2 dimensions}}
    %sums = memref.alloc() {sparsecore.name = "sums", sparsecore.size = ["dim"]} : memref<4x32xf32, "spmem">
  }
  return
}
