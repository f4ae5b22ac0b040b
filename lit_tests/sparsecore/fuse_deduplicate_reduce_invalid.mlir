// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-deduplicate-reduce -verify-diagnostics

func.func @no_loops(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is for what is known of rows; expected a loop over blocks that has constants, a loop that finds rows as long as positions and room are left, each with the loop that looks for its end, and one over all that were found}}
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    memref.store %c0, %ends[%c0] : memref<64xindex, "spmem">
    %0 = memref.load %ends[%c0] : memref<64xindex, "spmem">
  }
  return
}

// -----

func.func @other_work(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is for what is known of rows; expected a loop over blocks that has constants, a loop that finds rows as long as positions and room are left, each with the loop that looks for its end, and one over all that were found}}
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      memref.store %c0, %out[%b] : memref<?xindex>
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

func.func @from_elsewhere(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is for what is known of rows; expected a loop over blocks that has constants, a loop that finds rows as long as positions and room are left, each with the loop that looks for its end, and one over all that were found}}
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %first) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

func.func @no_number(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      // expected-error@+1 {{'scf.while' op finds rows; expected a loop over blocks that has constants, a loop that finds rows as long as positions and room are left, each with the loop that looks for its end, and one over all that were found}}
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %n : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

func.func @another_row(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        // expected-error@+1 {{'memref.load' op uses what is known of rows; expected a loop over blocks that has constants, a loop that finds rows as long as positions and room are left, each with the loop that looks for its end, and one over all that were found}}
        %other = memref.load %starts[%c0] : memref<64xindex, "spmem">
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----

func.func @end_stored(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        // expected-error@+1 {{'memref.store' op uses the end of a row; expected that a position is less than it}}
        memref.store %end, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----


func.func @condition_writes(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      // expected-error@+1 {{'memref.store' op is in the condition of a loop over blocks; expected arithmetic}}
      memref.store %b, %out[%c0] : memref<?xindex>
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %c7 = arith.constant 7 : index
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----


func.func @finding_writes(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %c7 = arith.constant 7 : index
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        // expected-error@+1 {{'memref.store' op writes argument 1, in a loop that finds rows}}
        memref.store %p, %out[%k] : memref<?xindex>
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        memref.store %start, %out[%k] : memref<?xindex>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}

// -----


func.func @keys_written(%keys: memref<?xi64>, %out: memref<?xindex>, %first: index, %last: index, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %starts = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %ends = memref.alloc() {sparsecore.deduplicated} : memref<64xindex, "spmem">
    %done = scf.while (%b = %first) : (index) -> index {
      %left = arith.cmpi slt, %b, %last : index
      scf.condition(%left) %b : index
    } do {
    ^bb0(%b: index):
      %c7 = arith.constant 7 : index
      %found:2 = scf.while (%p = %b, %k = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %c64 = arith.constant 64 : index
        %room = arith.cmpi slt, %k, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %k : index, index
      } do {
      ^bb0(%p: index, %k: index):
        %twice = arith.addi %p, %p : index
        memref.store %twice, %starts[%k] : memref<64xindex, "spmem">
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %inside = arith.cmpi slt, %q, %n : index
          %same = scf.if %inside -> (i1) {
            %before = arith.subi %q, %c1 : index
            %0 = memref.load %keys[%q] : memref<?xi64>
            %1 = memref.load %keys[%before] : memref<?xi64>
            %2 = arith.cmpi eq, %0, %1 : i64
            scf.yield %2 : i1
          } else {
            %false = arith.constant false
            scf.yield %false : i1
          }
          scf.condition(%same) %q : index
        } do {
        ^bb0(%q: index):
          %next = arith.addi %q, %c1 : index
          scf.yield %next : index
        }
        memref.store %end, %ends[%k] : memref<64xindex, "spmem">
        %next = arith.addi %k, %c1 : index
        scf.yield %end, %next : index, index
      }
      %stop = scf.for %k = %c0 to %found#1 step %c1 iter_args(%p = %b) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %0 = scf.while (%q = %p) : (index) -> index {
          %next = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %next, %end : index
          scf.condition(%on) %next : index
        } do {
        ^bb0(%q: index):
          scf.yield %q : index
        }
        %start = memref.load %starts[%k] : memref<64xindex, "spmem">
        %z = arith.constant 0 : i64
        // expected-error@+1 {{'memref.store' op writes argument 0, which the loop that finds rows reads}}
        memref.store %z, %keys[%k] : memref<?xi64>
        scf.yield %0 : index
      }
      scf.yield %found#0 : index
    }
  }
  return
}
