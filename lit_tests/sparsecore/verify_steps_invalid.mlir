// RUN: sdy-opt %s -split-input-file -sparsecore-verify-steps -verify-diagnostics

func.func @unknown_step(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'lode', which is unknown; did you mean 'load'?}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "lode", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @no_such_step(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'x', which is unknown; expected one of load, sort, deduplicate, exchange_ids, gather, all_to_all, reduce, reduce_gradients, apply, scatter, store}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "x", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @no_loop(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  %true = arith.constant true
  // expected-error@+1 {{'scf.if' op is step 'load'; expected a loop: scf.parallel, scf.for, scf.while}}
  scf.if %true {
  } {sparsecore.step = "load"}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @no_step(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  // expected-error@+1 {{'scf.for' op has the attribute 'sparsecore.reads' and no 'sparsecore.step'; expected both or none}}
  scf.for %t = %c0 to %c1 step %c1 {
  } {sparsecore.reads = ["ids"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @nested(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
    // expected-error@+1 {{'scf.parallel' op is step 'store' within step 'load'; expected one step after the other}}
    scf.parallel (%u) = (%c0) to (%c1) step (%c1) {
      %1 = memref.load %held[%c0] : memref<8xi32, "spmem">
      memref.store %1, %out[%c0] : memref<?xi32>
    } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  return
}

// -----

func.func @not_names(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'load' and has 'sparsecore.reads' = "ids"; expected an array of names of buffers, each once}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = "ids", sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @named_twice(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'load' and has 'sparsecore.writes' = ["held", "held"]; expected an array of names of buffers, each once}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held", "held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @unknown_buffer(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'load' and reads 'idz', which is no buffer; did you mean 'ids'?}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["idz"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @read_undeclared(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.load' op reads 'ids' in step 'load'; expected it in its 'sparsecore.reads'}}
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = [], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @written_undeclared(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    // expected-error@+1 {{'memref.store' op writes 'held' in step 'load'; expected it in its 'sparsecore.writes'}}
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = []}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["ids"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @read_and_not_used(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  // expected-error@+1 {{'scf.parallel' op is step 'store' with 'ids' in 'sparsecore.reads' and does not read it; expected only what it does}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held", "ids"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @written_and_not_used(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'load' with 'out' in 'sparsecore.writes' and does not write it; expected only what it does}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held", "out"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @unnamed_buffer(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %other = memref.alloc() : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    // expected-error@+1 {{'memref.store' op writes a buffer of type memref<8xi32, "spmem"> in step 'load'; expected one with the attribute 'sparsecore.name'}}
    memref.store %0, %other[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = []}
  return
}

// -----

func.func @name_of_another(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.alloc' op has the name 'ids' of another buffer; expected names that differ}}
  %held = memref.alloc() {sparsecore.name = "ids"} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @no_name(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.alloc' op has the attribute 'sparsecore.name' = 3 : i64; expected the name of a buffer}}
  %held = memref.alloc() {sparsecore.name = 3 : i64} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @written_outside(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  %x = arith.constant 1 : i32
  // expected-error@+1 {{'memref.store' op writes out outside of a step; expected that only steps write}}
  memref.store %x, %out[%c0] : memref<?xi32>
  return
}

// -----

func.func @read_before(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'store' and reads 'held' before a step has written it; step 'load' writes it later}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  return
}

// -----

func.func @never_written(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'store' and reads 'held' before a step has written it; no step writes it}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @never_read(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  // expected-error@+1 {{'scf.parallel' op is step 'load' and writes 'held', which no step reads}}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  return
}

// -----

func.func @another_size(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.alloc' op allocates held of type 'memref<9xi32, "spmem">'; expected the sizes max_ids * 2 = 8}}
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<9xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<9xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<9xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @size_of_another_rank(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.alloc' op allocates held of type 'memref<8xi32, "spmem">'; expected the sizes max_ids * 2 = 8, 1 = 1}}
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2", "1"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @unknown_size(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.alloc' op allocates held: size 'max_unique' has the name 'max_unique'; expected one of max_ids}}
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_unique"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @not_a_size(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.alloc' op allocates held with 'sparsecore.size' = "8"; expected an array of expressions}}
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = "8"} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.sizes' = {max_ids = 4.000000e+00 : f64}; expected integers by name}}
func.func @not_integers(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4.0 : f64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %held[%t] : memref<8xi32, "spmem">
    memref.store %0, %out[%t] : memref<?xi32>
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = ["out"]}
  return
}

// -----

func.func @unknown_access(%ids: memref<?xi32> {sparsecore.name = "ids"}, %out: memref<?xi32> {sparsecore.name = "out"})
    attributes {sparsecore.entry, sparsecore.sizes = {max_ids = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %held = memref.alloc() {sparsecore.name = "held", sparsecore.size = ["max_ids * 2"]} : memref<8xi32, "spmem">
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %ids[%t] : memref<?xi32>
    memref.store %0, %held[%t] : memref<8xi32, "spmem">
  } {sparsecore.step = "load", sparsecore.reads = ["ids"], sparsecore.writes = ["held"]}
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.extract_aligned_pointer_as_index' op takes a buffer, and it is not known what it accesses; expected one of memref.load, memref.copy, vector.load,}}
    %d = memref.extract_aligned_pointer_as_index %held : memref<8xi32, "spmem"> -> index
  } {sparsecore.step = "store", sparsecore.reads = ["held"], sparsecore.writes = []}
  return
}
