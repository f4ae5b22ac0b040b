// RUN: sdy-opt %s -split-input-file -sparsecore-check-bounds | FileCheck %s
// RUN: sdy-opt %s -split-input-file -sparsecore-check-bounds -sparsecore-check-bounds -verify-each -o /dev/null

// CHECK-LABEL: func @load
// CHECK-SAME: (%[[IDS:.*]]: memref<?xi32> {sparsecore.name = "ids"}, %[[STATUS:.*]]: memref<8xi64> {sparsecore.name = "status", sparsecore.status})
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
// CHECK-SAME: sparsecore.messages = ["ok", "'vector.store' of 4 elements at [{1}, {2}] is out of the bounds of argument 0, whose sizes are [{3}, {4}]"]
func.func @vector_store(%out: memref<8x16xf32>, %v: memref<4xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %cst = arith.constant dense<1.0> : vector<4xf32>
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: %[[C4:.*]] = arith.constant 4 : index
    // CHECK-NEXT: %[[END:.*]] = arith.addi %{{.*}}, %[[C4]] : index
    // CHECK-NEXT: arith.cmpi ule, %[[END]], %{{.*}} : index
    // CHECK: scf.if
    // CHECK-NEXT: vector.store
    vector.store %cst, %out[%t, %c0] : memref<8x16xf32>, vector<4xf32>
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
