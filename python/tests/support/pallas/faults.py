"""Kernels with a fault each, and the same without it.

A line that an error is to name ends in a comment with its label: `line_of("label")` is its text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.kernels import one_subcore, vector_mesh

Call = Callable[[], jax.Array]

F32 = jnp.float32


def line_of(label: str) -> str:
    """Return the file's name and the line that ends in a label: "faults.py:42"."""
    here = Path(__file__)
    lines = here.read_text().splitlines()
    (number,) = (k for k, line in enumerate(lines, 1) if line.endswith(f"# {label}"))
    return f"{here.name}:{number}"


def _rows(count: int, size: int = 16) -> jax.Array:
    return jnp.arange(count * size, dtype=F32).reshape(count, size)


def _kernel(shape: tuple[int, ...], *scratch: Any, mesh: Any = None, dtype: Any = F32) -> Any:
    return pl.kernel(
        out_type=jax.ShapeDtypeStruct(shape, dtype),
        mesh=mesh or one_subcore(),
        scratch_types=list(scratch),
    )


def vmem(*shape: int, dtype: Any = F32) -> Any:
    """Memory of a subcore."""
    return pltpu.VMEM(shape, dtype)


def slice_(fault: bool) -> Call:
    """Each subcore copies a row; with the fault the next one, which the last has not."""

    @_kernel((16, 16), vmem(1, 16), mesh=vector_mesh(num_cores=1))
    def rows(x: Any, out: Any, held: Any) -> None:
        row = jax.lax.axis_index("subcore")
        pltpu.sync_copy(x.at[pl.ds(row + int(fault), 1)], held)  # slice
        pltpu.sync_copy(held, out.at[pl.ds(row, 1)])

    return lambda: rows(_rows(16) if fault else _rows(17))


