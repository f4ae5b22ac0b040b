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
    LOOP = 4


@dataclass(frozen=True)
class Waiting:
    """An agent in a deadlock.

    Attributes:
        agent: its number.
        place: the number of the line at which it waits.
        waits: what it waits for, a `Waits`; `LOOP` is that of an agent that repeats a loop which only
            somebody else can end.
        wanted: the count that it waits for; for a barrier, how many agents take part.
        count: the count of the semaphore; for a barrier, how many agents have come.
        memory: the number of the semaphore, or of the memory that the condition of the loop reads;
            `NOBODY` if there is none.
    """

    agent: int
    place: int
    waits: int
    wanted: int
    count: int
    memory: int = NOBODY

    def text(self, names: Names, who: str, *, are_several: bool) -> str:
        """Return the line of some agents that all do this."""
        place, memory = names.place(self.place), names.semaphore(self.memory)
        if self.waits == Waits.NOTHING:
            return f"{who} are at their ends" if are_several else f"{who} is at its end"
        if self.waits == Waits.LOOP:
            does = "repeat" if are_several else "repeats"
            if self.memory == NOBODY:
                return f"{who} {does} the loop at {place}, whose condition stays true"
            memory = names.buffer(self.memory)
            return f"{who} {does} the loop at {place}, which waits for a change of {memory}"
        does = "wait" if are_several else "waits"
        if self.waits == Waits.BARRIER:
            return f"{who} {does} at the barrier with {self.count} of {self.wanted} subcores, at {place}"
        unit, advice = "", ""
        if self.waits == Waits.TRANSFER:
            unit = " bytes of DMAs"
            advice = "; expected a DMA started on it, of as many bytes, for each wait"
        return f"{who} {does} for {self.wanted}{unit} on {memory} that has {self.count}, at {place}{advice}"


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
        groups: dict[Waiting, list[int]] = {}
        for each in self.waiting:
            groups.setdefault(dataclasses.replace(each, agent=NOBODY), []).append(each.agent)
        lines = [
            f"  {what.text(names, names.agents_of(numbers), are_several=len(numbers) > 1)}"
            for what, numbers in groups.items()
        ]
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
        signalled: the line at which a subcore signalled it last, or `NOBODY`.
        memory: the number of the semaphore, or `NOBODY`.
    """

    kind: ClassVar[int] = 5

    end: int
    count: int
    started: int
    signalled: int = NOBODY
    memory: int = NOBODY

    def sentence(self, names: Names) -> str:
        made = "" if self.place == NOBODY else f" made at {names.place(self.place)}"
        which = f"a semaphore{made}" if made else names.semaphore(self.memory)
        if self.started != NOBODY:
            reason = f"a DMA started at {names.place(self.started)} was never waited for"
        else:
            last = "" if self.signalled == NOBODY else f", last at {names.place(self.signalled)}"
            reason = f"it was signalled more than it was waited for{last}"
        what = ("kernel", "region that made it")[self.end]
        return (
            f"{names.agent(self.agent)}: {which} is {self.count} at the end of the {what}: {reason}"
        )


@dataclass(frozen=True, kw_only=True)
class Interrupted(Report):
    """The user has interrupted the run."""

    kind: ClassVar[int] = 16

    def sentence(self, names: Names) -> str:
        return f"{names.agent(self.agent)} was interrupted at {names.place(self.place)}"


@dataclass(frozen=True, kw_only=True)
class NoMemory(Report):
    """The process had no memory for what the machine keeps of a run.

    Attributes:
        stacks: the number of agents, if there was none for their stacks; else 0.
    """

    kind: ClassVar[int] = 15

    stacks: int

    def sentence(self, names: Names) -> str:
        if self.stacks:
            return (
                f"there is no memory for the stacks of {self.stacks} subcores; expected more memory, "
                "or a higher limit of it"
            )
        at = "" if self.place == NOBODY else f" at {names.place(self.place)}"
        return (
            f"{names.agent(self.agent)}: the process has no memory left{at}; expected more memory, or "
            "a higher limit of it; SDYKIT_PALLAS=fast needs less, since it checks no races"
        )
