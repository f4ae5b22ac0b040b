"""Kernels whose subcores wait for each other, and what they compute.

Each is right in any order of subcores: nothing about it is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.kernels import vector_mesh

Array = npt.NDArray[Any]
I32 = jnp.int32


class Case(NamedTuple):
    """A kernel, its arguments and its results."""

    kernel: Callable[..., Any]
    arguments: tuple[Array, ...]
    expected: Array | tuple[Array, ...]


def _rows(count: int, size: int = 16) -> Array:
    return np.random.default_rng(5).integers(-100, 100, (count, size)).astype(np.int32)


def _kernel(shape: tuple[int, ...], mesh: Any, *scratch: Any) -> Any:
    return pl.kernel(
        out_type=jax.ShapeDtypeStruct(shape, I32),
        mesh=mesh,
        scratch_types=list(scratch),
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
    )


def shift() -> Case:
    """Subcores put their rows into shared memory, meet, and take their neighbours'."""
    mesh = vector_mesh(num_cores=2, num_subcores=4)

    @_kernel((2, 4, 16), mesh, pltpu.VMEM((16,), I32), pltpu.VMEM_SHARED((4, 16), I32))
    def shift(x: Any, out: Any, held: Any, shared: Any) -> None:
        core, subcore = jax.lax.axis_index("core"), jax.lax.axis_index("subcore")

        @pl.loop(0, 3)
        def _(_: Any) -> None:
            pltpu.sync_copy(x.at[core, subcore], shared.at[subcore])
            plsc.subcore_barrier()
            pltpu.sync_copy(shared.at[(subcore + 1) % 4], held)
            plsc.subcore_barrier()

        pltpu.sync_copy(held, out.at[core, subcore])

    x = _rows(8).reshape(2, 4, 16)
    return Case(shift, (x,), np.roll(x, -1, axis=1))


def signals() -> Case:
    """A scalar subcore brings rows for each vector subcore, which tells it when it has taken one."""
    vectors = vector_mesh(num_cores=2, num_subcores=4)
    scalars = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=2)

    def bring(x: Any, _: Any, shared: Any, *memory: Any) -> None:
        ready, taken = memory[1:]
        core = jax.lax.axis_index("core")

        @pl.loop(0, 3)
        def _(i: Any) -> None:
            pltpu.sync_copy(x.at[core, i], shared)

            @pl.loop(0, 4)
            def _(subcore: Any) -> None:
                pl.semaphore_signal(ready, 1, device_id={"core": core, "subcore": subcore})

            pl.semaphore_wait(taken, 4)

    def take(_: Any, out: Any, shared: Any, *memory: Any) -> None:
        held, ready, taken = memory
        core, subcore = jax.lax.axis_index("core"), jax.lax.axis_index("subcore")

        @pl.loop(0, 3)
        def _(i: Any) -> None:
            pl.semaphore_wait(ready, 1)
            pltpu.sync_copy(shared.at[subcore], held)
            pl.semaphore_signal(taken, 1, device_id={"core": core})
            pltpu.sync_copy(held, out.at[core, i, subcore])

    kernel = pl.kernel(
        [bring, take],
        out_type=jax.ShapeDtypeStruct((2, 3, 4, 16), I32),
        mesh=[scalars, vectors],
        scratch_types=[
            pltpu.VMEM_SHARED((4, 16), I32),
            (pltpu.VMEM @ vectors)((16,), I32),
            pltpu.SemaphoreType.REGULAR @ vectors,
            pltpu.SemaphoreType.REGULAR @ scalars,
        ],
    )
    x = _rows(24).reshape(2, 3, 4, 16)
    return Case(kernel, (x,), x)


def tickets() -> Case:
    """Subcores take tickets of a counter in the SMEM of subcore 0; a ticket is a row to double."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @_kernel((9, 16), mesh, pltpu.VMEM((16,), I32), pltpu.SMEM((1,), I32))
    def tickets(x: Any, out: Any, held: Any, counter: Any) -> None:
        counter[0] = 0
        plsc.subcore_barrier()

        def take(_: Any) -> Any:
            return plsc.fetch_and_add(counter.at[0], 1, subcore_id=0)

        def work(ticket: Any) -> Any:
            pltpu.sync_copy(x.at[ticket], held)
            held[...] = held[...] * 2
            pltpu.sync_copy(held, out.at[ticket])
            return take(ticket)

        jax.lax.while_loop(lambda ticket: ticket < 9, work, take(0))

    x = _rows(9)
    return Case(tickets, (x,), x * 2)


def additions() -> Case:
    """Subcores add their rows to rows of shared memory at the same time."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)
    rows, ids, shared = (
        pltpu.VMEM((8, 16), I32),
        pltpu.VMEM((8,), I32),
        pltpu.VMEM_SHARED((4, 16), I32),
    )

    @_kernel((4, 16), mesh, rows, ids, shared)
    def additions(x: Any, which: Any, zeros: Any, out: Any, *memory: Any) -> None:
        rows, ids, shared = memory
        subcore = jax.lax.axis_index("subcore")
        pltpu.sync_copy(zeros.at[pl.ds(subcore, 1)], shared.at[pl.ds(subcore, 1)])
        pltpu.sync_copy(x.at[subcore], rows)
        pltpu.sync_copy(which.at[subcore], ids)
        plsc.subcore_barrier()
        pltpu.sync_copy(rows, shared.at[ids], add=True)
        plsc.subcore_barrier()
        pltpu.sync_copy(shared.at[pl.ds(subcore, 1)], out.at[pl.ds(subcore, 1)])

    x, zeros = _rows(32).reshape(4, 8, 16), np.zeros((4, 16), np.int32)
    ids = np.random.default_rng(6).integers(0, 4, (4, 8)).astype(np.int32)
    sums = zeros.copy()
    np.add.at(sums, ids.reshape(-1), x.reshape(-1, 16))
    return Case(additions, (x, ids, zeros), sums)


