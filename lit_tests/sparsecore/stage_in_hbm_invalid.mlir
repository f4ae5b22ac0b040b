// RUN: sdy-opt %s -split-input-file -sparsecore-stage-in-hbm -verify-diagnostics

func.func @too_large() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 191 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.alloc() : memref<1xi32, "spmem">
    // expected-error@+1 {{Gather operand too large: 4x8 floats (samples of a tile x feature width) are 128 bytes, and 64 of the 191 bytes}}
    %1 = memref.alloc() {sparsecore.gather_operand = "spmem"} : memref<4x8xf32, "spmem">
  }
  return
}

// -----

func.func @unknown_choice() attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op has the attribute 'sparsecore.gather_operand' = unit; expected one of auto, hbm, spmem}}
    %0 = memref.alloc() {sparsecore.gather_operand} : memref<4x8xf32, "spmem">
  }
  return
}

// -----

func.func @words_too_large() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 63 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{Gather operand too large: 2x64 words (2 x max_ids * 4) are 512 bytes of each tile, and 0 of the 63 bytes of TileSpmem are left for it; use staging = "auto", a lower max_ids, a smaller}}
    %0 = memref.alloc() {
      sparsecore.gather_operand = "spmem", sparsecore.size = ["2", "max_ids * 4"],
      sparsecore.tiles = 2 : i64
    } : memref<2x64xi64, "spmem">
  }
  return
}

// -----

func.func @shared_by_none() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 63 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op has the attribute 'sparsecore.tiles' = 0 : i64; expected a positive integer}}
    %0 = memref.alloc() {sparsecore.gather_operand = "spmem", sparsecore.tiles = 0 : i64} : memref<2x64xi64, "spmem">
  }
  return
}

// -----

// The largest operand is the one that is too large; all buffers are listed.

func.func @limits() attributes {
  sparsecore.entry, sparsecore.tile_memory_bytes = 512 : i64,
  sparsecore.sizes = {dim = 8 : i64, max_unique_ids_per_partition = 20 : i64, samples_per_core = 4 : i64}
} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {
      sparsecore.gather_operand = "spmem", sparsecore.name = "sums", sparsecore.size = ["samples_per_core", "dim"]
    } : memref<4x8xf32, "spmem">
    // expected-error@+1 {{Gather operand too large: 20x8 floats (max_unique_ids_per_partition x dim) are 640 bytes, and 384 of the 512 bytes of TileSpmem are left for it. In bytes: gathered 640 (max_unique_ids_per_partition x dim); sums 128 (samples_per_core x dim); with max_unique_ids_per_partition = 20, dim = 8, samples_per_core = 4. To fit: max_unique_ids_per_partition = 12; use staging = "auto", a smaller batch}}
    %gathered = memref.alloc() {
      sparsecore.gather_operand = "spmem", sparsecore.name = "gathered", sparsecore.size = ["max_unique_ids_per_partition", "dim"]
    } : memref<20x8xf32, "spmem">
  }
  return
}

// -----

// Limits of partitions are lists of integers.

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.limits_of_partitions' = {max_ids_per_partition = [4, 8]}; expected lists of integers by name}}
func.func @limits_of_partitions() attributes {
  sparsecore.entry, sparsecore.tile_memory_bytes = 16 : i64, sparsecore.sizes = {max_ids_per_partition = 8 : i64},
  sparsecore.limits_of_partitions = {max_ids_per_partition = [4, 8]}
} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.alloc() {
      sparsecore.gather_operand = "spmem", sparsecore.name = "rows", sparsecore.size = ["max_ids_per_partition"]
    } : memref<8xf32, "spmem">
  }
  return
}
