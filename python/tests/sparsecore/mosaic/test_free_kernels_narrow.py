"""Free kernels, compiled: narrow rows that are parts of wide ones."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from support.mosaic.free_kernels import (
    copying,
    memref_type,
    module,
    run_compiled,
)

RNG = np.random.default_rng(5)


NARROW = {"bf16": 16, "i16": 16, "i8": 8, "i4": 4}


def joined(rows: np.ndarray, element: str) -> np.ndarray:
    """Return what rows of narrow elements are as rows of i32: part j is row k * r + j."""
    bits = NARROW[element]
    k = 32 // bits
    raw = rows.view(f"u{rows.itemsize}").astype(np.uint32) & ((1 << bits) - 1)
    parts = raw.reshape(-1, k, rows.shape[1])
    wide = np.zeros((parts.shape[0], rows.shape[1]), np.uint32)
    for j in range(k):
        wide |= parts[:, j] << np.uint32(bits * j)
    return wide.view(np.int32)


def random_rows(element: str, shape: tuple[int, int]) -> np.ndarray:
    if element == "bf16":
        return RNG.normal(size=shape).astype(ml_dtypes.bfloat16)
    bits = NARROW[element]
    dtype = ml_dtypes.int4 if element == "i4" else np.dtype(f"int{bits}")
    return RNG.integers(-(1 << (bits - 1)), 1 << (bits - 1), shape).astype(dtype)


@pytest.mark.parametrize("element", NARROW)
@pytest.mark.parametrize("columns", [16, 70])
def test_narrow_rows_are_read_and_written_as_wide_ones(element: str, columns: int):
    k = 32 // NARROW[element]
    narrow, wide = memref_type((4 * k, columns), element), memref_type((4, columns), "i32")
    row = memref_type((1, columns), "i32")
    x, y = random_rows(element, (4 * k, columns)), np.zeros((4, columns), np.int32)
    body = f"""
%none = arith.constant 0 : i32
%two = arith.constant 2 : i32
%rows = tpu.memref_bitcast %x : {narrow} -> {wide}
%in = tpu.memref_slice %rows[%two, %none] : {wide} -> {row}
%out = tpu.memref_slice %y[%none, %none] : {wide} -> {row}
{copying("%in", "%out", row, row)}
"""
    run_compiled(module(body, f"%x: {narrow}, %y: {wide}"), [x], [y])
    expected = np.zeros_like(y)
    expected[0] = joined(x, element)[2]
    np.testing.assert_array_equal(y, expected)

    z = np.zeros_like(x)
    body = f"""
%rows = tpu.memref_bitcast %z : {narrow} -> {wide}
{copying("%y", "%rows", wide, wide)}
"""
    wide_values = joined(x, element)
    run_compiled(module(body, f"%y: {wide}, %z: {narrow}"), [wide_values], [z])
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("element", NARROW)
def test_a_narrow_row_of_a_wide_one_keeps_the_others(element: str):
    k, columns = 32 // NARROW[element], 24
    narrow, wide = memref_type((2 * k, columns), element), memref_type((2, columns), "i32")
    row = memref_type((1, columns), element)
    x = random_rows(element, (2 * k, columns))
    at, to = k - 1, k + 1
    y = joined(random_rows(element, (2 * k, columns)), element)
    body = f"""
%none = arith.constant 0 : i32
%at = arith.constant {at} : i32
%to = arith.addi %core, %to_0 : i32
%a = tpu.memref_bitcast %x : {wide} -> {narrow}
%b = tpu.memref_bitcast %y : {wide} -> {narrow}
%in = tpu.memref_slice %a[%at, %none] : {narrow} -> {row}
%out = tpu.memref_slice %b[%to, %none] : {narrow} -> {row}
{copying("%in", "%out", row, row)}
""".replace("%to = ", f"%to_0 = arith.constant {to} : i32\n%to = ")
    expected = _split(y, element)
    expected[to] = x[at]
    run_compiled(module(body, f"%x: {wide}, %y: {wide}"), [joined(x, element)], [y])
    np.testing.assert_array_equal(_split(y, element), expected)


def _split(wide: np.ndarray, element: str) -> np.ndarray:
    """Return rows of i32 as rows of narrow elements."""
    bits = NARROW[element]
    k = 32 // bits
    shifts = np.arange(k, dtype=np.uint32)[None, :, None] * bits
    raw = (wide.view(np.uint32)[:, None] >> shifts) & ((1 << bits) - 1)
    raw = raw.reshape(-1, wide.shape[1])
    if element == "i4":
        return (raw.astype(np.int8) << 4 >> 4).astype(ml_dtypes.int4)
    dtype = ml_dtypes.bfloat16 if element == "bf16" else np.dtype(f"int{bits}")
    return raw.astype(f"u{bits // 8}").view(dtype)
