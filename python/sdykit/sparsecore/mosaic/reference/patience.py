"""When the agents of the reference machine do no more than repeat loops that only others can end."""

from __future__ import annotations

import time
from collections.abc import Iterable

from sdykit.sparsecore.mosaic.reports import Waiting

PATIENCE = 1.0
"""Seconds in which agents may do nothing but repeat such loops."""
_REPEATED = 64
"""How often each of them must have repeated its loop, since anybody did more."""


class Spins:
    """Which agents repeat loops that only others can end, and since when nobody has done more."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._loops: dict[int, Waiting] = {}
        self._since = time.monotonic()

    def repeat(self, agent: int, waiting: Waiting) -> None:
        """Begin to repeat a loop, or repeat it once more.

        Args:
            agent: the number of the agent.
            waiting: its line in a deadlock.
        """
        if agent not in self._counts:
            self.progress()
        self._loops[agent] = waiting
        self._counts[agent] = self._counts.get(agent, 0) + 1

    def end(self, agent: int) -> None:
        """End such a loop."""
        self._counts.pop(agent, None)
        self.progress()

    def are_all(self, agents: Iterable[int]) -> bool:
        """Return whether these agents have done nothing else for too long."""
        if time.monotonic() - self._since < PATIENCE:
            return False
        counts = [self._counts.get(agent, 0) for agent in agents]
        return bool(counts) and min(counts) >= _REPEATED

    def progress(self) -> None:
        """Do more than repeat such a loop."""
        self._since = time.monotonic()
        for agent in self._counts:
            self._counts[agent] = 0

    def repeats(self, agent: int) -> bool:
        """Return whether an agent is in such a loop."""
        return agent in self._counts

    def waiting(self, agent: int) -> Waiting | None:
        """Return the line of an agent in a deadlock, None if it is in no such loop."""
        return self._loops[agent] if agent in self._counts else None
