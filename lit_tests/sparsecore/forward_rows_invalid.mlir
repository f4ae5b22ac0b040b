// RUN: sdy-opt %s -split-input-file -sparsecore-forward-rows -verify-diagnostics

func.func @loaded_first(%last: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() {sparsecore.name = "rows"} : memref<64xindex, "spmem">
    %found:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %p, %last : index
      scf.condition(%left) %p, %n : index, index
    } do {
    ^bb0(%p: index, %n: index):
      // expected-error@+1 {{'memref.load' op loads a row of rows that its iteration has not stored before; expected a store first}}
      %0 = memref.load %rows[%n] : memref<64xindex, "spmem">
      memref.store %p, %rows[%n] : memref<64xindex, "spmem">
      scf.yield %0, %n : index, index
    } attributes {sparsecore.joined = ["deduplicate"]}
  }
  return
}
