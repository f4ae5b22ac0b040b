// RUN: sdy-opt %s -split-input-file -sparsecore-count -verify-diagnostics

func.func @unknown_size(%ids: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.parallel' op is counted and ends at no constant; expected the maximum of 'axis 0' in 'sparsecore.sizes' of the entry function}}
  scf.parallel (%t) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
  }
  return
}

// -----

func.func @steps(%ids: memref<?xi32>) attributes {sparsecore.entry} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'scf.parallel' op is counted from [1] in steps of [2]; expected from 0 in steps of 1}}
  scf.parallel (%t) = (%c1) to (%c4) step (%c2) {
    %0 = memref.load %ids[%t] : memref<?xi32>
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.counted'; expected a program without counters: run the pass once}}
func.func @twice() attributes {sparsecore.entry, sparsecore.counted = []} {
  return
}

// -----

func.func @axes(%ids: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'scf.parallel' op has the attribute 'sparsecore.axes' = ["core", "tile"]; expected 1 name in an array}}
  scf.parallel (%t) = (%c0) to (%c4) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
  } {sparsecore.axes = ["core", "tile"]}
  return
}

// -----

func.func @while(%ids: memref<?xi32>, %is_left: i1) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'scf.while' op has the attribute 'sparsecore.axes'; expected it on scf.parallel or scf.for}}
    scf.while : () -> () {
      scf.condition(%is_left)
    } do {
      scf.yield
    } attributes {sparsecore.axes = ["minibatch"]}
  }
  return
}
