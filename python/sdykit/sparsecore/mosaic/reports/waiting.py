"""Reports of subcores that wait in vain, and of semaphores that nobody waited for."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sdykit.sparsecore.mosaic.reports.report import NOBODY, Names, Report


class Waits(enum.IntEnum):
    """What an agent waits for."""

    SEMAPHORE = 0
    TRANSFER = 1
    BARRIER = 2
    NOTHING = 3
    CHANGE = 4


@dataclass(frozen=True)
class Waiting:
    """An agent in a deadlock.

    Attributes:
        agent: its number.
        place: the number of the line at which it waits.
        waits: what it waits for, a `Waits`; `CHANGE` is that of an agent that polls.
        wanted: the count that it waits for; for a barrier, how many agents take part.
        count: the count of the semaphore; for a barrier, how many agents have come.
    """

    agent: int
    place: int
    waits: int
    wanted: int
    count: int

    def text(self, names: Names) -> str:
        """Return the agent's line."""
        who, place = names.agent(self.agent), names.place(self.place)
        if self.waits == Waits.NOTHING:
            return f"{who} is at its end"
        if self.waits == Waits.CHANGE:
            return f"{who} reads a semaphore that stays {self.count} again and again, at {place}"
        if self.waits == Waits.BARRIER:
            return (
                f"{who} waits at the barrier with {self.count} of {self.wanted} subcores, "
                f"at {place}"
            )
        unit = " bytes of DMAs" if self.waits == Waits.TRANSFER else ""
        return (
            f"{who} waits for {self.wanted}{unit} on a semaphore that has {self.count}, at {place}"
        )


@dataclass(frozen=True, kw_only=True)
class Deadlock(Report):
    """No agent can go on, and some are not at their end.

    Attributes:
        waiting: every agent, by number.
    """

    kind: ClassVar[int] = 4

    agent: int = NOBODY
    place: int = NOBODY
    waiting: tuple[Waiting, ...]

    def sentence(self, names: Names) -> str:
        lines = [f"  {each.text(names)}" for each in self.waiting]
        return "\n".join(["deadlock: no subcore can go on:", *lines])

    @classmethod
    def decoded(cls, numbers: Iterator[int]) -> Deadlock:
        agent, place = int(next(numbers)), int(next(numbers))
        rest = [int(each) for each in numbers]
        width = len(dataclasses.fields(Waiting))
        groups = [rest[at : at + width] for at in range(0, len(rest), width)]
        return cls(agent=agent, place=place, waiting=tuple(Waiting(*each) for each in groups))


class End(enum.IntEnum):
    """What ends."""

    KERNEL = 0
    REGION = 1


@dataclass(frozen=True, kw_only=True)
class SemaphoreNotZero(Report):
    """A semaphore that has counts left at the end of the kernel, or of the region that made it.

    Attributes:
        agent: whose semaphore it is.
        place: the line that made it, or `NOBODY`.
        end: what ends, an `End`.
        count: what it has.
        started: the line of the first DMA on it that was not waited for, or `NOBODY`.
    """

    kind: ClassVar[int] = 5

    end: int
    count: int
    started: int

    def sentence(self, names: Names) -> str:
        made = "" if self.place == NOBODY else f" made at {names.place(self.place)}"
        if self.started == NOBODY:
            reason = "it was signalled more than it was waited for"
        else:
            reason = f"a DMA started at {names.place(self.started)} was never waited for"
        what = ("kernel", "region that made it")[self.end]
        return (
            f"{names.agent(self.agent)}: a semaphore{made} is {self.count} at the end of the {what}: "
            f"{reason}"
        )
