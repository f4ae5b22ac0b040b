"""Semaphores: counts that signals and transfers add to, and waits take away from."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.sparsecore.mosaic.reports import NOBODY


@dataclass(eq=False, slots=True)
class Semaphore:
    """A count, at first 0.

    Attributes:
        number: which semaphore of the run it is; the checks know it by this.
        owner: the number of the agent that it belongs to.
        place: the number of the line that made it, or `NOBODY`.
        memory: the number of the memory that it is a part of.
        count: its count.
        signalled: the number of the line at which a subcore signalled it last, or `NOBODY`.
    """

    number: int
    owner: int
    place: int
    memory: int
    count: int = 0
    signalled: int = NOBODY
