// RUN: sdy-opt %s -split-input-file -sparsecore-stage-in-hbm -verify-diagnostics

func.func @too_large() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 191 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.alloc() : memref<1xi32, "spmem">
    // expected-error@+1 {{Gather operand too large: 4x8 floats (samples of a tile x feature width) are 128 bytes, and 64 of the 191 bytes of TileSpmem are left for it; use staging = "auto", a smaller batch, narrower rows, or more chips}}
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

func.func @no_copy() attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is a gather operand with 0 views and 0 copies; expected one view that is copied once}}
    %0 = memref.alloc() {sparsecore.gather_operand = "hbm"} : memref<4x8xf32, "spmem">
  }
  return
}
