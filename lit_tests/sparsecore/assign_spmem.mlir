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
