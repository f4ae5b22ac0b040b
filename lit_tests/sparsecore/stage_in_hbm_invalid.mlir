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