def load(fault: bool) -> Call:
    """Loads from an index that is in memory."""

    @_kernel((16,), vmem(32))
    def load(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        at = held[pl.ds(0, 16)].astype(jnp.int32)[0]
        held[pl.ds(0, 16)] = held[pl.ds(at, 16)]  # load
        pltpu.sync_copy(held.at[pl.ds(0, 16)], out)

    return lambda: load(jnp.full((32,), 17 if fault else 16, F32))


def store(fault: bool) -> Call:
    """Stores to an index that is in memory."""

    @_kernel((32,), vmem(32))
    def store(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        at = held[pl.ds(0, 16)].astype(jnp.int32)[0]
        held[pl.ds(at, 16)] = jnp.zeros((16,), F32)  # store
        pltpu.sync_copy(held, out)

    return lambda: store(jnp.full((32,), 17 if fault else 16, F32))


def gather(fault: bool) -> Call:
    """Gathers from the memory of a subcore by indices of which lane 3 is too large."""

    @_kernel((16,), vmem(16), vmem(16, dtype=jnp.int32))
    def gather(x: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(ids, indices)
        held[...] = plsc.load_gather(held, [indices[...]])  # gather
        pltpu.sync_copy(held, out)

    ids = jnp.arange(16, dtype=jnp.int32).at[3].set(16 if fault else 0)
    return lambda: gather(_rows(1)[0], ids)


def scatter(fault: bool) -> Call:
    """Scatters to the memory of a subcore by indices of which lane 5 is negative."""

    @_kernel((16,), vmem(16), vmem(16, dtype=jnp.int32))
    def scatter(x: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(ids, indices)
        plsc.store_scatter(held, [indices[...]], held[...])  # scatter
        pltpu.sync_copy(held, out)

    ids = jnp.arange(16, dtype=jnp.int32).at[5].set(-1 if fault else 0)
    return lambda: scatter(_rows(1)[0], ids)


def offset(fault: bool) -> Call:
    """Gathers rows of an array by ids of which the third has no row."""

    @_kernel((16, 16), vmem(16, 16), vmem(16, dtype=jnp.int32))
    def lookup(table: Any, ids: Any, out: Any, held: Any, indices: Any) -> None:
        pltpu.sync_copy(ids, indices)
        pltpu.sync_copy(table.at[indices], held)  # offset
        pltpu.sync_copy(held, out)

    ids = jnp.arange(16, dtype=jnp.int32).at[2].set(64 if fault else 63)
    return lambda: lookup(_rows(64), ids)


def barrier(fault: bool) -> Call:
    """All subcores meet, but with the fault subcore 3 waits for a signal that none gives."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @_kernel((16,), pltpu.SemaphoreType.REGULAR, mesh=mesh)
    def meet(x: Any, out: Any, semaphore: Any) -> None:
        @pl.when(jax.lax.axis_index("subcore") == 3)
        def _() -> None:
            if not fault:
                pl.semaphore_signal(semaphore, 2)
            pl.semaphore_wait(semaphore, 2)  # wait

        plsc.subcore_barrier()  # barrier

        @pl.when(jax.lax.axis_index("subcore") == 0)
        def _() -> None:
            pltpu.sync_copy(x, out)

    return lambda: meet(_rows(1)[0])


def bytes_(fault: bool) -> Call:
    """Waits for a copy; with the fault for more bytes than it has."""

    @_kernel((16,), vmem(16), pltpu.SemaphoreType.DMA)
    def copy(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        size = 8 if fault else 16
        pltpu.make_async_copy(x.at[pl.ds(0, size)], held.at[pl.ds(0, size)], semaphore).start()
        pltpu.make_async_copy(x, held, semaphore).wait()  # wait for bytes
        pltpu.sync_copy(held, out)

    return lambda: copy(_rows(1)[0])


def never_waited(fault: bool) -> Call:
    """Starts a copy, and does not wait for it."""

    @_kernel((16,), pltpu.SemaphoreType.DMA)
    def copy(x: Any, out: Any, semaphore: Any) -> None:
        copied = pltpu.make_async_copy(x, out, semaphore)
        copied.start()  # start
        if not fault:
            copied.wait()

    return lambda: copy(_rows(1)[0])


def never_waited_in_region(fault: bool) -> Call:
    """The same with a semaphore of a region."""

    @_kernel((16,))
    def copy(x: Any, out: Any) -> None:
        def scope(semaphore: Any) -> None:
            copied = pltpu.make_async_copy(x, out, semaphore)
            copied.start()  # start in region
            if not fault:
                copied.wait()

        pl.run_scoped(scope, pltpu.SemaphoreType.DMA)  # region

    return lambda: copy(_rows(1)[0])


def agent(fault: bool) -> Call:
    """Adds to a number of subcore 1, or of one that is not there."""
    mesh = vector_mesh(num_cores=1, num_subcores=2)

    @_kernel((16,), pltpu.SMEM((1,), jnp.int32), mesh=mesh)
    def count(x: Any, out: Any, counter: Any) -> None:
        counter[0] = 0
        plsc.subcore_barrier()
        plsc.fetch_and_add(counter.at[0], 1, subcore_id=2 if fault else 1)  # agent

        @pl.when(jax.lax.axis_index("subcore") == 0)
        def _() -> None:
            pltpu.sync_copy(x, out)

    return lambda: count(_rows(1)[0])


def word(fault: bool) -> Call:
    """Subcores add to a word of the first one, which with the fault clears it without a barrier."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @_kernel((16,), pltpu.SMEM((1,), jnp.int32), mesh=mesh)
    def count(x: Any, out: Any, counter: Any) -> None:
        counter[0] = 0  # store to word
        if not fault:
            plsc.subcore_barrier()
        plsc.fetch_and_add(counter.at[0], 1, subcore_id=0)  # add to word

        @pl.when(jax.lax.axis_index("subcore") == 0)
        def _() -> None:
            pltpu.sync_copy(x, out)

    return lambda: count(_rows(1)[0])


def check(fault: bool) -> Call:
    """Checks what it has loaded."""

    @_kernel((16,), vmem(16))
    def copy(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        pl.debug_check(held[...][1] > 0, "the second one is 0")  # check
        pltpu.sync_copy(held, out)

    return lambda: copy(jnp.zeros(16) if fault else jnp.ones(16))


def multiple(fault: bool) -> Call:
    """Says that an index is a multiple of 8."""

    @_kernel((16,), vmem(16))
    def copy(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        at = pl.multiple_of(held[...].astype(jnp.int32)[1], 8)  # multiple
        pltpu.sync_copy(held.at[pl.ds(at, 8)], out.at[pl.ds(at, 8)])

    return lambda: copy(jnp.full((16,), 4.0 if fault else 8.0))


def race(fault: bool) -> Call:
    """Each subcore writes a row, and reads the one of its neighbour."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @_kernel((8, 16), vmem(1, 16), mesh=mesh)
    def shift(x: Any, out: Any, held: Any) -> None:
        row = jax.lax.axis_index("subcore")
        pltpu.sync_copy(x.at[pl.ds(row, 1)], held)
        pltpu.sync_copy(held, out.at[pl.ds(row, 1)])  # write
        if not fault:
            plsc.subcore_barrier()
        pltpu.sync_copy(out.at[pl.ds((row + 1) % 4, 1)], held)  # read
        pltpu.sync_copy(held, out.at[pl.ds(row + 4, 1)])

    return lambda: shift(_rows(4))


def race_in_hbm(fault: bool) -> Call:
    """The same through scratch in HBM."""

    @_kernel(
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

    return lambda: exchange(_rows(4))


def read_early(fault: bool) -> Call:
    """Reads what a copy writes; with the fault before it has waited for it."""

    @_kernel((16,), vmem(16), pltpu.SemaphoreType.DMA)
    def double(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        copied = pltpu.make_async_copy(x, held, semaphore)
        copied.start()  # copy in
        if not fault:
            copied.wait()
        held[...] = held[...] * 2  # use
        if fault:
            copied.wait()
        pltpu.sync_copy(held, out)

    return lambda: double(_rows(1)[0])


def read_early_in_region(fault: bool) -> Call:
    """Two regions, whose memory shares bytes; with the fault the second reads before it has waited."""

    @_kernel((16,), pltpu.SemaphoreType.DMA)
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

    return lambda: scopes(_rows(1)[0])


def write_early(fault: bool) -> Call:
    """Writes what a copy reads; with the fault before it has waited for it."""

    @_kernel((16,), vmem(16), pltpu.SemaphoreType.DMA)
    def clear(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        pltpu.sync_copy(x, held)
        copied = pltpu.make_async_copy(held, out, semaphore)
        copied.start()  # copy out
        if not fault:
            copied.wait()
        held[...] = jnp.zeros((16,), F32)  # clear
        if fault:
            copied.wait()

    return lambda: clear(_rows(1)[0])


def two_copies(fault: bool) -> Call:
    """Copies two rows to the memory of a subcore at once; with the fault to the same place."""

    @_kernel((2, 16), vmem(2, 16), pltpu.SemaphoreType.DMA)
    def both(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        second = held.at[pl.ds(0 if fault else 1, 1)]
        one = pltpu.make_async_copy(x.at[pl.ds(0, 1)], held.at[pl.ds(0, 1)], semaphore)
        two = pltpu.make_async_copy(x.at[pl.ds(1, 1)], second, semaphore)
        one.start()  # first copy
        two.start()  # second copy
        one.wait()
        two.wait()
        pltpu.sync_copy(held, out)

    return lambda: both(_rows(2))


def iterations(fault: bool) -> Call:
    """Doubles 4 registers; with the fault each is the sum of itself and the one before."""

    @_kernel((64,), vmem(64))
    def loop(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)

        @plsc.parallel_loop(16, 64, step=16)  # loop
        def _(at: Any) -> None:
            before = held[pl.ds(at - 16 if fault else at, 16)]  # before
            held[pl.ds(at, 16)] = held[pl.ds(at, 16)] + before  # sum

        pltpu.sync_copy(held, out)

    return lambda: loop(_rows(4).reshape(-1))


def additions(fault: bool) -> Call:
    """Adds 4 registers to one, which may be in any order; with the fault by loads and stores."""

    @_kernel((16,), vmem(64), vmem(16))
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

    return lambda: loop(_rows(4).reshape(-1))


def input_(fault: bool) -> Call:
    """Writes to its input."""

    @_kernel((16,), vmem(16))
    def write(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        pltpu.sync_copy(held, x if fault else out)  # input
        pltpu.sync_copy(held, out)

    return lambda: write(_rows(1)[0])
