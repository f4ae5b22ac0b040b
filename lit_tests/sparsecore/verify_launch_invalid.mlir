// RUN: sdy-opt %s -split-input-file -sparsecore-verify-launch -verify-diagnostics

// expected-error@+1 {{'func.func' op has no argument 'launch'; expected a lookup or an update that verifies launches}}
func.func @without_launch(%launches: memref<?xi32> {sparsecore.name = "launches"})
    attributes {sparsecore.entry, sparsecore.sizes = {sparse_cores = 4 : i64}} {
  return
}

// -----

// expected-error@+1 {{'func.func' op has no size 'sparse_cores'; expected a lookup or an update that verifies launches}}
func.func @without_cores(%launches: memref<?xi32> {sparsecore.name = "launches"},
    %launch: memref<1xi64> {sparsecore.name = "launch", sparsecore.launch}) attributes {sparsecore.entry} {
  return
}
