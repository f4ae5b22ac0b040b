"""Who runs next: one agent at a time, and another one only at a switch point."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sdykit.sparsecore.mosaic.kernel import Agent
from sdykit.sparsecore.mosaic.reports import Waiting
from sdykit.sparsecore.mosaic.spec import Order

PATIENCE = 1.0
"""Seconds in which agents may do nothing but read semaphores that nobody changes."""


class Condition(Protocol):
    """What an agent waits for at a switch point."""

    @property
    def is_met(self) -> bool:
        """Whether the agent can go on."""
        ...

    @property
    def is_poll(self) -> bool:
        """Whether the agent has only looked at a semaphore, which moves nothing forward."""
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
        changes: how often a semaphore has changed so far.
    """

    tasks: Sequence[Task]
    order: Order
    deadlock: Callable[[Sequence[Task]], None]
    changes: Callable[[], int]
    _seen: tuple[float, int] = field(default=(0.0, -1))

    def run(self) -> None:
        """Run until all agents are at their ends."""
        turn = {"lockstep": self._lockstep, "subcore": self._subcore}.get(str(self.order))
        if turn is None:
            turn = self._drawn(splitmix(int(self.order)))
        while not all(task.is_done for task in self.tasks):
            if not turn() or self._only_polls():
                self.deadlock(self.tasks)
                return

    def _lockstep(self) -> bool:
        """Let each agent advance by one switch point; return whether any could."""
        advanced = False
        for task in self.tasks:
            if task.can_run:
                task.advance()
                advanced = True
        return advanced

    def _subcore(self) -> bool:
        """Let each agent run as far as it goes; return whether any could."""
        advanced = False
        for task in self.tasks:
            while task.can_run:
                task.advance()
                advanced = True
                if task.waits_for is not None and task.waits_for.is_poll:
                    break
        return advanced

    def _drawn(self, numbers: Iterator[int]) -> Callable[[], bool]:
        """Return what lets an agent advance that is drawn from those that can."""

        def turn() -> bool:
            ready = [task for task in self.tasks if task.can_run]
            if ready:
                ready[next(numbers) % len(ready)].advance()
            return bool(ready)

        return turn

    def _only_polls(self) -> bool:
        """Return whether agents have only read unchanged semaphores for too long."""
        now, changes = time.monotonic(), self.changes()
        idle = all(
            task.is_done or (task.waits_for is not None and self._is_idle(task.waits_for))
            for task in self.tasks
        )
        if not idle or changes != self._seen[1]:
            self._seen = (now, changes)
        return now - self._seen[0] > PATIENCE

    @staticmethod
    def _is_idle(condition: Condition) -> bool:
        return condition.is_poll or not condition.is_met


def splitmix(seed: int) -> Iterator[int]:
    """Yield pseudo-random numbers of 64 bits (SplitMix64: Steele, Lea, Flood, OOPSLA 2014)."""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        mixed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 & mask
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & mask
        yield mixed ^ (mixed >> 31)
