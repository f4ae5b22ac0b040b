"""What an agent waits for at a switch point."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.sparsecore.mosaic.reference.machine import Barrier
from sdykit.sparsecore.mosaic.reference.semaphores import Semaphore
from sdykit.sparsecore.mosaic.reports import NOBODY, Waiting, Waits


@dataclass(frozen=True, slots=True)
class Count:
    """A semaphore has a count, or more: of signals, or of bytes of DMAs."""

    semaphore: Semaphore
    amount: int
    waits: Waits
    place: int

    @property
    def is_met(self) -> bool:
        return self.semaphore.count >= self.amount

    @property
    def lets_others(self) -> bool:
        return False

    def waiting(self, agent: int) -> Waiting:
        """Return the agent's line in a deadlock."""
        semaphore = self.semaphore
        return Waiting(
            agent, self.place, self.waits, self.amount, semaphore.count, semaphore.memory
        )


@dataclass(frozen=True, slots=True)
class Met:
    """All members of a barrier have come to it, once more than `uses` times."""

    barrier: Barrier
    uses: int
    place: int

    @property
    def is_met(self) -> bool:
        return self.barrier.uses > self.uses

    @property
    def lets_others(self) -> bool:
        return False

    def waiting(self, agent: int) -> Waiting:
        """Return the agent's line in a deadlock."""
        members, arrived = len(self.barrier.members), self.barrier.arrived
        return Waiting(agent, self.place, Waits.BARRIER, members, arrived)


@dataclass(frozen=True, slots=True)
class Turn:
    """Nothing: others may go first.

    Attributes:
        place: the number of the line.
        lets_others: whether they go first in any order of agents.
    """

    place: int
    lets_others: bool = True

    @property
    def is_met(self) -> bool:
        return True

    def waiting(self, agent: int) -> Waiting:
        """Return the agent's line; it could go on."""
        return Waiting(agent, self.place, Waits.LOOP, 0, 0, NOBODY)
