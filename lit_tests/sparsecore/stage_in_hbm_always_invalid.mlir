// RUN: sdy-opt %s -split-input-file -sparsecore-stage-in-hbm=always=true -verify-diagnostics

func.func @read_before(%ids: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.staged} : memref<64xi32, "spmem">
    // expected-error@+1 {{'memref.load' op uses what is staged; expected memref.load or vector.load behind the copy to it}}
    %0 = memref.load %held[%c0] : memref<64xi32, "spmem">
    %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to memref<8xi32, strided<[1], offset: ?>>
    %to = memref.subview %held[0] [8] [1] : memref<64xi32, "spmem"> to memref<8xi32, strided<[1]>, "spmem">
    memref.copy %part, %to : memref<8xi32, strided<[1], offset: ?>> to memref<8xi32, strided<[1]>, "spmem">
  }
  return
}

// -----

func.func @copied_in_a_branch(%ids: memref<?xi32>, %is_new: i1) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.staged} : memref<64xi32, "spmem">
    scf.if %is_new {
      %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to memref<8xi32, strided<[1], offset: ?>>
      %to = memref.subview %held[0] [8] [1] : memref<64xi32, "spmem"> to memref<8xi32, strided<[1]>, "spmem">
      memref.copy %part, %to : memref<8xi32, strided<[1], offset: ?>> to memref<8xi32, strided<[1]>, "spmem">
    }
    // expected-error@+1 {{'memref.load' op uses what is staged; expected memref.load or vector.load behind the copy to it}}
    %0 = memref.load %held[%c0] : memref<64xi32, "spmem">
  }
  return
}

// -----

func.func @copied_to_elsewhere(%ids: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is staged, with 1 views that have 1 uses; expected one view, from element 0 on, that is copied to}}
    %held = memref.alloc() {sparsecore.staged} : memref<64xi32, "spmem">
    %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to memref<8xi32, strided<[1], offset: ?>>
    %to = memref.subview %held[8] [8] [1] : memref<64xi32, "spmem"> to memref<8xi32, strided<[1], offset: 8>, "spmem">
    memref.copy %part, %to : memref<8xi32, strided<[1], offset: ?>> to memref<8xi32, strided<[1], offset: 8>, "spmem">
    %0 = memref.load %held[%c0] : memref<64xi32, "spmem">
  }
  return
}

// -----

func.func @written(%ids: memref<?xi32> {sparsecore.name = "ids"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.staged} : memref<64xi32, "spmem">
    %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to memref<8xi32, strided<[1], offset: ?>>
    %to = memref.subview %held[0] [8] [1] : memref<64xi32, "spmem"> to memref<8xi32, strided<[1]>, "spmem">
    memref.copy %part, %to : memref<8xi32, strided<[1], offset: ?>> to memref<8xi32, strided<[1]>, "spmem">
    %0 = memref.load %held[%c0] : memref<64xi32, "spmem">
    // expected-error@+1 {{'memref.store' op writes ids, which the phase stages in SPMEM}}
    memref.store %0, %ids[%c1] : memref<?xi32>
  }
  return
}
