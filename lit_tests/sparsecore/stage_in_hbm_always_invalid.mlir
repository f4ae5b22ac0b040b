// RUN: sdy-opt %s -split-input-file -sparsecore-stage-in-hbm=always=true -verify-diagnostics

!held = memref<64xi32, "spmem">
!part = memref<8xi32, strided<[1], offset: ?>>
!held_part = memref<8xi32, strided<[1]>, "spmem">

func.func @read_before(%ids: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.staged} : !held
    // expected-error@+1 {{'memref.load' op uses a buffer with the attribute 'sparsecore.staged'; expected memref.load or}}
    %0 = memref.load %held[%c0] : !held
    %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to !part
    %to = memref.subview %held[0] [8] [1] : !held to !held_part
    memref.copy %part, %to : !part to !held_part
  }
  return
}

// -----

!held = memref<64xi32, "spmem">
!part = memref<8xi32, strided<[1], offset: ?>>
!held_part = memref<8xi32, strided<[1]>, "spmem">

func.func @copied_in_a_branch(%ids: memref<?xi32>, %is_new: i1) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.staged} : !held
    scf.if %is_new {
      %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to !part
      %to = memref.subview %held[0] [8] [1] : !held to !held_part
      memref.copy %part, %to : !part to !held_part
    }
    // expected-error@+1 {{'memref.load' op uses a buffer with the attribute 'sparsecore.staged'; expected memref.load or}}
    %0 = memref.load %held[%c0] : !held
  }
  return
}

// -----

!held = memref<64xi32, "spmem">
!part = memref<8xi32, strided<[1], offset: ?>>
!held_part = memref<8xi32, strided<[1], offset: 8>, "spmem">

func.func @copied_to_elsewhere(%ids: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op has the attribute 'sparsecore.staged', and 1 views with 1 uses; expected}}
    %held = memref.alloc() {sparsecore.staged} : !held
    %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to !part
    %to = memref.subview %held[8] [8] [1] : !held to !held_part
    memref.copy %part, %to : !part to !held_part
    %0 = memref.load %held[%c0] : !held
  }
  return
}

// -----

!held = memref<64xi32, "spmem">
!part = memref<8xi32, strided<[1], offset: ?>>
!held_part = memref<8xi32, strided<[1]>, "spmem">

func.func @written(%ids: memref<?xi32> {sparsecore.name = "ids"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.staged} : !held
    %part = memref.subview %ids[%t] [8] [1] : memref<?xi32> to !part
    %to = memref.subview %held[0] [8] [1] : !held to !held_part
    memref.copy %part, %to : !part to !held_part
    %0 = memref.load %held[%c0] : !held
    // expected-error@+1 {{'memref.store' op writes ids, which the phase stages in SPMEM; expected only reads}}
    memref.store %0, %ids[%c1] : memref<?xi32>
  }
  return
}
