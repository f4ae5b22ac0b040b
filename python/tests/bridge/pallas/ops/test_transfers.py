"""DMAs with and without indices, against numpy."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.kernels import one_subcore
from support.pallas.one_op import Array, lanes, numbers

pytestmark = pytest.mark.usefixtures("chip")

TYPES = [np.float32, np.int32, ml_dtypes.bfloat16, np.int16, np.uint8, ml_dtypes.int4]


def call(
    body: Callable[..., None], *arrays: Array, out: tuple[int, ...], dtype: Any, scratch: Any
) -> Array:
    """Return the result of a kernel of one subcore."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(out, dtype),
        mesh=one_subcore(),
        scratch_types=scratch,
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
    )
    def kernel(*references: Any) -> None:
        body(*references)

    return np.asarray(jax.jit(kernel)(*map(jnp.asarray, arrays)))


@pytest.mark.parametrize("dtype", TYPES)
def test_between_memories(dtype: Any):
    """HBM to VMEM, VMEM to HBM, HBM to HBM, and through the memory that a core shares."""
    x = numbers((6, 32), dtype)

    def body(x: Any, out: Any, held: Any, shared: Any) -> None:
        pltpu.sync_copy(x.at[pl.ds(2, 2)], held)
        pltpu.sync_copy(held, out.at[pl.ds(0, 2)])
        pltpu.sync_copy(x.at[pl.ds(0, 2)], out.at[pl.ds(2, 2)])
        pltpu.sync_copy(x.at[pl.ds(4, 2)], shared)
        pltpu.sync_copy(shared, out.at[pl.ds(4, 2)])

    scratch = [pltpu.VMEM((2, 32), dtype), pltpu.VMEM_SHARED((2, 32), dtype)]
    found = call(body, x, out=(6, 32), dtype=dtype, scratch=scratch)
    np.testing.assert_array_equal(found, x[[2, 3, 0, 1, 4, 5]])


@pytest.mark.parametrize("dtype", TYPES[:3])
def test_columns_and_planes(dtype: Any):
    x = numbers((4, 6, 40), dtype)

    def body(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x.at[pl.ds(1, 2), pl.ds(2, 3), pl.ds(8, 16)], held)
        pltpu.sync_copy(held, out.at[:, pl.ds(0, 3), pl.ds(3, 16)])
        pltpu.sync_copy(x.at[3, :, pl.ds(0, 3)], out.at[0, :, pl.ds(0, 3)])
        pltpu.sync_copy(x.at[2, 5, pl.ds(0, 19)], out.at[1, 4, pl.ds(0, 19)])
        pltpu.sync_copy(x.at[0, pl.ds(0, 1), pl.ds(0, 19)], out.at[1, pl.ds(5, 1)])
        pltpu.sync_copy(x.at[1, 3:5, :19], out.at[0, 4:6, :19])
        pltpu.sync_copy(x.at[0, 3:4, :19], out.at[0, 3:4, :19])
        pltpu.sync_copy(x.at[0, 3:4, :19], out.at[1, 3:4, :19])
        pltpu.sync_copy(x.at[0, 0:3, :3], out.at[1, 0:3, :3])

    found = call(body, x, out=(2, 6, 19), dtype=dtype, scratch=[pltpu.VMEM((2, 3, 16), dtype)])
    out = np.zeros((2, 6, 19), dtype)
    out[:, :3, 3:] = x[1:3, 2:5, 8:24]
    out[0, :, :3] = x[3, :, :3]
    out[1, 4], out[1, 5] = x[2, 5, :19], x[0, 0, :19]
    out[0, 4:6] = x[1, 3:5, :19]
    out[:, 3] = x[0, 3, :19]
    out[1, :3, :3] = x[0, :3, :3]
    np.testing.assert_array_equal(found, out)


