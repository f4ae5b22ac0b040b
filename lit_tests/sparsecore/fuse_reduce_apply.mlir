// RUN: sdy-opt %s -split-input-file -sparsecore-fuse-reduce-apply | FileCheck %s

// Constants between the loops go before them; what the first loop carries stays.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x8xf32>, %[[X:.*]]: vector<8xf32>, %[[N:.*]]: index)
func.func @rows(%table: memref<?x8xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.parallel
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK-NEXT: %[[SUMS:.*]] = memref.alloc() : memref<64x8xf32, "spmem">
    // CHECK-NEXT: arith.constant 0
    // CHECK-NEXT: arith.constant 1
    // CHECK-NEXT: {{.*}} = scf.for %[[K:[^ ]*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (index)
    // CHECK-NEXT: %[[Q:.*]] = arith.addi %[[P]]
    // CHECK-NEXT: vector.store %[[X]], %[[SUMS]][%[[K]], %[[C0:.*]]]
    // CHECK-NEXT: %[[V:.*]] = vector.load %[[SUMS]][%[[K]], %[[C0]]]
    // CHECK-NEXT: vector.store %[[V]], %[[TABLE]][%[[K]], %[[C0]]]
    // CHECK-NEXT: scf.yield %[[Q]]
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.reduce
    %sums = memref.alloc() {sparsecore.sums} : memref<64x8xf32, "spmem">
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %c0) -> (index) {
      %q = arith.addi %p, %c1 : index
      vector.store %x, %sums[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      scf.yield %q : index
    }
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %k = %zero to %n step %one {
      %0 = vector.load %sums[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %0, %table[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// Loops over columns are joined one by one.
// CHECK-LABEL: func @columns
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x20xf32>,
func.func @columns(%table: memref<?x20xf32>, %x: vector<8xf32>, %y: vector<4xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  // CHECK: scf.parallel
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: scf.for %[[K:[^ ]*]] =
    // CHECK-NEXT: scf.for %[[G:[^ ]*]] = %{{.*}} to %c2
    // CHECK-NEXT: %[[I:.*]] = arith.muli %[[G]]
    // CHECK-NEXT: vector.store %{{.*}}, %{{.*}}[%[[K]], %[[I]]] : {{.*}}, vector<8xf32>
    // CHECK-NEXT: %[[J:.*]] = arith.muli %[[G]]
    // CHECK-NEXT: vector.load %{{.*}}[%[[K]], %[[J]]] : {{.*}}, vector<8xf32>
    // CHECK-NEXT: vector.store %{{.*}}, %[[TABLE]][%[[K]], %[[J]]]
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %c1
    // CHECK-NEXT: vector.store %{{.*}}, %{{.*}}[%[[K]], %c16] : {{.*}}, vector<4xf32>
    // CHECK-NEXT: vector.load %{{.*}}[%[[K]], %c16] : {{.*}}, vector<4xf32>
    // CHECK-NEXT: vector.store %{{.*}}, %[[TABLE]][%[[K]], %c16]
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.reduce
    %sums = memref.alloc() {sparsecore.sums} : memref<64x20xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      scf.for %g = %c0 to %c2 step %c1 {
        %i = arith.muli %g, %c8 : index
        vector.store %x, %sums[%k, %i] : memref<64x20xf32, "spmem">, vector<8xf32>
      }
      scf.for %g = %c0 to %c1 step %c1 {
        vector.store %y, %sums[%k, %c16] : memref<64x20xf32, "spmem">, vector<4xf32>
      }
    }
    scf.for %k = %c0 to %n step %c1 {
      scf.for %g = %c0 to %c2 step %c1 {
        %i = arith.muli %g, %c8 : index
        %0 = vector.load %sums[%k, %i] : memref<64x20xf32, "spmem">, vector<8xf32>
        vector.store %0, %table[%k, %i] : memref<?x20xf32>, vector<8xf32>
      }
      scf.for %g = %c0 to %c1 step %c1 {
        %0 = vector.load %sums[%k, %c16] : memref<64x20xf32, "spmem">, vector<4xf32>
        vector.store %0, %table[%k, %c16] : memref<?x20xf32>, vector<4xf32>
      }
    }
  }
  return
}

// -----

// What it is for is not said.
// CHECK-LABEL: func @other_loops
func.func @other_loops(%x: f32, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK-COUNT-2: scf.for
    %sums = memref.alloc() : memref<64xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      memref.store %x, %sums[%k] : memref<64xf32, "spmem">
    }
    scf.for %k = %c0 to %n step %c1 {
      %0 = memref.load %sums[%k] : memref<64xf32, "spmem">
    }
  }
  return
}

