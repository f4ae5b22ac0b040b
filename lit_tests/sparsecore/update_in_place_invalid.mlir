// RUN: sdy-opt %s -split-input-file -sparsecore-update-in-place -verify-diagnostics

!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @not_copied_back(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.alloc' op is held, with 1 views that 1 ops use; expected a copy of a row of another buffer to the row of the iteration, loads and stores there, and a copy back to where it came from}}
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %from, %to : !row to !held_row
      scf.for %k = %c0 to %last step %c1 {
        %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "gather", "apply", "scatter"]}
  }
  return
}

// -----

!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @to_another_row(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      // expected-error@+1 {{'memref.copy' op copies to held; expected a copy of a row of another buffer to the row of the iteration, loads and stores there, and a copy back to where it came from}}
      memref.copy %from, %to : !row to !held_row
      scf.for %k = %c0 to %last step %c1 {
        %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      %back = memref.subview %table[%other, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %done = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %done, %back : !held_row to !row
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "gather", "apply", "scatter"]}
  }
  return
}

// -----

!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @another_place(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%p, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      // expected-error@+1 {{'memref.copy' op copies to held; expected a copy of a row of another buffer to the row of the iteration, loads and stores there, and a copy back to where it came from}}
      memref.copy %from, %to : !row to !held_row
      scf.for %k = %c0 to %last step %c1 {
        %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      %back = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %done = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %done, %back : !held_row to !row
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "gather", "apply", "scatter"]}
  }
  return
}

// -----

!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @another_row_is_loaded(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %from, %to : !row to !held_row
      scf.for %k = %c0 to %last step %c1 {
        // expected-error@+1 {{'vector.load' op uses held; expected a copy of a row of another buffer to the row of the iteration, loads and stores there, and a copy back to where it came from}}
        %0 = vector.load %held[%p, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      %back = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %done = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %done, %back : !held_row to !row
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "gather", "apply", "scatter"]}
  }
  return
}

// -----

!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @changed_too_late(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %from, %to : !row to !held_row
      %back = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %done = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %done, %back : !held_row to !row
      scf.for %k = %c0 to %last step %c1 {
        %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        // expected-error@+1 {{'vector.store' op uses held; expected a copy of a row of another buffer to the row of the iteration, loads and stores there, and a copy back to where it came from}}
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "gather", "apply", "scatter"]}
  }
  return
}

// -----

!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @the_row_itself(%table: memref<?x8xf32> {sparsecore.name = "table"}, %row: index, %other: index, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %held = memref.alloc() {sparsecore.name = "held"} : memref<64x8xf32, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %from, %to : !row to !held_row
      // expected-error@+1 {{'vector.load' op accesses table, whose row is changed in SPMEM; expected accesses of the copy}}
      %2 = vector.load %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      scf.for %k = %c0 to %last step %c1 {
        %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
        %1 = arith.addf %0, %0 : vector<8xf32>
        vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      }
      %back = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %done = memref.subview %held[%n, 0] [%c1, 8] [1, 1] : memref<64x8xf32, "spmem"> to !held_row
      memref.copy %done, %back : !held_row to !row
      scf.yield %p, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate", "gather", "apply", "scatter"]}
  }
  return
}