def test_waits_take_transfers_in_order():
    """Three copies on one semaphore: a wait for two rows is one for the first two copies."""
    x = numbers((4, 16), np.int32)

    def body(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        for row in range(2):
            pltpu.make_async_copy(x.at[pl.ds(row, 1)], held.at[pl.ds(row, 1)], semaphore).start()
        pltpu.make_async_copy(x.at[pl.ds(2, 2)], held.at[pl.ds(2, 2)], semaphore).start()
        both = pltpu.make_async_copy(x.at[pl.ds(0, 2)], held.at[pl.ds(0, 2)], semaphore)
        both.wait()
        pltpu.sync_copy(held.at[pl.ds(0, 2)], out.at[pl.ds(2, 2)])
        both.wait()
        pltpu.sync_copy(held.at[pl.ds(2, 2)], out.at[pl.ds(0, 2)])

    scratch = [pltpu.VMEM((4, 16), jnp.int32), pltpu.SemaphoreType.DMA]
    found = call(body, x, out=(4, 16), dtype=np.int32, scratch=scratch)
    np.testing.assert_array_equal(found, x[[2, 3, 0, 1]])


def ids_of(count: int, limit: int) -> Array:
    """Return ids, some of them twice."""
    return np.random.default_rng(4).integers(0, limit, count).astype(np.int32)


@pytest.mark.parametrize("offsets", ["memory", "vector"])
@pytest.mark.parametrize("dtype", TYPES[:3])
def test_gathers(dtype: Any, offsets: str):
    n = lanes()
    table, ids = numbers((20, 32), dtype), ids_of(n, 20)

    def body(table: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(ids, indices)
        which = indices if offsets == "memory" else indices[...]
        pltpu.sync_copy(table.at[which], held)
        pltpu.sync_copy(held, out)

    scratch = [pltpu.VMEM((n, 32), dtype), pltpu.VMEM((n,), jnp.int32)]
    found = call(body, table, ids, out=(n, 32), dtype=dtype, scratch=scratch)
    np.testing.assert_array_equal(found, table[ids])


def test_gathers_of_parts_of_rows():
    n = lanes()
    table, ids = numbers((20, 64), np.float32), ids_of(n, 20)

    def body(table: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(ids, indices)
        pltpu.sync_copy(table.at[indices, pl.ds(16, 32)], held)
        pltpu.sync_copy(held, out)

    scratch = [pltpu.VMEM((n, 32), jnp.float32), pltpu.VMEM((n,), jnp.int32)]
    found = call(body, table, ids, out=(n, 32), dtype=np.float32, scratch=scratch)
    np.testing.assert_array_equal(found, table[ids, 16:48])


def test_gathers_of_words():
    """Two rows of bf16 are one row of words."""
    n = lanes()
    table, ids = numbers((40, 32), ml_dtypes.bfloat16), ids_of(n, 20)

    def body(table: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(ids, indices)
        pltpu.sync_copy(table.bitcast(jnp.int32).at[indices], held)
        pltpu.sync_copy(held, out)

    scratch = [pltpu.VMEM((n, 32), jnp.int32), pltpu.VMEM((n,), jnp.int32)]
    found = call(body, table, ids, out=(n, 32), dtype=np.int32, scratch=scratch)
    pairs = table.view(np.uint16).astype(np.uint32).reshape(20, 2, 32)
    np.testing.assert_array_equal(found.view(np.uint32), (pairs[:, 0] | pairs[:, 1] << 16)[ids])


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_scatters(dtype: Any, add: bool):
    """Of equal offsets the last row stays; additions are all made."""
    n = lanes()
    x, ids, base = numbers((n, 32), dtype), ids_of(n, 8), numbers((8, 32), dtype, 1)

    def body(*references: Any) -> None:
        x, ids, base, out, held, indices = references
        pltpu.sync_copy(base, out)
        pltpu.sync_copy(ids, indices)
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(held, out.at[indices], add=add)

    scratch = [pltpu.VMEM((n, 32), dtype), pltpu.VMEM((n,), jnp.int32)]
    found = call(body, x, ids, base, out=(8, 32), dtype=dtype, scratch=scratch)
    for row, id_ in zip(x, ids, strict=True):
        base[id_] = row + (base[id_] if add else 0)
    np.testing.assert_array_equal(found, base)


def test_gathers_that_add():
    n = lanes()
    table, ids, base = numbers((9, 32), np.float32), ids_of(n, 9), numbers((n, 32), np.float32)

    def body(*references: Any) -> None:
        table, ids, base, out, held, indices = references
        pltpu.sync_copy(ids, indices)
        pltpu.sync_copy(base, held)
        pltpu.sync_copy(table.at[indices], held, add=True)
        pltpu.sync_copy(held, out)

    scratch = [pltpu.VMEM((n, 32), jnp.float32), pltpu.VMEM((n,), jnp.int32)]
    found = call(body, table, ids, base, out=(n, 32), dtype=np.float32, scratch=scratch)
    np.testing.assert_array_equal(found, base + table[ids])


@pytest.mark.parametrize("direction", ["gather", "scatter"])
def test_offsets_that_are_left_out(direction: str):
    n = lanes()
    x, ids = numbers((n, 32), np.int32), np.arange(n, dtype=np.int32)[::-1].copy()
    ids[::3] = -7
    base = numbers((n, 32), np.int32, 1)

    def body(*references: Any) -> None:
        x, ids, base, out, held, indices = references
        pltpu.sync_copy(ids, indices)
        which = plsc.Indices(indices, ignored_value=-7)
        if direction == "gather":
            pltpu.sync_copy(base, held)
            pltpu.sync_copy(x.at[which], held)
            pltpu.sync_copy(held, out)
        else:
            pltpu.sync_copy(base, out)
            pltpu.sync_copy(x, held)
            pltpu.sync_copy(held, out.at[which])

    scratch = [pltpu.VMEM((n, 32), jnp.int32), pltpu.VMEM((n,), jnp.int32)]
    found = call(body, x, ids, base, out=(n, 32), dtype=np.int32, scratch=scratch)
    kept = ids >= 0
    if direction == "gather":
        base[kept] = x[ids[kept]]
    else:
        base[ids[kept]] = x[kept]
    np.testing.assert_array_equal(found, base)


def test_through_shared_memory_with_indices():
    n = lanes()
    table, ids = numbers((12, 32), np.float32), ids_of(n, 12)

    def body(*references: Any) -> None:
        table, ids, out, shared, held, indices = references
        pltpu.sync_copy(ids, indices)
        pltpu.sync_copy(table, shared)
        pltpu.sync_copy(shared.at[indices], held)
        pltpu.sync_copy(held, out)

    scratch = [
        pltpu.VMEM_SHARED((12, 32), jnp.float32),
        pltpu.VMEM((n, 32), jnp.float32),
        pltpu.VMEM((n,), jnp.int32),
    ]
    found = call(body, table, ids, out=(n, 32), dtype=np.float32, scratch=scratch)
    np.testing.assert_array_equal(found, table[ids])
