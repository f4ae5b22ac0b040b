"""Reports of memory that two touch at the same time: subcores, transfers, iterations of a loop."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar

from sdykit.sparsecore.mosaic.reports.report import Names, Report


class Action(enum.IntEnum):
    """What an agent or a transfer does with memory."""

    READ = 0
    WRITE = 1
    ADD = 2

    @property
    def verb(self) -> str:
        """The verb in a sentence."""
        return ("reads", "writes", "adds to")[self]


@dataclass(frozen=True, kw_only=True)
class Race(Report):
    """Two agents touch the same memory, one of them writes, and nothing orders them.

    Attributes:
        action: what the agent does, an `Action`.
        other: the other agent.
        other_place: its line.
        other_action: what it does.
        buffer: the number of the memory.
    """

    kind: ClassVar[int] = 9

    action: int
    other: int
    other_place: int
    other_action: int
    buffer: int

    def sentence(self, names: Names) -> str:
        memory = names.buffer(self.buffer)
        return (
            f"race: {names.agent(self.agent)} {Action(self.action).verb} {memory} "
            f"at {names.place(self.place)}, {names.agent(self.other)} "
            f"{Action(self.other_action).verb} the same bytes at {names.place(self.other_place)}, "
            f"and nothing orders the two; expected {self._expected(names)}"
        )

    def _expected(self, names: Names) -> str:
        """Return what would order the two, or make them none."""
        if names.meet(self.agent, self.other):
            order = "a plsc.subcore_barrier() between them"
        else:
            order = (
                "a pl.semaphore_signal after the one and a pl.semaphore_wait before the other, "
                "since a barrier is for the vector subcores of one SparseCore"
            )
        both_write = self.action == self.other_action == Action.WRITE
        return f"{order}, or a place of its own for each" if both_write else order


@dataclass(frozen=True, kw_only=True)
class UnderWay(Report):
    """Memory is touched while a transfer is under way that reads or writes it.

    Attributes:
        action: what the agent does, an `Action`.
        transfer: 1 if the agent starts a DMA that does so, 0 if it loads or stores.
        other: the agent that started the transfer.
        other_place: the line that started it.
        other_action: what the transfer does.
        buffer: the number of the memory.
    """

    kind: ClassVar[int] = 10

    action: int
    transfer: int
    other: int
    other_place: int
    other_action: int
    buffer: int

    def sentence(self, names: Names) -> str:
        memory, place = names.buffer(self.buffer), names.place(self.place)
        does = f"{Action(self.action).verb} {memory}"
        if self.transfer:
            does = f"starts a DMA at {place} that {does}"
        else:
            does = f"{does} at {place}"
        of = "" if self.other == self.agent else f" of {names.agent(self.other)}"
        return (
            f"race: {names.agent(self.agent)} {does} while a DMA{of} "
            f"{Action(self.other_action).verb} it, started at {names.place(self.other_place)}; "
            f"expected {self._expected(names)}"
        )

    def _expected(self, names: Names) -> str:
        """Return what would order the two."""
        if self.other != self.agent:
            other = names.agent(self.other)
            return f"that {other} waits for it before the barrier or signal that orders the two"
        wait = "a wait for that DMA before this"
        return f"{wait}, or another buffer" if self.transfer else wait


@dataclass(frozen=True, kw_only=True)
class DependentIterations(Report):
    """Two iterations of a `parallel_loop` touch the same memory, and one of them writes.

    Attributes:
        action: what the later iteration does, an `Action`.
        iteration: the number of the later iteration, from 0.
        other_place: the line of the earlier iteration.
        other_action: what it does.
        other_iteration: the number of the earlier iteration.
        buffer: the number of the memory.
        loop: the line of the loop.
    """

    kind: ClassVar[int] = 11

    action: int
    iteration: int
    other_place: int
    other_action: int
    other_iteration: int
    buffer: int
    loop: int

    def sentence(self, names: Names) -> str:
        return (
            f"race: {names.agent(self.agent)}: the iterations of the parallel_loop at "
            f"{names.place(self.loop)} depend on each other: iteration {self.iteration} "
            f"{Action(self.action).verb} {names.buffer(self.buffer)} at {names.place(self.place)} "
            f"where iteration {self.other_iteration} {Action(self.other_action).verb} it "
            f"at {names.place(self.other_place)}; expected elements of its own for each iteration, or "
            "pl.loop, whose iterations run in order"
        )
