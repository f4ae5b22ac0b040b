"""Semaphores, and the other ways in which subcores wait for each other.

If they never do, a semaphore is a count in the subcore's memory. Only the subcore's own transfers add
to it, and these are done when they are enqueued. So a wait whose count is too low waits for ever.
Otherwise the runtime has the semaphores, and a semaphore is a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.agents import agent_of, find_agent
from sdykit.sparsecore.mosaic.lowering.checked_accesses import fill
from sdykit.sparsecore.mosaic.lowering.elements import locate
from sdykit.sparsecore.mosaic.lowering.emitter import SEMAPHORE_WORDS, Emitter
from sdykit.sparsecore.mosaic.lowering.failures import check_block
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus, product, times
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import NOBODY, Access, Deadlock, End, SemaphoreNotZero, Waits
from sdykit.sparsecore.mosaic.types import bits_of, memref_of

_FEW = 4
"""Semaphores of an array that are each known by themselves."""


def byte_count(e: Emitter, view: View) -> Number:
    """Return the bytes that a view takes on the chip, where an element of 4 bits is half a byte."""
    return bytes_of(e, product(e.b, view.sizes), view.element)


def bytes_of(e: Emitter, count: Number, element: str) -> Number:
    """Return the bytes that some elements take on the chip."""
    bits = bits_of(element)
    if isinstance(count, int):
        return count * bits // 8
    if bits >= 8:
        return times(e.b, count, bits // 8)
    return e.b.div(times(e.b, count, bits), 8)


def wait_for(e: Emitter, op: ir.Operation, semaphore: View, amount: Number) -> None:
    """Take the bytes of a transfer from the count of a semaphore, which has as many."""
    b, counts = e.b, e.counts
    if e.is_together:
        e.call("sc_wait", [semaphore.offset, amount, 1, e.kernel.places.of(op)])
        return
    if isinstance(amount, int) and counts.can_take(semaphore, amount):
        counts.take(semaphore, amount)
        return
    count = counts.load(semaphore)
    number = e.number_of(_semaphore_of(op))
    waiting = (e.agent, e.kernel.places.of(op), int(Waits.TRANSFER), amount, count, number)
    e.fail_unless(b.compare("sle", amount, count), Deadlock.kind, NOBODY, NOBODY, *waiting)
    counts.replace(semaphore, b.sub(count, amount))


def _semaphore_of(op: ir.Operation) -> ir.Value:
    opview: Any = op.opview
    return opview.semaphore


def clear(e: Emitter, semaphores: View) -> None:
    """Begin with all semaphores of a buffer at 0; those of the runtime are."""
    if e.is_together:
        return
    if _count(semaphores) <= _FEW:
        _for_each(e, semaphores, e.counts.start)
        return
    zero = e.b.constant("0", "i64")
    _for_each(e, semaphores, lambda each: e.b.store(zero, each.buffer, each.offset))


def check_zero(e: Emitter, made: ir.Value, place: int, end: End) -> None:
    """Add the check that all counts of a buffer are 0, at the end of the kernel or of a region.

    Args:
        e: the emitter that ops are added with.
        made: the buffer: a scratch argument, or the result of an allocation.
        place: the number of the line that made it, or `NOBODY`.
        end: what ends.
    """
    semaphores, memory = e.view(made), e.number_of(made)
    if e.is_together:
        if end == End.REGION:
            e.call("sc_sem_check", [semaphores.offset, _count(semaphores), place])
        return

    def check(semaphore: View) -> None:
        if e.counts.known(semaphore) != 0:
            count = e.counts.load(semaphore)
            last = e.counts.load_place(semaphore)
            # Signals alone count on a regular semaphore.
            is_dma = memref_of(made.type).is_dma_semaphore
            started, signalled = (last, NOBODY) if is_dma else (NOBODY, last)
            numbers = (e.agent, place, int(end), count, started, signalled, memory)
            e.fail_unless(e.b.compare("eq", count, 0), SemaphoreNotZero.kind, *numbers)
        e.counts.forget(semaphore)

    _for_each(e, semaphores, check)


def _count(semaphores: View) -> int:
    return math.prod(size for size in semaphores.sizes if isinstance(size, int))


def _for_each(e: Emitter, semaphores: View, body: Callable[[View], None]) -> None:
    """Add a body for each semaphore of a buffer."""

    def at(number: Number) -> View:
        offset = plus(e.b, semaphores.offset, times(e.b, number, SEMAPHORE_WORDS))
        return replace(semaphores, offset=offset, sizes=(), strides=())

    count = _count(semaphores)
    if count <= _FEW:
        for number in range(count):
            body(at(number))
        return

    def iteration(index: ir.Value) -> tuple[()]:
        with e.inner_block():
            body(at(index))
            return ()

    e.counts.store_all()
    e.b.loop(0, count, iteration)


@lowers("tpu.sem_alloc")
def _allocate(e: Emitter, op: ir.Operation) -> None:
    view = e.placed(op.results[0])
    e.set(op.results[0], view)
    clear(e, view)
    e.semaphores.append((op.results[0], e.kernel.places.of(op)))


@lowers("memref.alloca")
def _allocate_memory(e: Emitter, op: ir.Operation) -> None:
    view = e.placed(op.results[0])
    e.set(op.results[0], view)
    fill(e, view, once=view.space in {"hbm", "vmem_shared"})


@lowers("tpu.region")
def _region(e: Emitter, op: ir.Operation) -> None:
    before, e.semaphores = e.semaphores, []
    e.set_all(list(op.results), e.block(op.regions[0].blocks[0]))
    for made, place in e.semaphores:
        check_zero(e, made, place, End.REGION)
    e.semaphores = before


@lowers("tpu.sem_signal")
def _signal(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    semaphore, amount = e.view(opview.semaphore), e.number(opview.amount)
    if not e.is_together:
        e.counts.add(semaphore, amount, e.kernel.places.of(op))
        return
    agent = find_agent(e, op, opview.semaphore)
    e.call("sc_signal", [semaphore.offset, amount, e.b.at(agent), e.kernel.places.of(op)])


@lowers("tpu.sem_wait")
def _wait(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    semaphore, amount = e.view(opview.semaphore), e.number(opview.amount)
    e.call("sc_wait", [semaphore.offset, amount, 0, e.kernel.places.of(op)])


@lowers("tpu.sem_read")
def _read(e: Emitter, op: ir.Operation) -> None:
    semaphore, type_ = e.view(op.operands[0]), op.results[0].type
    if not e.is_together:
        e.set(op.results[0], e.b.to_integer(e.counts.load(semaphore), str(type_)))
        return
    operands = [semaphore.offset, e.kernel.places.of(op)]
    count = e.call("sc_sem_read", operands, has_result=True)
    assert count is not None
    e.set(op.results[0], e.b.convert("arith.trunci", count, type_))


@lowers("tpu.barrier")
def _barrier(e: Emitter, op: ir.Operation) -> None:
    cores, members = e.function.bounds
    number = times(e.b, e.number(op.operands[0]), cores)
    core = e.number(e.function.indices[0])
    e.call("sc_barrier", [plus(e.b, core, number), members, e.kernel.places.of(op)])


@lowers("tpu.fetch_and_add_sync")
def _fetch_and_add(e: Emitter, op: ir.Operation) -> None:
    base, *indices, value, subcore = op.operands
    view, place = e.view(base), e.kernel.places.of(op)
    starts = e.numbers(indices)
    check_block(e, (op, Access.STORE), view, starts, (1,) * len(starts))
    offset, _ = locate(e, view, starts)
    word = e.b.part_of(view.buffer, e.b.at(offset), e.b.at(1))
    agent = agent_of(e, op, base, None, e.number(subcore))
    old = e.call("sc_fetch_and_add", [word, e.b.at(agent), e.number(value), place], has_result=True)
    assert old is not None
    e.set(op.results[0], e.b.convert("arith.trunci", old, op.results[0].type))
