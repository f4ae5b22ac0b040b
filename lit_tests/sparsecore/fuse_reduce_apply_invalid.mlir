// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-reduce-apply -verify-diagnostics

func.func @no_loops(%x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op has sums; expected a loop that stores those of each round's number, and a loop right behind it that counts the same and loads them}}
    %sums = memref.alloc() {sparsecore.sums} : memref<64xf32, "spmem">
    memref.store %x, %sums[%c0] : memref<64xf32, "spmem">
    %0 = memref.load %sums[%c0] : memref<64xf32, "spmem">
  }
  return
}

// -----

func.func @other_rows(%x: f32, %n: index, %m: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op has sums; expected a loop that}}
    %sums = memref.alloc() {sparsecore.sums} : memref<64xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
    }
    scf.for %k = %c0 to %m step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
    }
  }
  return
}

// -----

func.func @sums_of_another_row(%x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.sums} : memref<64xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      // expected-error@+1 {{'memref.load' op uses sums; expected a loop that}}
      %0 = memref.load %sums[%c0] : memref<64xf32, "spmem">
    }
  }
  return
}

// -----

func.func @table_read(%table: memref<64xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.sums} : memref<64xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %0 = memref.load %table[%k] : memref<64xf32>
      memref.store %0, %sums[%k] : memref<64xf32, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
      // expected-error@+1 {{'memref.store' op accesses argument 0, as the loop does that sums}}
      memref.store %0, %table[%c0] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @more_between(%x: f32, %n: index, %out: memref<f32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.sums} : memref<64xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
    }
    // expected-error@+1 {{'memref.store' op is between two loops for sums; expected a loop that}}
    memref.store %x, %out[] : memref<f32>
    scf.for %k = %c0 to %n step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
    }
  }
  return
}

// -----

func.func @loads_first(%x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.sums} : memref<64xf32, "spmem">
    // expected-error@+1 {{'scf.for' op uses sums before there are any; expected a loop that}}
    scf.for %k = %c0 to %n step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
    }
  }
  return
}

// -----

func.func @uses_the_end(%x: f32, %n: index, %out: memref<64xindex>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.sums} : memref<64xf32, "spmem">
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %c0) -> (index) {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
      scf.yield %k : index
    }
    scf.for %k = %c0 to %n step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
      // expected-error@+1 {{'memref.store' op uses what the loop gives that sums}}
      memref.store %end, %out[%k] : memref<64xindex>
    }
  }
  return
}

// -----

func.func @other_accesses(%table: memref<?x20xf32>, %other: memref<?x20xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.sums} : memref<64x20xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      scf.for %g = %c0 to %c2 step %c1 {
        %i = arith.muli %g, %c8 : index
        vector.store %x, %sums[%k, %i] : memref<64x20xf32, "spmem">, vector<8xf32>
        %mask = arith.constant dense<true> : vector<8xi1>
        // expected-error@+1 {{'vector.maskedstore' op accesses memory in a loop for sums; expected memref.load, vector.load, memref.store, vector.store, memref.copy}}
        vector.maskedstore %table[%k, %i], %mask, %x : memref<?x20xf32>, vector<8xi1>, vector<8xf32>
      }
    }
    scf.for %k = %c0 to %n step %c1 {
      scf.for %g = %c0 to %c2 step %c1 {
        %i = arith.muli %g, %c8 : index
        %0 = vector.load %sums[%k, %i] : memref<64x20xf32, "spmem">, vector<8xf32>
        %1 = vector.load %table[%c0, %c0] : memref<?x20xf32>, vector<8xf32>
        vector.store %0, %table[%k, %i] : memref<?x20xf32>, vector<8xf32>
      }
    }
  }
  return
}
