// RUN: sdy-opt %s -split-input-file -sparsecore-radix-sort -verify-diagnostics

// expected-error@+1 {{'func.func' op has no lanes in 'sparsecore.sizes'; expected those of a lookup or an update}}
func.func @no_sizes(
    %ids: memref<4x?xi32> {sparsecore.name = "ids"},
    %words: memref<2x?xi64> {sparsecore.name = "words"}
) attributes {sparsecore.entry, sparsecore.sizes = {samples_per_core = 2 : i64, sparse_cores = 2 : i64,
    num_devices = 1 : i64, tiles = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%partition) = (%c0) to (%c1) step (%c1) {
    scf.for %row = %c0 to %c1 step %c1 {
      %word = memref.load %words[%c0, %row] : memref<2x?xi64>
      memref.store %word, %words[%c0, %row] : memref<2x?xi64>
    } {sparsecore.step = "sort", sparsecore.reads = ["words"], sparsecore.writes = ["words"]}
    scf.for %row = %c0 to %c1 step %c1 {
      %word = memref.load %words[%c0, %row] : memref<2x?xi64>
    } {sparsecore.step = "reduce_gradients", sparsecore.reads = ["words"], sparsecore.writes = []}
  }
  return
}
