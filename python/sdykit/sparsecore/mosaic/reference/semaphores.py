"""Semaphores: counts that signals and transfers add to, and waits take away from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class Semaphore:
    """A count, at first 0.

    Attributes:
        number: which semaphore of the run it is; the checks know it by this.
        owner: the number of the agent that it belongs to.
        place: the number of the line that made it, or `NOBODY`.
        count: its count.
    """

    number: int
    owner: int
    place: int
    count: int = 0
