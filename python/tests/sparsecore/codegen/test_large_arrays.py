"""Arrays of more than 2^31 elements: indices are 64 bits wide on the whole way.

The arrays are address space, of which only the pages that are touched have memory.
"""

from __future__ import annotations

import mmap
import sys

import ml_dtypes
import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run

WIDTH = 128
ROWS = (1 << 31) // WIDTH + 100
MAP_NORESERVE = 0x4000
"""Of Linux on x86 and ARM; Python 3.11 has no name for it."""
NEEDS_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs MAP_NORESERVE")


def untouched(dtype: str, *shape: int) -> np.ndarray:
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    return np.frombuffer(mmap.mmap(-1, size, flags=flags), dtype).reshape(shape)


STEP = """
func.func @step(%table: memref<?x128xTYPE>, %ids: memref<?xi32>, %found: memref<?x128xf32>,
                %index: memref<?xi64>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c7 = arith.constant 7 : index
  %n = memref.dim %ids, %c0 : memref<?xi32>
  %rows = memref.dim %table, %c0 : memref<?x128xTYPE>
  %whole = arith.muli %rows, %c128 : index
  %flat = memref.reinterpret_cast %table to offset: [0], sizes: [%whole], strides: [1]
    : memref<?x128xTYPE> to memref<?xTYPE>
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    %id = memref.load %ids[%k] : memref<?xi32>
    %row = arith.index_cast %id : i32 to index
    memref.prefetch %table[%row, %c0], read, locality<3>, data : memref<?x128xTYPE>
    scf.for %at = %c0 to %c128 step %c8 {
      %v = vector.load %table[%row, %at] : memref<?x128xTYPE>, vector<8xTYPE>
      %w = CONVERT %v : vector<8xTYPE> to vector<8xf32>
      vector.store %w, %found[%k, %at] : memref<?x128xf32>, vector<8xf32>
    }
    %view = memref.subview %table[%row, 0] [1, 128] [1, 1]
      : memref<?x128xTYPE> to memref<128xTYPE, strided<[1], offset: ?>>
    %last = memref.load %view[%c7] : memref<128xTYPE, strided<[1], offset: ?>>
    memref.store %last, %view[%c8] : memref<128xTYPE, strided<[1], offset: ?>>
    %start = arith.muli %row, %c128 : index
    %first = memref.load %flat[%start] : memref<?xTYPE>
    %nine = arith.constant 9 : index
    %target = arith.addi %start, %nine : index
    memref.store %first, %flat[%target] : memref<?xTYPE>
    %told = arith.index_cast %target : index to i64
    memref.store %told, %index[%k] : memref<?xi64>
  }
  return
}
"""


@NEEDS_LINUX
@pytest.mark.parametrize(
    ("name", "dtype", "convert"),
    [
        ("i8", "int8", "arith.sitofp"),
        ("bf16", "bfloat16", "arith.extf"),
        ("f32", "float32", "arith.bitcast"),
    ],
)
def test_rows_after_element_2_to_the_31_are_reached(name: str, dtype: str, convert: str) -> None:
    real = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    table = untouched("int16" if dtype == "bfloat16" else dtype, ROWS, WIDTH).view(real)
    ids = np.array([0, ROWS - 1, ROWS // 2, ROWS - 100, ROWS // 4], np.int32)
    assert ROWS * WIDTH > 1 << 31
    values = np.random.default_rng(0).integers(-100, 100, (len(ids), WIDTH)).astype(real)
    table[ids] = values
    found, index = np.zeros((len(ids), WIDTH), np.float32), np.zeros(len(ids), np.int64)
    text = STEP.replace("TYPE", name).replace("CONVERT", convert)
    run(compile_module(text, cache=None), [table, ids, found, index])
    np.testing.assert_array_equal(found, values.astype(np.float32))
    assert index.tolist() == [int(row) * WIDTH + 9 for row in ids]
    values[:, 8], values[:, 9] = values[:, 7], values[:, 0]
    np.testing.assert_array_equal(table[ids], values)
    np.testing.assert_array_equal(table[ids[1:] - 1], np.zeros((len(ids) - 1, WIDTH), real))


LANES = """
func.func @lanes(%from: memref<?xi8>, %to: memref<?xi8>, %at: memref<4xi64>, %size: memref<1xi64>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %begin = arith.constant 2147483000 : index
  %far = arith.constant 3221224000 : index
  %mask = arith.constant dense<true> : vector<4xi1>
  %none = arith.constant dense<0> : vector<4xi8>
  %n = memref.dim %from, %c0 : memref<?xi8>
  scf.parallel (%k) = (%c0) to (%c1) step (%c1) {
    %lanes = vector.load %at[%c0] : memref<4xi64>, vector<4xi64>
    %v = vector.gather %from[%c0] [%lanes], %mask, %none
      : memref<?xi8>, vector<4xi64>, vector<4xi1>, vector<4xi8> into vector<4xi8>
    vector.scatter %to[%c0] [%lanes], %mask, %v
      : memref<?xi8>, vector<4xi64>, vector<4xi1>, vector<4xi8>
    %source = memref.subview %from[%begin] [1000] [1]
      : memref<?xi8> to memref<1000xi8, strided<[1], offset: ?>>
    %target = memref.subview %to[%far] [1000] [1]
      : memref<?xi8> to memref<1000xi8, strided<[1], offset: ?>>
    memref.copy %source, %target
      : memref<1000xi8, strided<[1], offset: ?>> to memref<1000xi8, strided<[1], offset: ?>>
    %told = arith.index_cast %n : index to i64
    memref.store %told, %size[%c0] : memref<1xi64>
  }
  return
}
"""


@NEEDS_LINUX
def test_gathers_and_copies_reach_after_element_2_to_the_31() -> None:
    size = 3 << 30
    source, target = untouched("int8", size), untouched("int8", size)
    at = np.array([5, (1 << 31) - 1, (1 << 31) + 7, size - 1])
    source[at] = [1, 2, 3, 4]
    told = np.zeros(1, np.int64)
    run(compile_module(LANES, cache=None), [source, target, at, told])
    assert told.tolist() == [size]
    assert target[at].tolist() == [1, 2, 3, 4]
    begin, far = 2147483000, 3221224000
    np.testing.assert_array_equal(target[far : far + 1000], source[begin : begin + 1000])
    assert target[far + (1 << 31) - 1 - begin] == 2
