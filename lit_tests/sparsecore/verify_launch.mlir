// RUN: sdy-opt %s -sparsecore-verify-launch | FileCheck %s

// CHECK: func @lookup(%[[LAUNCHES:.*]]: memref<?xi32> {sparsecore.name = "launches"}, %[[OUT:.*]]: memref<4xi32>,
// CHECK-SAME: %[[LAUNCH:.*]]: memref<1xi64> {sparsecore.launch, sparsecore.name = "launch"},
// CHECK-SAME: %[[STATUS:.*]]: memref<8xi64> {sparsecore.name = "status", sparsecore.status})
// CHECK-SAME: sparsecore.messages = ["ok", "launch: SparseCore {1} executes launch {2}, and device {3} launch {4};
func.func @lookup(%launches: memref<?xi32> {sparsecore.name = "launches"}, %out: memref<4xi32>,
    %launch: memref<1xi64> {sparsecore.name = "launch", sparsecore.launch})
    attributes {sparsecore.entry, sparsecore.sizes = {sparse_cores = 4 : i64}} {
  // Each SparseCore, before the first phase.
  // CHECK: scf.parallel (%[[CORE:.*]]) = (%{{.*}}) to (%c4{{.*}})
  // CHECK-NEXT: %[[OWN:.*]] = memref.load %[[LAUNCH]]
  // CHECK-NEXT: %[[WORDS:.*]] = memref.dim %[[LAUNCHES]]
  // CHECK-NEXT: %[[DEVICES:.*]] = arith.divui %[[WORDS]], %c2
  // CHECK-NEXT: scf.for %[[DEVICE:.*]] = %{{.*}} to %[[DEVICES]]
  // CHECK: memref.load %[[LAUNCHES]]
  // CHECK: memref.load %[[LAUNCHES]]
  // CHECK: %[[OTHER:.*]] = arith.ori
  // CHECK-NEXT: %[[IS:.*]] = arith.cmpi ne, %[[OTHER]], %[[OWN]] : i64
  // CHECK-NEXT: scf.if %[[IS]] {
  // CHECK: memref.load %[[STATUS]]
  // CHECK: {sparsecore.axes = ["core"], sparsecore.check}
  // CHECK: scf.parallel
  // CHECK-NOT: memref.load
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %value = arith.constant 7 : i32
  scf.parallel (%core) = (%c0) to (%c4) step (%c1) {
    memref.store %value, %out[%core] : memref<4xi32>
  }
  return
}
