// RUN: sdy-opt %s -split-input-file -sparsecore-quantize -verify-diagnostics

#buckets = {buckets = 1 : i64, high = 1.0 : f32, low = 0.0 : f32}

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.quantize' = {buckets = 1 : i64, high = 1.000000e+00 : f32, low}}
func.func @one_bucket(%table: memref<?xf32> {sparsecore.name = "table", sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  return
}

// -----

#buckets = {buckets = 16 : i64, high = 1.0 : f64, low = 0.0 : f32}

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.quantize' = {buckets = 16 : i64, high = 1.000000e+00 : f64, low}}
func.func @wrong_type(%table: memref<?xf32> {sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  return
}

// -----

#buckets = {buckets = 16 : i64, high = 3.0e38 : f32, low = -3.0e38 : f32}

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.quantize' = {buckets = 16 : i64, high = 3.000000e+38 : f32, low}}
func.func @infinite_step(%table: memref<?xf32> {sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  return
}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.quantize' = unit on argument 0; expected {buckets = N : i64, high = F}}
func.func @no_numbers(%table: memref<?xf32> {sparsecore.quantize}) attributes {sparsecore.entry} {
  return
}

// -----

#buckets = {buckets = 16 : i64, high = 1.0 : f32, low = 0.0 : f32}

// expected-error@+1 {{'func.func' op quantizes argument 0 of type 'memref<?xi32>'; expected elements of f32, bf16, i8}}
func.func @integers(%table: memref<?xi32> {sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  return
}

// -----

#buckets = {buckets = 16 : i64, high = 1.0 : f32, low = 0.0 : f32}

func.func @not_converted(%table: memref<?xbf16> {sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.load %table[%t] : memref<?xbf16>
    // expected-error@+1 {{'arith.negf' op uses elements that are quantized; expected 'arith.extf' to f32}}
    %1 = arith.negf %0 : bf16
  }
  return
}

// -----

#buckets = {buckets = 16 : i64, high = 1.0 : f32, low = 0.0 : f32}

func.func @stored(%table: memref<?xf32> {sparsecore.name = "table", sparsecore.quantize = #buckets},
    %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.store' op uses table, which is quantized; expected one of memref.load, vector.load, memref.copy, memref.subview,}}
    memref.store %x, %table[%t] : memref<?xf32>
  }
  return
}

// -----

#buckets = {buckets = 16 : i64, high = 1.0 : f32, low = 0.0 : f32}

func.func @copied_to(%table: memref<8xf32> {sparsecore.name = "table", sparsecore.quantize = #buckets},
    %x: memref<8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.copy' op uses table, which is quantized; expected one of memref.load,}}
    memref.copy %x, %table : memref<8xf32> to memref<8xf32>
  }
  return
}

// -----

#buckets = {buckets = 16 : i64, high = 1.0 : f32, low = 0.0 : f32}

func.func @mixed(%table: memref<8xf32> {sparsecore.name = "table", sparsecore.quantize = #buckets},
    %x: f32) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %rows = memref.alloc() : memref<8xf32, "spmem">
    memref.copy %table, %rows : memref<8xf32> to memref<8xf32, "spmem">
    // expected-error@+1 {{'memref.store' op writes a buffer that holds rows of table, which is quantized; expected only copies of its rows}}
    memref.store %x, %rows[%t] : memref<8xf32, "spmem">
  }
  return
}
