// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-gather-scatter -verify-diagnostics

func.func @not_copied_back(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is changed in place, with 1 views that have 1 uses; expected two views, of one row each: a loop copies rows of a buffer to the one, and a loop behind it copies the other back to the same rows, which are loaded from a list}}
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    vector.store %x, %held[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
  }
  return
}

// -----

func.func @no_loop(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is changed in place, and has no two loops; expected two views, of one row each: a loop copies rows of a buffer to the one, and a loop behind it copies the other back to the same rows, which are loaded from a list}}
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %row = memref.load %rows[%c0] : memref<64xindex>
    %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %near = memref.subview %held[%c0, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// -----

func.func @to_other_rows(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is changed in place, and not copied row by row; expected two views, of one row each: a loop copies rows of a buffer to the one, and a loop behind it copies the other back to the same rows, which are loaded from a list}}
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    vector.store %x, %held[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%k, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @copied_back_before(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is changed in place, and not copied row by row; expected two views, of one row each: a loop copies rows of a buffer to the one, and a loop behind it copies the other back to the same rows, which are loaded from a list}}
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
    vector.store %x, %held[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
  }
  return
}

// -----

func.func @used_before(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is changed in place, and used elsewhere; expected two views, of one row each: a loop copies rows of a buffer to the one, and a loop behind it copies the other back to the same rows, which are loaded from a list}}
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    vector.store %x, %held[%c0, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @table_written(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    // expected-error@+1 {{'vector.store' op accesses argument 1, whose rows are changed in SPMEM}}
    vector.store %x, %table[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @rows_written(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    // expected-error@+1 {{'memref.store' op changes which rows are changed in SPMEM}}
    memref.store %c0, %rows[%c0] : memref<64xindex>
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @fewer_copied_back(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    // expected-error@+1 {{'scf.for' op copies other rows back than were copied; expected two views, of one row each: a loop copies}}
    scf.for %k = %c0 to %m step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @list_written_by_the_loop(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      // expected-error@+1 {{'memref.store' op accesses argument 0, in a loop that copies its rows}}
      memref.store %c0, %rows[%k] : memref<64xindex>
    }
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @table_written_by_the_loop(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      // expected-error@+1 {{'memref.store' op accesses argument 1, in a loop that copies its rows}}
      memref.store %f, %table[%c0, %c0] : memref<?x8xf32>
    }
  }
  return
}

// -----

func.func @list_written_through_a_view(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    %v = memref.cast %rows : memref<64xindex> to memref<?xindex>
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %v[%k] : memref<?xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    // expected-error@+1 {{'memref.store' op changes which rows are changed in SPMEM}}
    memref.store %c0, %rows[%c0] : memref<64xindex>
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %v[%k] : memref<?xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @other_accesses(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    %mask = arith.constant dense<true> : vector<8xi1>
    // expected-error@+1 {{'vector.maskedstore' op accesses memory in what is between two loops that copy rows; expected memref.load, vector.load, memref.store, vector.store, memref.copy}}
    vector.maskedstore %table[%c0, %c0], %mask, %x : memref<?x8xf32>, vector<8xi1>, vector<8xf32>
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}

// -----

func.func @one_buffer_twice(%rows: memref<64xindex>, %table: memref<?x8xf32>, %x: vector<8xf32>, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    // expected-error@+1 {{'memref.alloc' op has rows of argument 1, as another one has}}
    %held2 = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far, %near : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      %far2 = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near2 = memref.subview %held2[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %far2, %near2 : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      vector.store %x, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex>
      %far = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near = memref.subview %held[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near, %far : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %far2 = memref.subview %table[%row, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      %near2 = memref.subview %held2[%k, 0] [1, 8] [1, 1] : memref<64x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem">
      memref.copy %near2, %far2 : memref<1x8xf32, strided<[8, 1], offset: ?>, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    }
  }
  return
}
