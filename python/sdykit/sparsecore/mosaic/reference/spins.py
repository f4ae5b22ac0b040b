"""Loops of the reference machine that wait for memory to change."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from sdykit.sparsecore.mosaic.reference.conditions import Turn
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.reference.subcore import Subcore
from sdykit.sparsecore.mosaic.reports import NOBODY, Deadlock, Waiting, Waits
from sdykit.sparsecore.mosaic.spinning import reads_memory, spin_of

Again = Callable[[Subcore], Generator[Turn, None, None]]
"""What a subcore does whenever a loop repeats."""


class Repeating(NamedTuple):
    """What a subcore does at the start of a loop, whenever it repeats, and at its end; None: nothing."""

    start: Callable[[Subcore], None] | None = None
    again: Again | None = None
    end: Callable[[Subcore], None] | None = None


def repeating(op: Any, sites: Sites, place: int) -> Repeating:
    """Return what is done besides the regions of an `scf.while`.

    If the loop reads memory, others may run whenever it repeats. If only others can end it, its
    repetitions are no progress; if no other could, they are an error.
    """
    is_free = sites.kernel.is_free
    spin = spin_of(op.operation, is_alone=is_free)
    if spin is None:
        if is_free or not reads_memory(op.operation):
            return Repeating()
        return Repeating(again=lambda me: _look(place))
    memory = NOBODY if spin.memory is None else sites.of(spin.memory).number
    if is_free:
        return _endless(place, memory, spin.iterations)

    def again(me: Subcore) -> Generator[Turn, None, None]:
        waiting = Waiting(me.number, place, Waits.LOOP, 0, 0, memory)
        me.machine.spins.repeat(me.number, waiting)
        yield Turn(place)

    return Repeating(None, again, lambda me: me.machine.spins.end(me.number))


def _look(place: int) -> Generator[Turn, None, None]:
    yield Turn(place)


def _endless(place: int, memory: int, iterations: int) -> Repeating:
    """Return what ends the run once a loop has repeated too often to end."""
    counts: dict[int, int] = {}

    def start(me: Subcore) -> None:
        counts[me.number] = 0

    def again(me: Subcore) -> Generator[Turn, None, None]:
        if counts[me.number] >= iterations:
            waiting = Waiting(me.number, place, Waits.LOOP, 0, 0, memory)
            me.machine.fail(Deadlock(waiting=(waiting,)))
        counts[me.number] += 1
        yield from ()

    return Repeating(start, again)
