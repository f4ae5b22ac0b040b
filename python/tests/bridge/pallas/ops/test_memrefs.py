"""References to parts of memory: slices, reshapes, bitcasts, against numpy."""

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from support.pallas.kernels import one_subcore
from support.pallas.one_op import Array, in_vmem, lanes, numbers

pytestmark = pytest.mark.usefixtures("chip")


def test_slices_of_slices_at_indices_in_memory():
    n = lanes()
    table, at = numbers((3, 5, 2 * n), np.float32), np.full(n, 2, np.int32)

    def body(table: Any, at: Any, out: Any) -> None:
        i = at[...][0]
        part = table.at[i, pl.ds(i, 3)].at[i - 1, pl.ds(i, n)]
        out[...] = part[...]

    found = in_vmem(body, table, at, out=np.zeros(n, np.float32))
    np.testing.assert_array_equal(found, table[2, 3, 2 : 2 + n])


def test_dynamic_sizes():
    """A DMA of as many rows as a number in memory says."""
    n = lanes()
    table, count = numbers((8, n), np.int32), np.full(n, 5, np.int32)

    def body(table: Any, count: Any, out: Any) -> None:
        rows = count[...][0]
        pltpu.sync_copy(table.at[pl.ds(1, rows)], out.at[pl.ds(2, rows)])

    out = np.zeros((8, n), np.int32)
    found = in_vmem(body, table, count, out=out)
    out[2:7] = table[1:6]
    np.testing.assert_array_equal(found, out)


def test_reshapes():
    n = lanes()
    table = numbers((4, 2, n), np.int32)

    def body(table: Any, out: Any) -> None:
        rows = table.reshape(8, n)
        out[0] = rows[5]
        out[1] = rows.reshape(2, 4, n)[1, 3]

    found = in_vmem(body, table, out=np.zeros((2, n), np.int32))
    np.testing.assert_array_equal(found, table.reshape(8, n)[[5, 7]])


def test_bitcast_to_the_same_width():
    n = lanes()
    values = numbers((2, n), np.float32)

    def body(x: Any, out: Any) -> None:
        out[...] = x.bitcast(jnp.int32)[1]

    found = in_vmem(body, values, out=np.zeros(n, np.int32))
    np.testing.assert_array_equal(found, values[1].view(np.int32))


def words_of(rows: Array, bits: int) -> Array:
    """Return 32-bit words of `32 / bits` rows each, the first one in the lowest bits."""
    raw = rows.view(f"u{rows.itemsize}").astype(np.int64) & ((1 << bits) - 1)
    parts = raw.reshape(-1, 32 // bits, rows.shape[-1])
    shifts = bits * np.arange(32 // bits)[:, None]
    words = np.bitwise_or.reduce(parts << shifts, axis=1)
    return words.astype(np.uint32).view(np.int32)


NARROW = [(ml_dtypes.bfloat16, 16), (np.int16, 16), (np.int8, 8)]


@pytest.mark.parametrize(("dtype", "bits"), NARROW)
def test_rows_of_narrow_elements_as_words(dtype: Any, bits: int):
    n, k = lanes(), 32 // bits
    rows = numbers((4 * k, n), dtype)

    def body(x: Any, out: Any) -> None:
        words = x.bitcast(jnp.int32)
        for row in range(4):
            out[row] = words[row]
        out[4] = words.at[pl.ds(1, 2)][1]

    found = in_vmem(body, rows, out=np.zeros((5, n), np.int32))
    words = words_of(rows, bits)
    np.testing.assert_array_equal(found, words[[0, 1, 2, 3, 2]])


@pytest.mark.parametrize(("dtype", "bits"), NARROW)
def test_words_stored_to_rows_of_narrow_elements(dtype: Any, bits: int):
    n, k = lanes(), 32 // bits
    rows = numbers((2 * k, n), dtype)

    def body(x: Any, out: Any) -> None:
        out.bitcast(jnp.int32)[0] = x[...]

    values = words_of(rows[:k], bits).reshape(n)
    found = in_vmem(body, values, out=np.zeros((2 * k, n), dtype))
    np.testing.assert_array_equal(found[:k], rows[:k])
    np.testing.assert_array_equal(found[k:], np.zeros((k, n), dtype))


@pytest.mark.parametrize(("dtype", "bits"), NARROW)
def test_transfers_of_words(dtype: Any, bits: int):
    """A DMA between rows of narrow elements in HBM and words in VMEM, and back."""
    n, k = lanes(), 32 // bits
    rows = numbers((4 * k, n), dtype)

    @pl.kernel(
        out_type=(
            jax.ShapeDtypeStruct((2, n), jnp.int32),
            jax.ShapeDtypeStruct((2 * k, n), dtype),
        ),
        mesh=one_subcore(),
        scratch_types=[pltpu.VMEM((2, n), jnp.int32)],
    )
    def kernel(x: Any, words: Any, narrow: Any, held: Any) -> None:
        pltpu.sync_copy(x.bitcast(jnp.int32).at[pl.ds(1, 2)], held)
        pltpu.sync_copy(held, words)
        pltpu.sync_copy(held, narrow.bitcast(jnp.int32))

    words, narrow = jax.jit(kernel)(rows)
    np.testing.assert_array_equal(words, words_of(rows, bits)[1:3])
    np.testing.assert_array_equal(np.asarray(narrow), rows[k : 3 * k])


def test_rows_of_int4_as_words():
    n = lanes()
    rows = numbers((16, n), ml_dtypes.int4)

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((2, n), jnp.int32),
        mesh=one_subcore(),
        scratch_types=[pltpu.VMEM((16, n), jnp.int4), pltpu.VMEM((2, n), jnp.int32)],
    )
    def kernel(x: Any, out: Any, narrow: Any, words: Any) -> None:
        pltpu.sync_copy(x, narrow)
        for row in range(2):
            words[row] = narrow.bitcast(jnp.int32)[row]
        pltpu.sync_copy(words, out)

    found = jax.jit(kernel)(jnp.asarray(rows))
    np.testing.assert_array_equal(found, words_of(rows, 4))
