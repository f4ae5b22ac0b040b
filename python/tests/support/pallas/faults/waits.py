"""Waits that never end, and DMAs that nobody waits for."""

from __future__ import annotations

from typing import Any

import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.faults.kernels import Call, kernel_of, rows_of, vmem
from support.pallas.kernels import vector_mesh


def barrier(fault: bool) -> Call:
    """All subcores meet, but with the fault subcore 3 waits for a signal that none gives."""
    mesh = vector_mesh(num_cores=1, num_subcores=4)

    @kernel_of((16,), pltpu.SemaphoreType.REGULAR, mesh=mesh)
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

    return lambda: meet(rows_of(1)[0])


def bytes_(fault: bool) -> Call:
    """Waits for a copy; with the fault for more bytes than it has."""

    @kernel_of((16,), vmem(16), pltpu.SemaphoreType.DMA)
    def copy(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        size = 8 if fault else 16
        pltpu.make_async_copy(x.at[pl.ds(0, size)], held.at[pl.ds(0, size)], semaphore).start()
        pltpu.make_async_copy(x, held, semaphore).wait()  # wait for bytes
        pltpu.sync_copy(held, out)

    return lambda: copy(rows_of(1)[0])


def never_waited(fault: bool) -> Call:
    """Starts a copy, and does not wait for it."""

    @kernel_of((16,), pltpu.SemaphoreType.DMA)
    def copy(x: Any, out: Any, semaphore: Any) -> None:
        copied = pltpu.make_async_copy(x, out, semaphore)
        copied.start()  # start
        if not fault:
            copied.wait()

    return lambda: copy(rows_of(1)[0])


def never_waited_in_region(fault: bool) -> Call:
    """The same with a semaphore of a region."""

    @kernel_of((16,))
    def copy(x: Any, out: Any) -> None:
        def scope(semaphore: Any) -> None:
            copied = pltpu.make_async_copy(x, out, semaphore)
            copied.start()  # start in region
            if not fault:
                copied.wait()

        pl.run_scoped(scope, pltpu.SemaphoreType.DMA)  # region

    return lambda: copy(rows_of(1)[0])
