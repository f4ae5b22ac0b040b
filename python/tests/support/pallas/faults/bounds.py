"""Accesses out of bounds, and numbers that name nothing."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.faults.kernels import F32, Call, kernel_of, rows_of, vmem
from support.pallas.kernels import vector_mesh


def slice_(fault: bool) -> Call:
    """Each subcore copies a row; with the fault the next one, which the last has not."""

    @kernel_of((16, 16), vmem(1, 16), mesh=vector_mesh(num_cores=1))
    def rows(x: Any, out: Any, held: Any) -> None:
        row = jax.lax.axis_index("subcore")
        pltpu.sync_copy(x.at[pl.ds(row + int(fault), 1)], held)  # slice
        pltpu.sync_copy(held, out.at[pl.ds(row, 1)])

    return lambda: rows(rows_of(16) if fault else rows_of(17))


def load(fault: bool) -> Call:
    """Loads from an index that is in memory."""

    @kernel_of((16,), vmem(32))
    def load(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        at = held[pl.ds(0, 16)].astype(jnp.int32)[0]
        held[pl.ds(0, 16)] = held[pl.ds(at, 16)]  # load
        pltpu.sync_copy(held.at[pl.ds(0, 16)], out)

    return lambda: load(jnp.full((32,), 17 if fault else 16, F32))


def store(fault: bool) -> Call:
    """Stores to an index that is in memory."""

    @kernel_of((32,), vmem(32))
    def store(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        at = held[pl.ds(0, 16)].astype(jnp.int32)[0]
        held[pl.ds(at, 16)] = jnp.zeros((16,), F32)  # store
        pltpu.sync_copy(held, out)

    return lambda: store(jnp.full((32,), 17 if fault else 16, F32))


def gather(fault: bool) -> Call:
    """Gathers from the memory of a subcore by indices of which lane 3 is too large."""

    @kernel_of((16,), vmem(16), vmem(16, dtype=jnp.int32))
    def gather(x: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(ids, indices)
        held[...] = plsc.load_gather(held, [indices[...]])  # gather
        pltpu.sync_copy(held, out)

    ids = jnp.arange(16, dtype=jnp.int32).at[3].set(16 if fault else 0)
    return lambda: gather(rows_of(1)[0], ids)


def scatter(fault: bool) -> Call:
    """Scatters to the memory of a subcore by indices of which lane 5 is negative."""

    @kernel_of((16,), vmem(16), vmem(16, dtype=jnp.int32))
    def scatter(x: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(ids, indices)
        plsc.store_scatter(held, [indices[...]], held[...])  # scatter
        pltpu.sync_copy(held, out)

    ids = jnp.arange(16, dtype=jnp.int32).at[5].set(-1 if fault else 0)
    return lambda: scatter(rows_of(1)[0], ids)


def offset(fault: bool) -> Call:
    """Gathers rows of an array by ids of which the third has no row."""

    @kernel_of((16, 16), vmem(16, 16), vmem(16, dtype=jnp.int32))
    def lookup(table: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(ids, indices)
        pltpu.sync_copy(table.at[indices], held)  # offset
        pltpu.sync_copy(held, out)

    ids = jnp.arange(16, dtype=jnp.int32).at[2].set(64 if fault else 63)
    return lambda: lookup(rows_of(64), ids)


def agent(fault: bool) -> Call:
    """Adds to a number of subcore 1, or of one that is not there."""
    mesh = vector_mesh(num_cores=1, num_subcores=2)

    @kernel_of((16,), pltpu.SMEM((1,), jnp.int32), mesh=mesh)
    def count(x: Any, out: Any, counter: Any) -> None:
        counter[0] = 0
        plsc.subcore_barrier()
        plsc.fetch_and_add(counter.at[0], 1, subcore_id=2 if fault else 1)  # agent

        @pl.when(jax.lax.axis_index("subcore") == 0)
        def _() -> None:
            pltpu.sync_copy(x, out)

    return lambda: count(rows_of(1)[0])


def check(fault: bool) -> Call:
    """Checks what it has loaded."""

    @kernel_of((16,), vmem(16))
    def copy(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        pl.debug_check(held[...][1] > 0, "the second one is 0")  # check
        pltpu.sync_copy(held, out)

    return lambda: copy(jnp.zeros(16) if fault else jnp.ones(16))


def multiple(fault: bool) -> Call:
    """Says that an index is a multiple of 8."""

    @kernel_of((16,), vmem(16))
    def copy(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(held, out)
        at = pl.multiple_of(held[...].astype(jnp.int32)[1], 8)  # multiple
        pltpu.sync_copy(held.at[pl.ds(at, 8)], out.at[pl.ds(at, 8)])

    return lambda: copy(jnp.full((16,), 4.0 if fault else 8.0))


def input_(fault: bool) -> Call:
    """Writes to its input."""

    @kernel_of((16,), vmem(16))
    def write(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(held, x if fault else out)  # input
        pltpu.sync_copy(held, out)

    return lambda: write(rows_of(1)[0])
