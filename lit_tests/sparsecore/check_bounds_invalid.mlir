// RUN: sdy-opt %s -split-input-file -sparsecore-check-bounds -verify-diagnostics

func.func @gather(%table: memref<?xf32>, %at: vector<4xindex>, %on: vector<4xi1>, %old: vector<4xf32>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'vector.gather' op takes a buffer, and its bounds cannot be checked; expected one of memref.load, memref.store,}}
    %0 = vector.gather %table[%c0] [%at], %on, %old
      : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  }
  return
}

// -----

func.func @chosen(%a: memref<?xf32>, %b: memref<?xf32>, %which: i1) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'arith.select' op takes a buffer, and its bounds cannot be checked; expected one of}}
    %0 = arith.select %which, %a, %b : memref<?xf32>
    %1 = memref.load %0[%c0] : memref<?xf32>
  }
  return
}

// -----

!part = memref<8xi32, strided<[1], offset: ?>>

func.func @part(%ids: memref<?xi32>, %n: index) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    %0 = memref.subview %ids[%t] [8] [1] : memref<?xi32> to !part
    // expected-error@+1 {{'memref.reinterpret_cast' op reinterprets a part of a buffer; expected a whole one}}
    %1 = memref.reinterpret_cast %0 to offset: [0], sizes: [%n], strides: [1] : !part to memref<?xi32>
    %2 = memref.load %1[%c0] : memref<?xi32>
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op has a status of type 'memref<4xi64>'; expected 'memref<8xi64>'}}
func.func @small_status(%status: memref<4xi64> {sparsecore.status}) attributes {sparsecore.entry} {
  return
}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'sparsecore.messages' = "ok"; expected an array of strings}}
func.func @wrong_messages() attributes {sparsecore.entry, sparsecore.messages = "ok"} {
  return
}

// -----

// expected-error@+1 {{'func.func' op is the entry function and has no body}}
func.func private @no_body() attributes {sparsecore.entry}

// -----

func.func @complex_numbers(%x: memref<?xcomplex<f32>>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    // expected-error@+1 {{'memref.load' op accesses 'memref<?xcomplex<f32>>'; expected a buffer of integers or floats}}
    %0 = memref.load %x[%t] : memref<?xcomplex<f32>>
  }
  return
}
