// RUN: sdy-opt %s -split-input-file -sparsecore-forward-rows | FileCheck %s

// Rows and sums are used where they are computed, also in loops; nothing is left in SPMEM.
// CHECK-LABEL: func @all
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x8xf32>, %[[X:.*]]: vector<8xf32>, %[[LAST:.*]]: index)
// CHECK-NOT: memref.alloc
// CHECK: ^bb0(%[[P:.*]]: index, %[[N:.*]]: index):
// CHECK-NOT: memref.store
// CHECK: scf.for
// CHECK-NEXT: vector.store %[[X]], %[[TABLE]][%[[P]], %c0]
func.func @all(%table: memref<?x8xf32>, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() : memref<64xindex, "spmem">
    %sums = memref.alloc() {sparsecore.gather_operand = "auto"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %zero = arith.constant 0 : index
      memref.store %p, %rows[%n] : memref<64xindex, "spmem">
      vector.store %x, %sums[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      scf.for %k = %c0 to %last step %c1 {
        %row = memref.load %rows[%n] : memref<64xindex, "spmem">
        %sum = vector.load %sums[%n, %zero] : memref<64x8xf32, "spmem">, vector<8xf32>
        vector.store %sum, %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      }
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "reduce_gradients"]}
  }
  return
}

// -----

// Columns that a loop stores, and another one loads: one row is left.
// CHECK-LABEL: func @columns
// CHECK: %[[SUMS:.*]] = memref.alloc() {sparsecore.name = "sums"} : memref<1x16xf32, "spmem">
// CHECK: ^bb0(%{{.*}}: index, %[[N:.*]]: index):
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK-NEXT: vector.store %{{.*}}, %[[SUMS]][%[[ZERO:.*]], %[[I]]] : memref<1x16xf32, "spmem">, vector<8xf32>
// CHECK: scf.for %[[J:[^ ]*]] =
// CHECK-NEXT: vector.load %[[SUMS]][%[[ZERO]], %[[J]]] : memref<1x16xf32, "spmem">, vector<8xf32>
func.func @columns(%table: memref<?x16xf32>, %x: vector<8xf32>, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %sums = memref.alloc() {sparsecore.gather_operand = "auto", sparsecore.name = "sums", sparsecore.size = ["64", "16"]} : memref<64x16xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      scf.for %i = %c0 to %c16 step %c8 {
        vector.store %x, %sums[%n, %i] : memref<64x16xf32, "spmem">, vector<8xf32>
      }
      scf.for %i = %c0 to %c16 step %c8 {
        %sum = vector.load %sums[%n, %i] : memref<64x16xf32, "spmem">, vector<8xf32>
        vector.store %sum, %table[%p, %i] : memref<?x16xf32>, vector<8xf32>
      }
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "reduce_gradients"]}
  }
  return
}

// -----

// Buffers that are used after the loop, or by another index, stay, and so do those of loops that
// are not joined.
// CHECK-LABEL: func @others
// CHECK-COUNT-2: memref.alloc() : memref<64xindex, "spmem">
// CHECK: ^bb0
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.load
func.func @others(%last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() : memref<64xindex, "spmem">
    %other = memref.alloc() : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      memref.store %p, %rows[%n] : memref<64xindex, "spmem">
      memref.store %p, %other[%p] : memref<64xindex, "spmem">
      %0 = memref.load %other[%n] : memref<64xindex, "spmem">
      scf.yield %0, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate"]}
    %1 = memref.load %rows[%c0] : memref<64xindex, "spmem">
    memref.store %1, %other[%c0] : memref<64xindex, "spmem">
  }
  return
}
