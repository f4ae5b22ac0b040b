// RUN: sdy-opt %s -split-input-file -sparsecore-sanitize | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sparsecore-sanitize='cores=TC' | FileCheck %s --check-prefix=CALLER

!part = memref<2xi32, strided<[1], offset: ?>>
!held = memref<2xi32, strided<[1], offset: ?>, "spmem">

// Two steps of tiles, and a store by the sequencer between them.

// CHECK-LABEL: func @lookup
// CHECK-SAME: sparsecore.messages = ["ok",
// CHECK-SAME: "sanitizer: argument 'ids' changed in phase 0, and no step writes it; SparseCore {1}",
// CHECK-SAME: "sanitizer: 'first' changed between steps 'load' and 'store'; SparseCore {1}",
// CHECK-SAME: "sanitizer: 'second' changed between steps 'load' and 'store'; SparseCore {1}",
// CHECK-SAME: "sanitizer: step 'load' changed 'second', which it does not write; SparseCore {1}, tile {2}",
// CHECK-SAME: "sanitizer: step 'store' changed 'first', which it does not write; SparseCore {1}, tile {2}",
// CHECK-SAME: "sanitizer: step 'store' changed 'second', which it does not write; SparseCore {1}, tile {2}"]
// CALLER-LABEL: func @lookup
// CALLER-SAME: sparsecore.messages = ["ok",
// CALLER-SAME: "sanitizer: argument 'ids' changed in phase 0, and no step writes it; SparseCore {1}"]
func.func @lookup(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%core) = (%c0) to (%c2) step (%c1) {
    // The ids of the caller are summed first.
    // CHECK: scf.parallel
    // CHECK: %[[SIZE:.*]] = memref.dim %[[IDS:[a-z0-9]*]],
    // CHECK: %[[BEFORE:.*]] = scf.for {{.*}} to %[[SIZE]] {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (i64) {
    // CHECK-NEXT: %[[ID:.*]] = memref.load %[[IDS]]{{.*}} {sparsecore.check}
    // CHECK-NEXT: %[[BITS:.*]] = arith.extui %[[ID]] : i32 to i64
    // CHECK-NEXT: %[[MIXED:.*]] = arith.xori %[[SUM]], %[[BITS]] : i64
    // CHECK: %[[NEXT:.*]] = arith.muli %[[MIXED]], %{{.*}} : i64
    // CHECK-NEXT: scf.yield %[[NEXT]]
    // CALLER: scf.for {{.*}} -> (i64)
    %first = memref.alloc() {sparsecore.name = "first"} : memref<8xi32, "spmem">
    %second = memref.alloc() {sparsecore.name = "second"} : memref<8xi32, "spmem">
    // CHECK: scf.parallel (%[[TILE:.*]]) =
    // CHECK: %[[KNOWN:.*]] = scf.for {{.*}} -> (i64)
    // CHECK: memref.copy
    // CHECK: %[[FOUND:.*]] = scf.for {{.*}} -> (i64)
    // CHECK: %[[IS:.*]] = arith.cmpi ne, %[[KNOWN]], %[[FOUND]] : i64
    // CHECK: scf.if %[[IS]] {
    // CHECK: memref.store
    // CHECK: sparsecore.step = "load"
    // CALLER: memref.copy
    // CALLER-NEXT: scf.reduce
    scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
      %from = memref.subview %ids[%tile] [2] [1] : memref<?xi32> to !part
      %to = memref.subview %first[%tile] [2] [1] : memref<8xi32, "spmem"> to !held
      memref.copy %from, %to : !part to !held
    } {sparsecore.axes = ["tile"], sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["first"]}
    // CHECK: scf.for {{.*}} -> (i64)
    // CHECK: scf.for {{.*}} -> (i64)
    // CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<8xi32, "spmem">
    // CHECK: arith.cmpi ne
    memref.store %zero, %second[%c0] : memref<8xi32, "spmem">
    // A step that is a tile's own loop: it is compared before and after the loop.
    scf.parallel (%tile) = (%c0) to (%c2) step (%c1) {
      // CALLER: scf.for
      // CALLER-NOT: -> (i64)
      // CALLER: sparsecore.step = "store"
      scf.for %k = %c0 to %c2 step %c1 {
        %value = memref.load %first[%k] : memref<8xi32, "spmem">
        memref.store %value, %out[%k] : memref<?xi32>
      } {sparsecore.step = "store", sparsecore.reads = ["first"], sparsecore.writes = ["out"]}
    } {sparsecore.axes = ["tile"]}
    // CALLER: %[[AFTER:.*]] = scf.for {{.*}} -> (i64)
    // CALLER: arith.cmpi ne, %{{.*}}, %[[AFTER]] : i64
  } {sparsecore.axes = ["core"]}
  return
}

// -----

// A program without steps is left as it is.

// CHECK-LABEL: func @no_steps
// CHECK-NOT: status
// CHECK-NOT: i64
func.func @no_steps(%ids: memref<8xf32> {sparsecore.name = "ids"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %value = arith.constant 0.0 : f32
  scf.parallel (%core) = (%c0) to (%c1) step (%c1) {
    memref.store %value, %ids[%core] : memref<8xf32>
  }
  return
}
