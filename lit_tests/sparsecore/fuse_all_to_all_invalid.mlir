// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-all-to-all -verify-diagnostics

func.func @one_loop(%a: memref<4xf32>, %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    scf.for %j = %c0 to %c4 step %c1 {
      %0 = arith.cmpi eq, %j, %t : index
      // expected-error@+1 {{'scf.if' op is an all-to-all; expected the last op but the 'scf.yield' of a loop over what is exchanged, alone in a loop over the SparseCores, and the comparison of a SparseCore with the other loop's counter}}
      scf.if %0 {
        memref.store %x, %a[%j] : memref<4xf32>
      } {sparsecore.all_to_all}
    }
  }
  return
}

// -----

func.func @smaller(%a: memref<4xf32>, %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %0 = arith.cmpi ule, %j, %i : index
        // expected-error@+1 {{'scf.if' op is an all-to-all; expected the last op but the 'scf.yield' of a loop over what is exchanged, alone in a loop over the SparseCores, and the comparison of a SparseCore with the other loop's counter}}
        scf.if %0 {
          memref.store %x, %a[%j] : memref<4xf32>
        } {sparsecore.all_to_all}
      }
    }
  }
  return
}

// -----

func.func @counter_used(%a: memref<4xf32>, %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %0 = arith.cmpi eq, %j, %i : index
        // expected-error@+1 {{'scf.if' op is an all-to-all; expected the last op but the 'scf.yield' of a loop over what is exchanged, alone in a loop over the SparseCores, and the comparison of a SparseCore with the other loop's counter}}
        scf.if %0 {
          memref.store %x, %a[%i] : memref<4xf32>
        } {sparsecore.all_to_all}
      }
    }
  }
  return
}

// -----

func.func @otherwise(%a: memref<4xf32>, %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %0 = arith.cmpi eq, %j, %i : index
        // expected-error@+1 {{'scf.if' op is an all-to-all; expected the last op but the 'scf.yield' of a loop over what is exchanged, alone in a loop over the SparseCores, and the comparison of a SparseCore with the other loop's counter}}
        scf.if %0 {
        } else {
          memref.store %x, %a[%j] : memref<4xf32>
        } {sparsecore.all_to_all}
      }
    }
  }
  return
}

// -----

func.func @not_alone(%a: memref<4xf32>, %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %x, %a[%c0] : memref<4xf32>
      scf.for %j = %c0 to %c4 step %c1 {
        %0 = arith.cmpi eq, %j, %i : index
        // expected-error@+1 {{'scf.if' op is an all-to-all; expected the last op but the 'scf.yield' of a loop over what is exchanged, alone in a loop over the SparseCores, and the comparison of a SparseCore with the other loop's counter}}
        scf.if %0 {
          memref.store %x, %a[%j] : memref<4xf32>
        } {sparsecore.all_to_all}
      }
    }
  }
  return
}
