// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-gather-reduce -verify-diagnostics

func.func @no_loop(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is gathered, with 0 views that have 0 uses; expected one view, of one row, that a loop over rows copies a row to}}
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    %0 = memref.load %held[%c0, %c0] : memref<64x8xf32, "spmem">
  }
  return
}

// -----

func.func @no_row(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is gathered, with 1 views that have 1 uses; expected one view, of one row, that a loop over rows copies a row to}}
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [2, 8] [1, 1] : memref<?x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [2, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<2x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<2x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %0 = memref.load %held[%c0, %c0] : memref<64x8xf32, "spmem">
  }
  return
}

// -----

func.func @another_row(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is gathered, with 1 views that have 1 uses; expected one view, of one row, that a loop over rows copies a row to}}
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%c0, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %0 = memref.load %held[%c0, %c0] : memref<64x8xf32, "spmem">
  }
  return
}

// -----

func.func @loaded_before(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    // expected-error@+1 {{'memref.load' op uses what is gathered; expected memref.load or vector.load behind the loop}}
    %0 = memref.load %held[%c0, %c0] : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
  }
  return
}

// -----

func.func @stored(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    // expected-error@+1 {{'memref.store' op uses what is gathered; expected memref.load or vector.load behind the loop}}
    memref.store %x, %held[%c0, %c0] : memref<64x8xf32, "spmem">
  }
  return
}

// -----

func.func @table_written(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %0 = memref.load %held[%c0, %c0] : memref<64x8xf32, "spmem">
    // expected-error@+1 {{'memref.store' op writes argument 1, which the phase stages in SPMEM}}
    memref.store %x, %table[%c0, %c0] : memref<?x8xf32>
  }
  return
}

// -----

func.func @rows_written(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    // expected-error@+1 {{'memref.store' op writes what says which rows are gathered, behind the loop that gathers them}}
    memref.store %c0, %rows[%c0] : memref<?xindex>
    %0 = memref.load %held[%c0, %c0] : memref<64x8xf32, "spmem">
  }
  return
}

// -----

func.func @more_in_the_loop(%rows: memref<?xindex>, %table: memref<?x8xf32>, %x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<?xindex>
      // expected-error@+1 {{'memref.store' op is in a loop that gathers; expected arithmetic and loads}}
      memref.store %c0, %rows[%k] : memref<?xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %0 = memref.load %held[%c0, %c0] : memref<64x8xf32, "spmem">
  }
  return
}

// -----

func.func @also_used_before(%ids: memref<64xindex>, %table: memref<?x8xf32>, %out: memref<1x8xf32>, %o8: memref<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    // expected-error@+1 {{'vector.load' op uses what is gathered; expected memref.load or vector.load behind the loop}}
    %l0 = vector.load %rows[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %l0, %o8[%c0] : memref<8xf32>, vector<8xf32>
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %ids[%k] : memref<64xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %rows[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %l1 = vector.load %rows[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %l1, %o8[%c0] : memref<8xf32>, vector<8xf32>
  }
  return
}

// -----

func.func @copied_from(%ids: memref<64xindex>, %table: memref<?x8xf32>, %out: memref<1x8xf32>, %o8: memref<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is gathered, with 1 views that have 1 uses; expected one view, of one row, that a loop over rows copies a row to}}
    %rows = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %from = memref.subview %rows[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %out : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32>
    }
    %l1 = vector.load %rows[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %l1, %o8[%c0] : memref<8xf32>, vector<8xf32>
  }
  return
}

// -----

func.func @table_written_otherwise(%ids: memref<64xindex>, %table: memref<?x8xf32>, %out: memref<1x8xf32>, %o8: memref<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %ids[%k] : memref<64xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %rows[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %f = arith.constant 1.0 : f32
    // expected-error@+1 {{'memref.atomic_rmw' op writes argument 1, which the phase stages in SPMEM}}
    %old = memref.atomic_rmw addf %f, %table[%c0, %c0] : (f32, memref<?x8xf32>) -> f32
    %l1 = vector.load %rows[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %l1, %o8[%c0] : memref<8xf32>, vector<8xf32>
  }
  return
}

// -----

func.func @not_a_row(%ids: memref<64xindex>, %table: memref<?x8xf32>, %out: memref<1x8xf32>, %o8: memref<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is gathered, with 1 views that have 1 uses; expected one view, of one row, that a loop over rows copies a row to}}
    %rows = memref.alloc() {sparsecore.gathered} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %ids[%k] : memref<64xindex>
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %to = memref.subview %rows[0, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1]>, "spmem">
      memref.copy %from, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1]>, "spmem">
    }
    %l1 = vector.load %rows[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    vector.store %l1, %o8[%c0] : memref<8xf32>, vector<8xf32>
  }
  return
}
