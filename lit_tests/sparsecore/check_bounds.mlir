// RUN: sdy-opt %s -split-input-file -sparsecore-check-bounds | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sparsecore-check-bounds -sparsecore-check-bounds -verify-each -o /dev/null

// CHECK-LABEL: func @load
// CHECK-SAME: (%[[IDS:.*]]: memref<?xi32> {sparsecore.name = "ids"},
// CHECK-SAME: %[[STATUS:.*]]: memref<8xi64> {sparsecore.name = "status", sparsecore.status})
// CHECK-SAME: sparsecore.messages = ["ok", "'memref.load' of 1 element at [{1}] is out of the bounds of ids, whose sizes are [{2}]"]
func.func @load(%ids: memref<?xi32> {sparsecore.name = "ids"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: %[[SIZE:.*]] = memref.dim %[[IDS]]
    // CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi ult, %[[T:.*]], %[[SIZE]] : index
    // CHECK-NEXT: %[[VALUE:.*]] = scf.if %[[INSIDE]] -> (i32) {
    // CHECK-NEXT: %[[LOADED:.*]] = memref.load %[[IDS]][%[[T]]]
    // CHECK-NEXT: scf.yield %[[LOADED]] : i32
    // CHECK-NEXT: } else {
    // CHECK: memref.load %[[STATUS]]
    // CHECK: memref.store {{.*}}, %[[STATUS]]
    // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
    // CHECK-NEXT: scf.yield %[[ZERO]] : i32
    %0 = memref.load %ids[%t] : memref<?xi32>
    // CHECK: arith.addi %[[VALUE]], %[[VALUE]]
    %1 = arith.addi %0, %0 : i32
  }
  return
}

// -----

// CHECK-LABEL: func @vector_store
// CHECK-SAME: sparsecore.messages = ["ok",
// CHECK-SAME: "'vector.store' of 4 elements at [{1}, {2}] is out of the bounds of argument 0, whose sizes are [8, 16]"]
func.func @vector_store(%out: memref<8x16xf32>, %v: memref<4xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cst = arith.constant dense<1.0> : vector<4xf32>
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: %[[C4:.*]] = arith.constant 4 : index
    // CHECK-NEXT: %[[END:.*]] = arith.addi %{{.*}}, %[[C4]] : index
    // CHECK: arith.cmpi ule, %[[END]], %{{.*}} : index
    // CHECK: scf.if
    // CHECK-NEXT: vector.store
    vector.store %cst, %out[%t, %c0] : memref<8x16xf32>, vector<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func @square
// CHECK-SAME: "'vector.load' of 2x4 elements at [{1}, {2}] is out of the bounds of argument 0, whose sizes are [{3}, 8]"
func.func @square(%table: memref<?x8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%t) = (%c0) to (%c8) step (%c1) {
    // CHECK: arith.cmpi ult
    // CHECK: arith.cmpi ult
    // CHECK: %[[COLUMNS:.*]] = arith.addi %{{.*}}, %{{.*}} : index
    // CHECK: arith.cmpi ule, %[[COLUMNS]]
    // CHECK: %[[ROWS:.*]] = arith.addi %[[T:.*]], %{{.*}} : index
    // CHECK: arith.cmpi ule, %[[ROWS]]
    %0 = vector.load %table[%t, %c0] : memref<?x8xf32>, vector<2x4xf32>
  }
  return
}

// -----

!table = memref<?x16xf32>
!part = memref<?x16xf32, strided<[16, 1], offset: ?>>

// An access of a view has two checks: that the view lies in its buffer, and the access in the view.
// The first that fails is reported.
// CHECK-LABEL: func @view
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x16xf32> {sparsecore.name = "table"}, %[[STATUS:.*]]: memref<8xi64>
// CHECK-SAME: sparsecore.messages = ["ok",
// CHECK-SAME: "'memref.subview' of sizes [{1}, 16] at [{2}, 0] is out of the bounds of table, whose sizes are [{3}, 16]",
// CHECK-SAME: "'vector.load' of 4 elements at [{1}, {2}] is out of the bounds of a part of table, whose sizes are [{3}, 16]"]
func.func @view(%table: !table {sparsecore.name = "table"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: %[[PART:.*]] = memref.subview %[[TABLE]]
    // CHECK: %[[ROWS:.*]] = memref.dim %[[TABLE]]
    // CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[COUNT:.*]], %[[ROWS]] : index
    // CHECK-NEXT: %[[REST:.*]] = arith.subi %[[ROWS]], %[[COUNT]] : index
    // CHECK-NEXT: %[[STARTS:.*]] = arith.cmpi ule, %[[T:.*]], %[[REST]] : index
    // CHECK-NEXT: arith.andi %[[FITS]], %[[STARTS]] : i1
    %part = memref.subview %table[%t, 0] [%c16, 16] [1, 1] : !table to !part
    // CHECK: scf.if %{{.*}} -> (vector<4xf32>) {
    // CHECK-NEXT: vector.load %[[PART]]
    // CHECK: } else {
    // CHECK-NEXT: scf.if
    %0 = vector.load %part[%t, %c1] : !part, vector<4xf32>
  }
  return
}

// -----

!strided = memref<?xi32, strided<[3], offset: ?>>

// CHECK-LABEL: func @views_of_views
// CHECK-SAME: "'memref.cast' of ids, whose sizes are [{1}], to 'memref<64xi32>'",
// CHECK-SAME: "'memref.subview' of sizes [{1}] with strides [3] at [{2}] is out of the bounds of a part of ids, whose sizes are [64]",
func.func @views_of_views(%ids: memref<?xi32> {sparsecore.name = "ids"}, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %all = memref.cast %ids : memref<?xi32> to memref<64xi32>
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: memref.cast
    // CHECK-NEXT: arith.constant 0
    // CHECK-NEXT: memref.dim
    // CHECK-NEXT: arith.constant 64
    // CHECK-NEXT: arith.cmpi eq
    // CHECK: memref.subview
    %part = memref.subview %all[%t] [%n] [3] : memref<64xi32> to !strided
    // CHECK: memref.load
    %0 = memref.load %part[%c0] : !strided
  }
  return
}

// -----

!held = memref<8xf32, "spmem">

// CHECK-LABEL: func @copy
// CHECK-SAME: "'memref.copy' of a buffer of type memref<8xf32, {{.*}}>, whose sizes are [8], to out, whose sizes are [{1}]"]
func.func @copy(%out: memref<?xf32> {sparsecore.name = "out"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.alloc() : !held
    %1 = memref.alloc() : !held
    // CHECK: %[[SIZE:.*]] = memref.dim
    // CHECK: %[[SAME:.*]] = arith.cmpi eq, %{{.*}}, %[[SIZE]] : index
    // CHECK-NEXT: scf.if %[[SAME]] {
    // CHECK-NEXT: memref.copy
    memref.copy %0, %out : !held to memref<?xf32>
    // Sizes that are known to be equal are not compared.
    // CHECK: } else {
    // CHECK: memref.store
    // CHECK-NOT: arith.cmpi
    // CHECK: memref.copy {{.*}} to memref<8xf32,
    memref.copy %0, %1 : !held to !held
  }
  return
}

// -----

// CHECK-LABEL: func @no_entry
func.func @no_entry(%ids: memref<?xi32>, %i: index) -> i32 {
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: return
  %0 = memref.load %ids[%i] : memref<?xi32>
  return %0 : i32
}
