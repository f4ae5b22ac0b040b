"""Data races: between subcores, with DMAs, and between iterations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.faults.kernels import F32, Call, kernel_of, rows_of, vmem
from support.pallas.kernels import vector_mesh


def race(fault: bool) -> Call:
    """Each subcore writes a row, and reads the one of its neighbour."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @kernel_of((8, 16), vmem(1, 16), mesh=mesh)
    def shift(x: Any, out: Any, held: Any) -> None:
        row = jax.lax.axis_index("subcore")
        pltpu.sync_copy(x.at[pl.ds(row, 1)], held)
        pltpu.sync_copy(held, out.at[pl.ds(row, 1)])  # write
        if not fault:
            plsc.subcore_barrier()
        pltpu.sync_copy(out.at[pl.ds((row + 1) % 4, 1)], held)  # read
        pltpu.sync_copy(held, out.at[pl.ds(row + 4, 1)])

    return lambda: shift(rows_of(4))


def race_in_hbm(fault: bool) -> Call:
    """The same through scratch in HBM."""

    @kernel_of(
        (4, 16), vmem(1, 16), pltpu.HBM((4, 16), F32), mesh=vector_mesh(num_cores=1, num_subcores=4)
    )
    def exchange(x: Any, out: Any, held: Any, passed: Any) -> None:
        row = jax.lax.axis_index("subcore")
        pltpu.sync_copy(x.at[pl.ds(row, 1)], held)
        pltpu.sync_copy(held, passed.at[pl.ds(row, 1)])  # write scratch
        if not fault:
            plsc.subcore_barrier()
        pltpu.sync_copy(passed.at[pl.ds((row + 1) % 4, 1)], held)  # read scratch
        pltpu.sync_copy(held, out.at[pl.ds(row, 1)])

    return lambda: exchange(rows_of(4))


def word(fault: bool) -> Call:
    """Subcores add to a word of the first one, which with the fault clears it without a barrier."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @kernel_of((16,), pltpu.SMEM((1,), jnp.int32), mesh=mesh)
    def count(x: Any, out: Any, counter: Any) -> None:
        counter[0] = 0  # store to word
        if not fault:
            plsc.subcore_barrier()
        plsc.fetch_and_add(counter.at[0], 1, subcore_id=0)  # add to word

        @pl.when(jax.lax.axis_index("subcore") == 0)
        def _() -> None:
            pltpu.sync_copy(x, out)

    return lambda: count(rows_of(1)[0])


def read_early(fault: bool) -> Call:
    """Reads what a copy writes; with the fault before it has waited for it."""

    @kernel_of((16,), vmem(16), pltpu.SemaphoreType.DMA)
    def double(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        copied = pltpu.make_async_copy(x, held, semaphore)
        copied.start()  # copy in
        if not fault:
            copied.wait()
        held[...] = held[...] * 2  # use
        if fault:
            copied.wait()
        pltpu.sync_copy(held, out)

    return lambda: double(rows_of(1)[0])


def read_early_in_region(fault: bool) -> Call:
    """Two regions, whose memory shares bytes; with the fault the second reads before it has waited."""

    @kernel_of((16,), pltpu.SemaphoreType.DMA)
    def scopes(x: Any, out: Any, semaphore: Any) -> None:
        def first(held: Any) -> None:
            pltpu.sync_copy(x, held)
            pltpu.sync_copy(held, out)

        def second(held: Any) -> None:
            copied = pltpu.make_async_copy(x, held, semaphore)
            copied.start()  # copy in second
            if not fault:
                copied.wait()
            held[...] = held[...] * 2  # use in second
            if fault:
                copied.wait()
            pltpu.sync_copy(held, out)

        pl.run_scoped(first, vmem(16))
        pl.run_scoped(second, vmem(16))  # second region

    return lambda: scopes(rows_of(1)[0])


def write_early(fault: bool) -> Call:
    """Writes what a copy reads; with the fault before it has waited for it."""

    @kernel_of((16,), vmem(16), pltpu.SemaphoreType.DMA)
    def clear(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        pltpu.sync_copy(x, held)
        copied = pltpu.make_async_copy(held, out, semaphore)
        copied.start()  # copy out
        if not fault:
            copied.wait()
        held[...] = jnp.zeros((16,), F32)  # clear
        if fault:
            copied.wait()

    return lambda: clear(rows_of(1)[0])


def two_copies(fault: bool) -> Call:
    """Copies two rows to the memory of a subcore at once; with the fault to the same place."""

    @kernel_of((2, 16), vmem(2, 16), pltpu.SemaphoreType.DMA)
    def both(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        second = held.at[pl.ds(0 if fault else 1, 1)]
        one = pltpu.make_async_copy(x.at[pl.ds(0, 1)], held.at[pl.ds(0, 1)], semaphore)
        two = pltpu.make_async_copy(x.at[pl.ds(1, 1)], second, semaphore)
        one.start()  # first copy
        two.start()  # second copy
        one.wait()
        two.wait()
        pltpu.sync_copy(held, out)

    return lambda: both(rows_of(2))


def iterations(fault: bool) -> Call:
    """Doubles 4 registers; with the fault each is the sum of itself and the one before."""

    @kernel_of((64,), vmem(64))
    def loop(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)

        @plsc.parallel_loop(16, 64, step=16)  # loop
        def _(at: Any) -> None:
            before = held[pl.ds(at - 16 if fault else at, 16)]  # before
            held[pl.ds(at, 16)] = held[pl.ds(at, 16)] + before  # sum

        pltpu.sync_copy(held, out)

    return lambda: loop(rows_of(4).reshape(-1))


def additions(fault: bool) -> Call:
    """Adds 4 registers to one, which may be in any order; with the fault by loads and stores."""

    @kernel_of((16,), vmem(64), vmem(16))
    def loop(x: Any, out: Any, held: Any, total: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(x.at[pl.ds(0, 16)], total)

        @plsc.parallel_loop(0, 64, step=16)  # loop of sums
        def _(at: Any) -> None:
            if fault:
                total[...] = total[...] + held[pl.ds(at, 16)]  # add
            else:
                plsc.addupdate(total.at[pl.ds(0, 16)], held[pl.ds(at, 16)])

        pltpu.sync_copy(total, out)

    return lambda: loop(rows_of(4).reshape(-1))
