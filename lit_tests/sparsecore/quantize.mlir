// RUN: sdy-opt %s -split-input-file -sparsecore-quantize | FileCheck %s

#buckets = {buckets = 5 : i64, high = 3.0 : f32, low = -1.0 : f32}

// CHECK-LABEL: func @vectors
// CHECK-SAME: (%[[TABLE:.*]]: memref<?x16xf32> {sparsecore.name = "table"}, %[[OTHER:.*]]: memref<?x16xf32>)
func.func @vectors(%table: memref<?x16xf32> {sparsecore.name = "table", sparsecore.quantize = #buckets},
    %other: memref<?x16xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    // CHECK: memref.prefetch %[[TABLE]]
    memref.prefetch %table[%t, %c0], read, locality<3>, data : memref<?x16xf32>
    // CHECK: %[[X:.*]] = vector.load %[[TABLE]]
    // CHECK-NEXT: %[[LOW:.*]] = arith.constant dense<-1.000000e+00> : vector<8xf32>
    // CHECK-NEXT: %[[HIGH:.*]] = arith.constant dense<3.000000e+00> : vector<8xf32>
    // CHECK-NEXT: %[[STEP:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
    // CHECK-NEXT: %[[IS_LESS:.*]] = arith.cmpf olt, %[[X]], %[[LOW]]
    // CHECK-NEXT: %[[RAISED:.*]] = arith.select %[[IS_LESS]], %[[LOW]], %[[X]]
    // CHECK-NEXT: %[[IS_GREATER:.*]] = arith.cmpf ogt, %[[RAISED]], %[[HIGH]]
    // CHECK-NEXT: %[[CLIPPED:.*]] = arith.select %[[IS_GREATER]], %[[HIGH]], %[[RAISED]]
    // CHECK-NEXT: %[[ABOVE:.*]] = arith.subf %[[CLIPPED]], %[[LOW]]
    // CHECK-NEXT: %[[STEPS:.*]] = arith.divf %[[ABOVE]], %[[STEP]]
    // CHECK-NEXT: %[[BUCKET:.*]] = math.roundeven %[[STEPS]]
    // CHECK-NEXT: %[[RISE:.*]] = arith.mulf %[[STEP]], %[[BUCKET]]
    // CHECK-NEXT: %[[VALUE:.*]] = arith.addf %[[LOW]], %[[RISE]]
    %0 = vector.load %table[%t, %c0] : memref<?x16xf32>, vector<8xf32>
    // CHECK-NEXT: arith.mulf %[[VALUE]], %[[VALUE]]
    %1 = arith.mulf %0, %0 : vector<8xf32>
    // Another argument is not quantized.
    // CHECK-NEXT: %[[Y:.*]] = vector.load %[[OTHER]]
    // CHECK-NEXT: arith.mulf %[[Y]], %[[Y]]
    %2 = vector.load %other[%t, %c0] : memref<?x16xf32>, vector<8xf32>
    %3 = arith.mulf %2, %2 : vector<8xf32>
  }
  return
}

// -----

#buckets = {buckets = 256 : i64, high = 1.0 : f32, low = 0.0 : f32}

