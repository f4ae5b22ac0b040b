// RUN: sdy-opt %s -split-input-file -sparsecore-stage-in-hbm | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sparsecore-stage-in-hbm=always=true | FileCheck %s --check-prefix=ALWAYS

!rows = memref<?x8xf32, strided<[8, 1], offset: ?>>
!sums = memref<4x8xf32, "spmem">
!sum_rows = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// CHECK-LABEL: func @hbm
// CHECK-SAME: (%[[OUT:.*]]: memref<64x8xf32>, %[[ROW:.*]]: vector<8xf32>)
func.func @hbm(%out: memref<64x8xf32>, %row: vector<8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: %[[TARGET:.*]] = memref.subview %[[OUT]]
    %target = memref.subview %out[%t, 0] [%c1, 8] [1, 1] : memref<64x8xf32> to !rows
    // CHECK-NOT: memref.alloc
    // CHECK: vector.store %[[ROW]], %[[TARGET]]
    // CHECK-NOT: memref.copy
    %sums = memref.alloc() {sparsecore.gather_operand = "hbm"} : !sums
    vector.store %row, %sums[%c0, %c0] : !sums, vector<8xf32>
    %done = memref.subview %sums[%c0, 0] [%c1, 8] [1, 1] : !sums to !sum_rows
    memref.copy %done, %target : !sum_rows to !rows
  }
  return
}

// -----

!rows = memref<?x8xf32, strided<[8, 1], offset: ?>>
!sums = memref<4x8xf32, "spmem">
!sum_rows = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// The gather operand fits exactly.
// CHECK-LABEL: func @fits
// ALWAYS-LABEL: func @fits
func.func @fits(%out: memref<64x8xf32>) attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 192 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: memref.alloc() : memref<1xi32, "spmem">
    // CHECK: memref.alloc() {sparsecore.gather_operand = "auto"}
    // CHECK: memref.copy
    // ALWAYS: memref.alloc() : memref<1xi32, "spmem">
    // ALWAYS-NOT: gather_operand
    // ALWAYS: return
    %0 = memref.alloc() : memref<1xi32, "spmem">
    %target = memref.subview %out[%t, 0] [%c1, 8] [1, 1] : memref<64x8xf32> to !rows
    %sums = memref.alloc() {sparsecore.gather_operand = "auto"} : !sums
    %done = memref.subview %sums[%c0, 0] [%c1, 8] [1, 1] : !sums to !sum_rows
    memref.copy %done, %target : !sum_rows to !rows
  }
  return
}

// -----

!rows = memref<?x8xf32, strided<[8, 1], offset: ?>>
!sums = memref<4x8xf32, "spmem">
!sum_rows = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// CHECK-LABEL: func @does_not_fit
func.func @does_not_fit(%out: memref<64x8xf32>) attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 191 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: memref.alloc() : memref<1xi32, "spmem">
    // CHECK-NOT: memref.alloc
    %0 = memref.alloc() : memref<1xi32, "spmem">
    %target = memref.subview %out[%t, 0] [%c1, 8] [1, 1] : memref<64x8xf32> to !rows
    %sums = memref.alloc() {sparsecore.gather_operand = "auto"} : !sums
    %done = memref.subview %sums[%c0, 0] [%c1, 8] [1, 1] : !sums to !sum_rows
    memref.copy %done, %target : !sum_rows to !rows
  }
  return
}

// -----

// Sums that the tile uses itself are allocated in HBM, if they do not fit.
// CHECK-LABEL: func @used_at_once
// ALWAYS-LABEL: func @used_at_once
func.func @used_at_once(%out: memref<64x8xf32>, %row: vector<8xf32>)
    attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: memref.alloc() {{.*}} : memref<4x8xf32>{{$}}
    // CHECK: vector.load {{.*}} : memref<4x8xf32>, vector<8xf32>
    // ALWAYS: memref.alloc() {{.*}} : memref<4x8xf32>{{$}}
    %sums = memref.alloc() {sparsecore.gather_operand = "auto"} : memref<4x8xf32, "spmem">
    vector.store %row, %sums[%c1, %c0] : memref<4x8xf32, "spmem">, vector<8xf32>
    %0 = vector.load %sums[%c1, %c0] : memref<4x8xf32, "spmem">, vector<8xf32>
    vector.store %0, %out[%t, %c0] : memref<64x8xf32>, vector<8xf32>
  }
  return
}

// -----

// 128 bytes fit into 64 if two tiles share them.
// CHECK-LABEL: func @shared
func.func @shared(%out: memref<64x8xf32>, %row: vector<8xf32>) attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: memref.alloc
    // CHECK: vector.load
    %sums = memref.alloc() {sparsecore.gather_operand = "auto", sparsecore.tiles = 2 : i64} : memref<4x8xf32, "spmem">
    vector.store %row, %sums[%c1, %c0] : memref<4x8xf32, "spmem">, vector<8xf32>
    %0 = vector.load %sums[%c1, %c0] : memref<4x8xf32, "spmem">, vector<8xf32>
    vector.store %0, %out[%t, %c0] : memref<64x8xf32>, vector<8xf32>
  }
  return
}

// -----

// CHECK-LABEL: func @no_entry
func.func @no_entry() {
  // CHECK: memref.alloc
  %0 = memref.alloc() {sparsecore.gather_operand = "hbm"} : memref<100xi32, "spmem">
  return
}

// -----

!rows = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

// The target of the copy is not known before.
// CHECK-LABEL: func @named
func.func @named(%out: memref<4x8xf32>, %row: vector<8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<4x8xf32>{{$}}
    // CHECK: vector.store %[[ROW:.*]], %[[SUMS]]
    // CHECK: %[[DONE:.*]] = memref.subview %[[SUMS]]{{.*}} : memref<4x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    // CHECK: memref.copy %[[DONE]]
    %sums = memref.alloc() {sparsecore.gather_operand = "hbm"} : memref<4x8xf32, "spmem">
    vector.store %row, %sums[%c0, %c0] : memref<4x8xf32, "spmem">, vector<8xf32>
    %done = memref.subview %sums[%c0, 0] [%c1, 8] [1, 1] : memref<4x8xf32, "spmem"> to !rows
    %target = memref.subview %out[%c0, 0] [%c1, 8] [1, 1] : memref<4x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %done, %target : !rows to memref<?x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// -----

// The largest operands are moved first: the other one fits.

// CHECK-LABEL: func.func @largest_first
// ALWAYS-LABEL: func.func @largest_first
func.func @largest_first() attributes {sparsecore.entry, sparsecore.tile_memory_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: sparsecore.name = "sums"{{.*}} : memref<4x8xf32, "spmem">
    // ALWAYS: sparsecore.name = "sums"{{.*}} : memref<4x8xf32>
    %sums = memref.alloc() {sparsecore.gather_operand = "auto", sparsecore.name = "sums"} : memref<4x8xf32, "spmem">
    // CHECK: sparsecore.name = "gathered"{{.*}} : memref<20x8xf32>
    // ALWAYS: sparsecore.name = "gathered"{{.*}} : memref<20x8xf32>
    %gathered = memref.alloc() {sparsecore.gather_operand = "auto", sparsecore.name = "gathered"} : memref<20x8xf32, "spmem">
  }
  return
}
