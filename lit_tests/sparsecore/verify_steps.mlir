// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps | FileCheck %s

// CHECK-LABEL: func @two_steps
// CHECK: memref.copy
// CHECK: sparsecore.reads = ["ids"], sparsecore.step = "load", sparsecore.writes = ["held"]
// CHECK: sparsecore.reads = ["held"], sparsecore.step = "store", sparsecore.writes = ["out"]
func.func @two_steps(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"},
    %status: memref<8xi64> {sparsecore.name = "status", sparsecore.status})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %from = memref.subview %ids[%t] [8] [1] : memref<?xi32> to memref<8xi32, strided<[1], offset: ?>>
    memref.copy %from, %held : memref<8xi32, strided<[1], offset: ?>> to memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  // Steps read in a later iteration what they write now; they have buffers of their own.
  scf.for %i = %c0 to %c1 step %c1 {
    scf.for %t = %c0 to %c1 step %c1 {
      %own = memref.alloc() : memref<8xi32, "spmem">
      %0 = memref.load %held[%t] : memref<8xi32, "spmem">
      memref.store %0, %own[%t] : memref<8xi32, "spmem">
      %1 = memref.load %own[%t] : memref<8xi32, "spmem">
      memref.store %1, %held[%t] : memref<8xi32, "spmem">
    } {sparsecore.step = "reduce", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
  }
  // Checks are no part of the chip, nor is the status.
  %n = memref.load %ids[%c0] {sparsecore.check} : memref<?xi32>
  %x = arith.extsi %n : i32 to i64
  memref.store %x, %status[%c0] : memref<8xi64>
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

// A program without steps.
// CHECK-LABEL: func @no_steps
func.func @no_steps(%out: memref<?xi32>, %x: i32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  // CHECK: memref.store
  memref.store %x, %out[%c0] : memref<?xi32>
  return
}

// -----

// No tile program.
// CHECK-LABEL: func @other
func.func @other() {
  return
}

// -----

// Steps that are joined for a CPU.
// CHECK-LABEL: func @joined
func.func @joined(%out: memref<?xi32> {sparsecore.name = "out"}, %x: i32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: sparsecore.joined
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %x, %out[%i] : memref<?xi32>
  } {sparsecore.joined = ["gather", "apply"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
  } {sparsecore.step = "sort"}
  return
}