// Parts of a vector, each extended to float32.
// CHECK-LABEL: func @parts
func.func @parts(%table: memref<?xbf16> {sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %0 = vector.load %table[%c0] : memref<?xbf16>, vector<16xbf16>
    %1 = vector.extract_strided_slice %0 {offsets = [0], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
    %2 = vector.extract_strided_slice %0 {offsets = [8], sizes = [8], strides = [1]} : vector<16xbf16> to vector<8xbf16>
    // CHECK: %[[X:.*]] = arith.extf {{.*}} to vector<8xf32>
    // CHECK: arith.cmpf olt, %[[X]]
    // CHECK: %[[A:.*]] = arith.addf
    // CHECK: %[[Y:.*]] = arith.extf {{.*}} to vector<8xf32>
    // CHECK: arith.cmpf olt, %[[Y]]
    // CHECK: %[[B:.*]] = arith.addf
    %3 = arith.extf %1 : vector<8xbf16> to vector<8xf32>
    %4 = arith.extf %2 : vector<8xbf16> to vector<8xf32>
    // CHECK: arith.mulf %[[A]], %[[B]]
    %5 = arith.mulf %3, %4 : vector<8xf32>
  }
  return
}

// -----

#buckets = {buckets = 256 : i64, high = 1.0 : f32, low = 0.0 : f32}

// A part of the table, one element of it, extended to float32.
// CHECK-LABEL: func @bf16
func.func @bf16(%table: memref<?xbf16> {sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %part = memref.subview %table[%t] [8] [1] : memref<?xbf16> to memref<8xbf16, strided<[1], offset: ?>>
    %0 = memref.load %part[%c1] : memref<8xbf16, strided<[1], offset: ?>>
    // CHECK: %[[X:.*]] = arith.extf
    // CHECK-NEXT: arith.constant 0.000000e+00 : f32
    // CHECK-NEXT: arith.constant 1.000000e+00 : f32
    // CHECK-NEXT: %[[STEP:.*]] = arith.constant 0.00392156886 : f32
    // CHECK-NEXT: arith.cmpf olt, %[[X]]
    // CHECK: %[[VALUE:.*]] = arith.addf
    %1 = arith.extf %0 : bf16 to f32
    // CHECK-NEXT: arith.negf %[[VALUE]]
    %2 = arith.negf %1 : f32
  }
  return
}

// -----

#buckets = {buckets = 256 : i64, high = 127.0 : f32, low = -128.0 : f32}

// CHECK-LABEL: func @numbers_of_buckets
func.func @numbers_of_buckets(%table: memref<?x4xi8> {sparsecore.quantize = #buckets}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %0 = vector.load %table[%t, %c0] : memref<?x4xi8>, vector<4xi8>
    // CHECK: %[[X:.*]] = arith.sitofp
    // CHECK: %[[OFFSET:.*]] = arith.constant dense<1.280000e+02>
    // CHECK-NEXT: %[[BUCKET:.*]] = arith.addf %[[X]], %[[OFFSET]]
    // CHECK-NEXT: %[[RISE:.*]] = arith.mulf %{{.*}}, %[[BUCKET]]
    // CHECK-NEXT: %[[VALUE:.*]] = arith.addf %{{.*}}, %[[RISE]]
    %1 = arith.sitofp %0 : vector<4xi8> to vector<4xf32>
    // CHECK-NEXT: arith.negf %[[VALUE]]
    %2 = arith.negf %1 : vector<4xf32>
  }
  return
}

// -----

// CHECK-LABEL: func @no_entry
// CHECK-SAME: sparsecore.quantize
func.func @no_entry(%table: memref<?xf32> {sparsecore.quantize}, %i: index) -> f32 {
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: return
  %0 = memref.load %table[%i] : memref<?xf32>
  return %0 : f32
}

// -----

#buckets = {buckets = 256 : i64, high = 1.0 : f32, low = 0.0 : f32}

// Rows are copied twice, and quantized where they are loaded.
// CHECK-LABEL: func @copies
// CHECK-SAME: %[[OTHER:[^ ]*]]: memref<1x8xf32>
func.func @copies(%table: memref<?x8xf32> {sparsecore.quantize = #buckets}, %other: memref<1x8xf32>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%t) = (%c0) to (%c16) step (%c1) {
    %gathered = memref.alloc() : memref<4x8xf32, "spmem">
    %received = memref.alloc() : memref<1x8xf32, "spmem">
    %row = memref.subview %table[%t, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %to = memref.subview %gathered[2, 0] [1, 8] [1, 1]
      : memref<4x8xf32, "spmem"> to memref<1x8xf32, strided<[8, 1], offset: 16>, "spmem">
    // CHECK: memref.copy
    // CHECK-NEXT: memref.copy
    memref.copy %row, %to : memref<1x8xf32, strided<[8, 1], offset: ?>> to memref<1x8xf32, strided<[8, 1], offset: 16>, "spmem">
    memref.copy %to, %received : memref<1x8xf32, strided<[8, 1], offset: 16>, "spmem"> to memref<1x8xf32, "spmem">
    // CHECK-NEXT: %[[X:.*]] = vector.load
    // CHECK: arith.cmpf olt, %[[X]]
    // CHECK: %[[VALUE:.*]] = arith.addf
    %0 = vector.load %received[%c0, %c0] : memref<1x8xf32, "spmem">, vector<8xf32>
    // CHECK-NEXT: arith.mulf %[[VALUE]], %[[VALUE]]
    %1 = arith.mulf %0, %0 : vector<8xf32>
    // Another buffer is not quantized.
    // CHECK-NEXT: %[[Y:.*]] = vector.load %[[OTHER]]
    // CHECK-NEXT: arith.mulf %[[Y]], %[[Y]]
    %2 = vector.load %other[%c0, %c0] : memref<1x8xf32>, vector<8xf32>
    %3 = arith.mulf %2, %2 : vector<8xf32>
  }
  return
}
