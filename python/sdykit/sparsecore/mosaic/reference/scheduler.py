"""Who runs next: one agent at a time, and another one only at a switch point."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sdykit.sparsecore.mosaic.kernel import Agent
from sdykit.sparsecore.mosaic.reference.patience import Spins
from sdykit.sparsecore.mosaic.reports import Waiting
from sdykit.sparsecore.mosaic.spec import Order


class Condition(Protocol):
    """What an agent waits for at a switch point."""

    @property
    def is_met(self) -> bool:
        """Whether the agent can go on."""
        ...

    @property
    def lets_others(self) -> bool:
        """Whether others go first, in any order of agents."""
        ...

    def waiting(self, agent: int) -> Waiting:
        """Return the agent's line in a deadlock."""
        ...


Run = Generator[Condition, None, None]
"""What an agent does, from switch point to switch point."""


@dataclass(eq=False, slots=True)
class Task:
    """An agent that runs.

    Attributes:
        agent: the agent.
        run: what it does.
        waits_for: what it waits for; None before its first switch point and after its end.
        is_done: whether it is at its end.
    """

    agent: Agent
    run: Run
    waits_for: Condition | None = None
    is_done: bool = False

    @property
    def can_run(self) -> bool:
        """Whether it is not at its end, and what it waits for has come."""
        return not self.is_done and (self.waits_for is None or self.waits_for.is_met)

    def advance(self) -> None:
        """Run to the next switch point, or to the end."""
        self.waits_for = next(self.run, None)
        self.is_done = self.waits_for is None


@dataclass(eq=False, slots=True)
class Scheduler:
    """Runs all agents of a kernel to their ends.

    Attributes:
        tasks: a task for each agent, by number.
        order: "lockstep": each that can run advances by one switch point, again and again.
            "subcore": each runs as far as it goes. A seed: the next one is drawn.
        deadlock: raises the error when no agent can ever go on again.
        spins: the loops that agents repeat until others change memory.
    """

    tasks: Sequence[Task]
    order: Order
    deadlock: Callable[[Sequence[Task]], None]
    spins: Spins

    def run(self) -> None:
        """Run until all agents are at their ends."""
        turn = {"lockstep": self._lockstep, "subcore": self._subcore}.get(str(self.order))
        if turn is None:
            turn = self._drawn(splitmix(int(self.order)))
        while not all(task.is_done for task in self.tasks):
            if not turn() or self._only_spins():
                self.deadlock(self.tasks)
                return

    def _lockstep(self) -> bool:
        """Let each agent advance by one switch point; return whether any could."""
        advanced = False
        for task in self.tasks:
            if task.can_run:
                self._advance(task)
                advanced = True
        return advanced

    def _subcore(self) -> bool:
        """Let each agent run as far as it goes; return whether any could."""
        advanced = False
        for task in self.tasks:
            while task.can_run:
                self._advance(task)
                advanced = True
                if task.waits_for is not None and task.waits_for.lets_others:
                    break
        return advanced

    def _drawn(self, numbers: Iterator[int]) -> Callable[[], bool]:
        """Return what lets an agent advance that is drawn from those that can."""

        def turn() -> bool:
            ready = [task for task in self.tasks if task.can_run]
            if ready:
                self._advance(ready[next(numbers) % len(ready)])
            return bool(ready)

        return turn

    def _advance(self, task: Task) -> None:
        task.advance()
        if not self.spins.repeats(task.agent.number):
            self.spins.progress()

    def _only_spins(self) -> bool:
        """Return whether all that can run have only repeated loops for too long."""
        return self.spins.are_all(task.agent.number for task in self.tasks if task.can_run)


def splitmix(seed: int) -> Iterator[int]:
    """Yield pseudo-random numbers of 64 bits (SplitMix64: Steele, Lea, Flood, OOPSLA 2014)."""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        mixed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 & mask
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & mask
        yield mixed ^ (mixed >> 31)
