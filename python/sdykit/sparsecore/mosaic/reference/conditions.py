"""What an agent waits for at a switch point."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.sparsecore.mosaic.reference.machine import Barrier
from sdykit.sparsecore.mosaic.reference.semaphores import Semaphore
from sdykit.sparsecore.mosaic.reports import Waiting, Waits


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
    def is_poll(self) -> bool:
        return False

    def waiting(self, agent: int) -> Waiting:
        """Return the agent's line in a deadlock."""
        return Waiting(agent, self.place, self.waits, self.amount, self.semaphore.count)


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
    def is_poll(self) -> bool:
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
        semaphore: the semaphore that the agent has only looked at, or None.
    """

    place: int
    semaphore: Semaphore | None = None

    @property
    def is_met(self) -> bool:
        return True

    @property
    def is_poll(self) -> bool:
        return self.semaphore is not None

    def waiting(self, agent: int) -> Waiting:
        """Return the agent's line when all do nothing but look."""
        count = self.semaphore.count if self.semaphore is not None else 0
        return Waiting(agent, self.place, Waits.CHANGE, 0, count)