def ring(slots: int) -> Case:
    """Rows go through a ring of buffers: some copies in, and some out, are always under way."""
    mesh = vector_mesh(num_cores=1, num_subcores=2)
    buffers = [pltpu.VMEM((slots, 16), I32)] * 2
    semaphores = [pltpu.SemaphoreType.DMA((slots,))] * 2
    count = 8

    @_kernel((2, count, 16), mesh, *buffers, *semaphores)
    def ring(x: Any, out: Any, *memory: Any) -> None:
        come, go, arrived, gone = memory
        subcore = jax.lax.axis_index("subcore")

        def copy_in(i: Any) -> Any:
            at = jax.lax.rem(i, slots)
            return pltpu.make_async_copy(x.at[subcore, i], come.at[at], arrived.at[at])

        def copy_out(i: Any) -> Any:
            at = jax.lax.rem(i, slots)
            return pltpu.make_async_copy(go.at[at], out.at[subcore, i], gone.at[at])

        for i in range(slots - 1):
            copy_in(jnp.int32(i)).start()

        @pl.loop(0, count)
        def _(i: Any) -> None:
            pl.when(i + slots - 1 < count)(lambda: copy_in(i + slots - 1).start())
            copy_in(i).wait()
            pl.when(i >= slots)(lambda: copy_out(i - slots).wait())
            at = jax.lax.rem(i, slots)
            go[at] = come[at] + 1
            copy_out(i).start()

        for i in range(count - slots, count):
            copy_out(jnp.int32(i)).wait()

    x = _rows(2 * count).reshape(2, count, 16)
    return Case(ring, (x,), x + 1)


def one_semaphore() -> Case:
    """Copies of several sizes are under way on one semaphore, waited for in their order."""
    mesh = vector_mesh(num_cores=1, num_subcores=2)

    @_kernel((2, 6, 16), mesh, pltpu.VMEM((6, 16), I32), pltpu.SemaphoreType.DMA)
    def one_semaphore(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        subcore = jax.lax.axis_index("subcore")
        parts = [pl.ds(0, 1), pl.ds(1, 3), pl.ds(4, 2)]
        for part in parts:
            pltpu.make_async_copy(x.at[subcore, part], held.at[part], semaphore).start()
        for part in parts:
            pltpu.make_async_copy(x.at[subcore, part], held.at[part], semaphore).wait()
            pltpu.sync_copy(held.at[part], out.at[subcore, part])

    x = _rows(12).reshape(2, 6, 16)
    return Case(one_semaphore, (x,), x)


def the_same() -> Case:
    """All subcores write the same bytes to the same place, and read them back."""

    @_kernel((2, 16), vector_mesh(num_cores=2, num_subcores=4), pltpu.VMEM((16,), I32))
    def the_same(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        held[...] = held[...] + 1
        pltpu.sync_copy(held, out.at[0])
        pltpu.sync_copy(out.at[0], held)
        pltpu.sync_copy(held, out.at[1])

    x = _rows(1)[0]
    return Case(the_same, (x,), np.stack([x + 1, x + 1]))


def polls() -> Case:
    """A vector subcore looks at its semaphore until the scalar one has signalled it twice."""
    vectors = vector_mesh(num_cores=1, num_subcores=1)
    scalars = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1)

    def bring(x: Any, out: Any, shared: Any, held: Any, semaphore: Any) -> None:
        del out, held

        @pl.loop(0, 2)
        def _(_: Any) -> None:
            pltpu.sync_copy(x, shared)
            pl.semaphore_signal(semaphore, 1, device_id={"core": 0, "subcore": 0})

    def look(x: Any, out: Any, shared: Any, held: Any, semaphore: Any) -> None:
        del x
        count = jax.lax.while_loop(
            lambda count: count < 2, lambda _: pl.semaphore_read(semaphore), jnp.int32(0)
        )
        pl.semaphore_wait(semaphore, count)
        pltpu.sync_copy(shared, held)
        held[...] = held[...] * count
        pltpu.sync_copy(held, out)

    kernel = pl.kernel(
        [bring, look],
        out_type=jax.ShapeDtypeStruct((16,), I32),
        mesh=[scalars, vectors],
        scratch_types=[
            pltpu.VMEM_SHARED((16,), I32),
            (pltpu.VMEM @ vectors)((16,), I32),
            pltpu.SemaphoreType.REGULAR @ vectors,
        ],
    )
    x = _rows(1)[0]
    return Case(kernel, (x,), x * 2)


CASES: dict[str, Callable[[], Case]] = {
    "shift": shift,
    "signals": signals,
    "tickets": tickets,
    "additions": additions,
    "ring of 2": lambda: ring(2),
    "ring of 3": lambda: ring(3),
    "one semaphore": one_semaphore,
    "the same": the_same,
    "polls": polls,
}
"""All of them, by name."""
