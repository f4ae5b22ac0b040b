"""Loads and stores of a subcore's memory, against numpy."""

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.one_op import in_vmem, lanes, mask_of, numbers

pytestmark = pytest.mark.usefixtures("chip")

TYPES = [np.float32, np.int32, np.uint32, ml_dtypes.bfloat16, np.float16, np.int16, np.int8]
MASKS = ["none", "all", "some"]


def width_of(dtype: Any) -> int:
    """Return how many elements of a type a vector has."""
    return lanes() * 4 // np.dtype(dtype).itemsize


@pytest.mark.parametrize("dtype", TYPES)
def test_blocks(dtype: Any):
    """A vector from any element on, in memory of one dimension and of two."""
    n = width_of(dtype)
    flat, rows = numbers((3 * n,), dtype), numbers((4, 3 * n), dtype, 1)

    def body(flat: Any, rows: Any, out: Any) -> None:
        out[0, pl.ds(0, n)] = flat[pl.ds(n // 2, n)]
        out[1, pl.ds(n // 4, n)] = rows[3, pl.ds(n + 1, n)]

    out = np.zeros((2, 2 * n), dtype)
    found = in_vmem(body, flat, rows, out=out)
    out[0, :n] = flat[n // 2 : n // 2 + n]
    out[1, n // 4 : n // 4 + n] = rows[3, n + 1 : 2 * n + 1]
    np.testing.assert_array_equal(found, out)


def test_blocks_of_several_rows():
    n = lanes()
    rows = numbers((2, 6, 2 * n), np.float32)

    def body(rows: Any, out: Any) -> None:
        out[1, pl.ds(0, 3), :] = rows[1, pl.ds(2, 3), :] + 1

    out = np.zeros((2, 3, 2 * n), np.float32)
    found = in_vmem(body, rows, out=out, layouts=True)
    out[1] = rows[1, 2:5] + 1
    np.testing.assert_array_equal(found, out)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_adding_stores(dtype: Any):
    n = lanes()
    values, out = numbers((n,), dtype), numbers((3 * n,), dtype, 1)
    found = in_vmem(lambda x, out: plsc.addupdate(out.at[pl.ds(n - 1, n)], x[...]), values, out=out)
    out[n - 1 : 2 * n - 1] += values
    np.testing.assert_array_equal(found, out)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_expanding_loads(dtype: Any, mask: str):
    n = lanes()
    values, lane_mask = numbers((2 * n,), dtype), mask_of(mask, n)

    def body(x: Any, m: Any, out: Any) -> None:
        found = plsc.load_expanded(x.at[pl.ds(n // 2, n)], mask=m[...] == 1)
        out[...] = jnp.where(m[...] == 1, found, out[...])

    out = np.full(n, 7, dtype)
    found = in_vmem(body, values, lane_mask.astype(np.int32), out=out)
    out[lane_mask] = values[n // 2 : n // 2 + lane_mask.sum()]
    np.testing.assert_array_equal(found, out)


def test_expanding_loads_read_only_what_is_in_the_mask():
    """Lanes that are not in the mask may be out of bounds."""
    n = lanes()
    values = numbers((n,), np.int32)

    def body(x: Any, where: Any, out: Any) -> None:
        mask = jax.lax.iota(jnp.int32, n) >= n - 2
        found = plsc.load_expanded(x.at[pl.ds(where[...][0], n)], mask=mask)
        out[...] = jnp.where(mask, found, 0)

    found = in_vmem(body, values, np.full(n, n - 2, np.int32), out=np.zeros(n, np.int32))
    np.testing.assert_array_equal(found, [0] * (n - 2) + values[n - 2 :].tolist())


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_compressing_stores(dtype: Any, mask: str, add: bool):
    n = lanes()
    values, lane_mask = numbers((n,), dtype), mask_of(mask, n)

    def body(x: Any, m: Any, out: Any) -> None:
        store = plsc.addupdate_compressed if add else plsc.store_compressed
        store(out.at[pl.ds(3, n)], x[...], mask=m[...] == 1)

    out = numbers((2 * n,), dtype, 1)
    found = in_vmem(body, values, lane_mask.astype(np.int32), out=out)
    there = slice(3, 3 + lane_mask.sum())
    out[there] = values[lane_mask] + (out[there] if add else 0)
    np.testing.assert_array_equal(found, out)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_gathers(dtype: Any, mask: str):
    """Lane by lane; indices of lanes that are not in the mask are out of bounds."""
    n = lanes()
    random = np.random.default_rng(2)
    table, lane_mask = numbers((5, 2 * n), dtype), mask_of(mask, n)
    rows = np.where(lane_mask, random.integers(0, 5, n), 99).astype(np.int32)
    columns = np.where(lane_mask, random.integers(0, 2 * n, n), -1).astype(np.int32)

    def body(table: Any, rows: Any, columns: Any, m: Any, out: Any) -> None:
        inside = m[...] == 1
        found = plsc.load_gather(table, [rows[...], columns[...]], mask=inside)
        out[...] = jnp.where(inside, found, out[...])

    out = np.full(n, 7, dtype)
    found = in_vmem(body, table, rows, columns, lane_mask.astype(np.int32), out=out)
    out[lane_mask] = table[rows[lane_mask], columns[lane_mask]]
    np.testing.assert_array_equal(found, out)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_scatters(dtype: Any, mask: str, add: bool):
    """Lane by lane: of equal indices the highest lane stays, and additions are all made."""
    n = lanes()
    values, lane_mask = numbers((n,), dtype), mask_of(mask, n)
    indices = np.random.default_rng(3).integers(0, n // 2, n)
    indices = np.where(lane_mask, indices, 1000).astype(np.int32)

    def body(x: Any, i: Any, m: Any, out: Any) -> None:
        store = plsc.addupdate_scatter if add else plsc.store_scatter
        store(out, [i[...]], x[...], mask=m[...] == 1)

    out = numbers((n,), dtype, 1)
    found = in_vmem(body, values, indices, lane_mask.astype(np.int32), out=out)
    for lane in np.flatnonzero(lane_mask):
        out[indices[lane]] = values[lane] + (out[indices[lane]] if add else 0)
    np.testing.assert_array_equal(found, out)


def test_gathers_and_scatters_without_a_mask():
    n = lanes()
    values, indices = numbers((n,), np.int32), np.arange(n, dtype=np.int32)[::-1].copy()

    def body(x: Any, i: Any, out: Any) -> None:
        plsc.store_scatter(out, [i[...]], plsc.load_gather(x, [i[...]]) * 2)

    found = in_vmem(body, values, indices, out=np.zeros(n, np.int32))
    np.testing.assert_array_equal(found, values * 2)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_scalars_in_smem(dtype: Any):
    n = lanes()
    values = numbers((n,), dtype)

    def body(x: Any, out: Any, held: Any) -> None:
        held[1, 2] = x[...][3]
        held[0, 0] = held[1, 2] + held[1, 2]
        out[...] = jnp.full((n,), held[0, 0], dtype)

    found = in_vmem(body, values, out=values, scratch=[pltpu.SMEM((2, 3), dtype)])
    np.testing.assert_array_equal(found, np.full(n, values[3] * 2))
