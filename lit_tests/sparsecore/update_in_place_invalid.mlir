// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps -sparsecore-update-in-place -verify-diagnostics

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @to_another_row(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %next = arith.addi %row, %c1 : index
      %to = memref.subview %table[%next, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      // expected-error@+1 {{'memref.copy' op keeps steps 'gather' and 'scatter' from being joined by 'held': expected copies from the row that the first buffer that 'deduplicate' writes has there, and back to it}}
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @from_another_place(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %next = arith.addi %k, %c1 : index
      %from = memref.subview %held[%next, 0] [%c1, 8] [1, 1] : !held to !held_row
      // expected-error@+1 {{'memref.copy' op keeps steps 'gather' and 'scatter' from being joined by 'held': expected copies from the row that the first buffer that 'deduplicate' writes has there, and back to it}}
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @another_list(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %other = memref.load %words[%k] : memref<?xindex>
      %from = memref.subview %table[%other, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["words", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      // expected-error@+1 {{'memref.copy' op keeps steps 'gather' and 'scatter' from being joined by 'held': expected copies from the row that the first buffer that 'deduplicate' writes has there, and back to it}}
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @twice(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      // expected-error@+1 {{'memref.copy' op keeps step 'scatter' from being joined by 'table': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
      memref.copy %from, %to : !held_row to !row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @loaded_in_vectors(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      // expected-error@+1 {{'vector.load' op keeps step 'gather' from being joined by 'held': expected one copy, of a part of another buffer to the same part, or of a row to the row that a loop counts}}
      %0 = vector.load %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @fewer_rows(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    // expected-error@+1 {{'scf.for' op keeps steps 'gather' and 'scatter' from being joined by 'held': expected loops over the same rows}}
    scf.for %k = %c1 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @fewer_applied(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    // expected-error@+1 {{'scf.for' op keeps steps 'gather' and 'apply' from being joined by 'held': expected loops over the same rows}}
    scf.for %k = %c0 to %c1 step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @the_row_itself(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      // expected-error@+1 {{'vector.load' op keeps steps 'gather' and 'scatter' from being joined by 'table': it is used between them}}
      %2 = vector.load %table[%k, %c0] : memref<?x8xf32>, vector<8xf32>
      %1 = arith.addf %0, %2 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @outside_of_steps(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    // expected-error@+1 {{'memref.load' op keeps steps 'gather' and 'scatter' from being joined by 'table': it is used between them}}
    %2 = memref.load %table[%c0, %c0] : memref<?x8xf32>
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @other_rows(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      %next = arith.addi %row, %c1 : index
      // expected-error@+1 {{'memref.store' op keeps steps 'gather' and 'scatter' from being joined by 'rows': it is used between them}}
      memref.store %next, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @changed_too_late(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
    // expected-error@+1 {{'scf.for' op keeps steps 'gather' and 'apply' from being joined by 'held': one is not after the other in its block}}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      vector.store %0, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @copied(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "gather", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      // expected-error@+1 {{'memref.subview' op keeps steps 'gather' and 'apply' from being joined by 'held': expected loads and stores, of single elements unless the step copies a part as a whole}}
      %a = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      %b = memref.subview %held[%c0, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %a, %b : !held_row to !held_row
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}

// -----

!rows = memref<64xindex, "spmem">
!held = memref<64x8xf32, "spmem">
!row = memref<?x8xf32, strided<[8, 1], offset: ?>>
!held_row = memref<?x8xf32, strided<[8, 1], offset: ?>, "spmem">

func.func @not_gathered(%words: memref<?xindex> {sparsecore.name = "words"}, %table: memref<?x8xf32> {sparsecore.name = "table"}, %last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : !rows
    %held = memref.alloc() {sparsecore.name = "held"} : !held
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %words[%k] : memref<?xindex>
      memref.store %row, %rows[%k] : !rows
    } {sparsecore.step = "deduplicate", sparsecore.reads = ["words"], sparsecore.writes = ["rows"]}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %to = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !row to !held_row
    } {sparsecore.step = "load", sparsecore.reads = ["rows", "table"], sparsecore.writes = ["held"]}
    scf.for %k = %c0 to %last step %c1 {
      %0 = vector.load %held[%k, %c0] : !held, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : !held, vector<8xf32>
    } {sparsecore.step = "apply", sparsecore.reads = ["held"], sparsecore.writes = ["held"]}
    // expected-error@+1 {{'scf.for' op is step 'scatter'; expected 'deduplicate' and 'gather' before it, in its block}}
    scf.for %k = %c0 to %last step %c1 {
      %row = memref.load %rows[%k] : !rows
      %to = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : memref<?x8xf32> to !row
      %from = memref.subview %held[%k, 0] [%c1, 8] [1, 1] : !held to !held_row
      memref.copy %from, %to : !held_row to !row
    } {sparsecore.step = "scatter", sparsecore.reads = ["rows", "held"], sparsecore.writes = ["table"]}
  }
  return
}
