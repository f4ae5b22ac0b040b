"""Semaphores, barriers and atomic additions: how subcores wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.reference.conditions import Count, Met, Turn
from sdykit.sparsecore.mosaic.reference.memrefs import Do
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.reference.subcore import Subcore, region_of
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.transfers import operands, take
from sdykit.sparsecore.mosaic.reference.values import type_of
from sdykit.sparsecore.mosaic.reference.views import View
from sdykit.sparsecore.mosaic.reports import Access, Waits

OPS: Table[Callable[[ir.OpView, Sites], Do]] = Table("Synchronization")


@OPS("tpu.sem_signal")
def sem_signal(op: Any, sites: Sites) -> Do:
    """Adds to a semaphore; with ids, to the same one of another subcore."""
    place = sites.place(op)
    pick = operands(op, "semaphore", "amount", "device_id", "core_id", "subcore_id")

    def run(me: Subcore, *values: Any) -> None:
        memref, amount, device, *ids = pick(values)
        me.check_device(place, device)
        semaphore = me.semaphore(me.elsewhere(place, memref, tuple(ids)))
        me.machine.checks.signal(me.number, semaphore.number)
        semaphore.signalled = place
        me.machine.add(semaphore, amount)

    return run


@OPS("tpu.sem_wait")
def sem_wait(op: Any, sites: Sites) -> Do:
    """Waits until a semaphore has a count, and takes it away."""
    place = sites.place(op)

    def run(me: Subcore, memref: View, amount: int) -> Generator[Count, None, None]:
        yield from take(me, place, memref, amount, Waits.SEMAPHORE)

    return run


@OPS("tpu.sem_read")
def sem_read(op: Any, sites: Sites) -> Do:
    """The count of a semaphore."""
    place = sites.place(op)

    def run(me: Subcore, memref: View) -> Generator[Turn, None, int]:
        yield Turn(place)
        return me.semaphore(memref).count

    return run


@OPS("tpu.barrier")
def barrier(op: Any, sites: Sites) -> Do:
    """Waits until all vector subcores of the core, of those in the kernel's mesh, have come here."""
    place = sites.place(op)

    def run(me: Subcore, number: int) -> Generator[Met, None, None]:
        barrier = me.machine.barrier(me.agent, number)
        uses = barrier.uses
        barrier.arrived += 1
        if barrier.arrived == len(barrier.members):
            me.machine.checks.barrier(barrier.members)
            barrier.arrived = 0
            barrier.uses += 1
        yield Met(barrier, uses, place)

    return run


@OPS("tpu.fetch_and_add_sync")
def fetch_and_add_sync(op: Any, sites: Sites) -> Do:
    """Adds to an element of the same SMEM of a vector subcore of the core; returns what it was.

    It is atomic.
    """
    place, type_ = sites.place(op), type_of(op.results[0])

    def run(me: Subcore, memref: View, *numbers: int) -> Generator[Turn, None, int]:
        *indices, value, subcore = numbers
        there = me.elsewhere(place, memref, (None, subcore))
        element = me.slice(place, Access.STORE, there, indices, [1] * len(indices))
        yield Turn(place, lets_others=False)
        region = region_of(element)
        me.machine.checks.fetch_and_add(me.number, place, element.address, region)
        old = int(element.read().reshape(()))
        element.write(np.array(type_.wrap(old + value), element.array.dtype))
        return old

    return run