// -----

// A round over columns loads what another one has stored: these loops stay apart.
// CHECK-LABEL: func @other_columns
func.func @other_columns(%table: memref<?x20xf32>, %other: memref<?x20xf32>, %x: vector<8xf32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // CHECK: scf.for %[[K:[^ ]*]] =
    // CHECK-NEXT: scf.for
    // CHECK: vector.store %{{.*}}, %[[SUMS:.*]][%[[K]],
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.for
    // CHECK: vector.load %[[SUMS]][%[[K]],
    %sums = memref.alloc() {sparsecore.sums} : memref<64x20xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      scf.for %g = %c0 to %c2 step %c1 {
        %i = arith.muli %g, %c8 : index
        vector.store %x, %sums[%k, %i] : memref<64x20xf32, "spmem">, vector<8xf32>
      }
    }
    scf.for %k = %c0 to %n step %c1 {
      scf.for %g = %c0 to %c2 step %c1 {
        %h = arith.subi %c1, %g : index
        %i = arith.muli %h, %c8 : index
        %0 = vector.load %sums[%k, %i] : memref<64x20xf32, "spmem">, vector<8xf32>
        vector.store %0, %table[%k, %i] : memref<?x20xf32>, vector<8xf32>
      }
    }
  }
  return
}

// -----

// Loops behind those over columns stay behind: they need the whole row.

// CHECK-LABEL: func @several_passes
// CHECK:         %[[SUMS:.*]] = memref.alloc()
// CHECK:         %[[ROW:.*]] = memref.alloc()
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.store %{{.*}}, %[[SUMS]]
// CHECK:             %[[SUM:.*]] = vector.load %[[SUMS]]
// CHECK:             vector.store %[[SUM]], %[[ROW]]
// CHECK:           }
// CHECK:           %[[FACTOR:.*]] = vector.load %arg2
// CHECK:           scf.for
// CHECK:             vector.load %[[ROW]]
// CHECK:             vector.store
// CHECK-NOT:     scf.for
func.func @several_passes(%n: index, %table: memref<?x32xf32>, %factors: memref<?x8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  scf.parallel (%tile) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.sums} : memref<64x32xf32, "spmem">
    %row = memref.alloc() : memref<1x32xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      scf.for %c = %c0 to %c32 step %c8 {
        %sum = vector.load %factors[%k, %c0] : memref<?x8xf32>, vector<8xf32>
        vector.store %sum, %sums[%k, %c] : memref<64x32xf32, "spmem">, vector<8xf32>
      }
    }
    scf.for %k = %c0 to %n step %c1 {
      scf.for %c = %c0 to %c32 step %c8 {
        %sum = vector.load %sums[%k, %c] : memref<64x32xf32, "spmem">, vector<8xf32>
        vector.store %sum, %row[%c0, %c] : memref<1x32xf32, "spmem">, vector<8xf32>
      }
      %factor = vector.load %factors[%k, %c0] : memref<?x8xf32>, vector<8xf32>
      scf.for %c = %c0 to %c32 step %c8 {
        %value = vector.load %row[%c0, %c] : memref<1x32xf32, "spmem">, vector<8xf32>
        %scaled = arith.mulf %value, %factor : vector<8xf32>
        vector.store %scaled, %table[%k, %c] : memref<?x32xf32>, vector<8xf32>
      }
    }
  }
  return
}
