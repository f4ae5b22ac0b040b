// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-deduplication -verify-diagnostics

func.func @gathered(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    // expected-error@+1 {{'scf.for' op is a de-duplication, and what it gives is used; expected rows that are read where they are used, as they are behind sparsecore-fuse-gather-reduce}}
    %count = scf.for %k = %c0 to %n step %c1 iter_args(%found = %c0) -> (index) {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
      %more = arith.addi %found, %c1 : index
      scf.yield %more : index
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %count step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @written_elsewhere(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
      // expected-error@+1 {{'memref.store' op writes argument 1 in a de-duplication; expected SPMEM}}
      memref.store %row, %out[%k] : memref<?xi32>
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @another_place(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    // expected-error@+1 {{'scf.for' op is a de-duplication; expected it to load the row of an entry, to store it at a place, and the place for the entry}}
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%c0] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @another_entry(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    // expected-error@+1 {{'scf.for' op is a de-duplication; expected it to load the row of an entry, to store it at a place, and the place for the entry}}
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%c0] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @row_of_no_entry(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      // expected-error@+1 {{'memref.load' op uses what a de-duplication keeps; expected loads of rows at the places of entries, and of nothing else, behind it}}
      %2 = memref.load %rows[%i] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @loaded_before(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    // expected-error@+1 {{'memref.load' op uses what a de-duplication keeps; expected loads of rows at the places of entries, and of nothing else, behind it}}
    %before = memref.load %rows[%c0] : memref<64xi32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @stored(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    // expected-error@+1 {{'memref.store' op uses what a de-duplication keeps; expected loads of rows at the places of entries, and of nothing else, behind it}}
    memref.store %zero, %numbers[%c0] : memref<64xi32, "spmem">
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @place_used(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      // expected-error@+1 {{'arith.index_cast' op uses what a de-duplication keeps; expected loads of rows at the places of entries, and of nothing else, behind it}}
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%1] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @entries_written(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      // expected-error@+1 {{'memref.store' op writes the rows of entries, in or behind the op that finds which are the same}}
      memref.store %2, %entries[%i] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @entries_of_its_own(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">

    // expected-error@+1 {{'scf.for' op is a de-duplication; expected it to load}}
    scf.for %k = %c0 to %n step %c1 {
      %ev = memref.cast %entries : memref<64xi32, "spmem"> to memref<?xi32, "spmem">
      %row = memref.load %ev[%k] : memref<?xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">

    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }

  }
  return
}

// -----

func.func @no_lists(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<i32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<i32, "spmem">

    // expected-error@+1 {{'scf.for' op is a de-duplication; expected it to load}}
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[] : memref<i32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[] : memref<i32, "spmem">

    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[] : memref<i32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }

  }
  return
}

// -----

func.func @two_places(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">

    // expected-error@+1 {{'scf.for' op is a de-duplication; expected it to load}}
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
      memref.store %zero, %numbers[%c0] : memref<64xi32, "spmem">

    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }

  }
  return
}

// -----

func.func @two_rows(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">

    // expected-error@+1 {{'scf.for' op is a de-duplication; expected it to load}}
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
      memref.store %zero, %rows[%place] : memref<64xi32, "spmem">

    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }

  }
  return
}

// -----

func.func @other_accesses(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">

    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
      // expected-error@+1 {{'memref.atomic_rmw' op accesses memory in a de-duplication; expected memref.load, vector.load, memref.store, vector.store, memref.copy}}
      %old = memref.atomic_rmw addi %row, %out[%k] : (i32, memref<?xi32>) -> i32

    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      memref.store %2, %out[%i] : memref<?xi32>
    }

  }
  return
}

// -----

func.func @entries_written_otherwise(%places: memref<?xindex>, %out: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %entries = memref.alloc() : memref<64xi32, "spmem">
    %rows = memref.alloc() : memref<64xi32, "spmem">
    %numbers = memref.alloc() : memref<64xi32, "spmem">

    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      %place = memref.load %places[%k] : memref<?xindex>
      %number = arith.index_cast %place : index to i32
      memref.store %row, %rows[%place] : memref<64xi32, "spmem">
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">

    } {sparsecore.deduplication}
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
      %1 = arith.index_cast %0 : i32 to index
      %2 = memref.load %rows[%1] : memref<64xi32, "spmem">
      // expected-error@+1 {{'memref.atomic_rmw' op writes the rows of entries, in or behind the op that finds which are the same}}
      %old = memref.atomic_rmw addi %2, %entries[%i] : (i32, memref<64xi32, "spmem">) -> i32
      memref.store %2, %out[%i] : memref<?xi32>
    }

  }
  return
}
