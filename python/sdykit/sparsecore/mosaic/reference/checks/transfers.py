"""Transfers under way: DMAs that were started, and that nobody has waited for."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

from sdykit.sparsecore.mosaic.reference.checks.regions import Region, overlap
from sdykit.sparsecore.mosaic.reference.checks.shadow import Access
from sdykit.sparsecore.mosaic.reports import NOBODY, Action

Side = tuple[Access, Region]
"""What a transfer does with one piece of memory."""


@dataclass(slots=True)
class _Started:
    """What a semaphore is to be waited for: `amount` says that `sides` are done."""

    amount: int
    place: int
    sides: list[Side]


class Transfers:
    """All transfers under way, by their semaphores, and by the agents whose memory they touch."""

    def __init__(self) -> None:
        self._queues: dict[int, deque[_Started]] = defaultdict(deque)
        self._waited: dict[int, int] = defaultdict(int)
        self._private: dict[int, list[Side]] = defaultdict(list)

    def start(self, semaphore: int, amount: int, place: int, sides: list[Side]) -> None:
        """Add sides of a transfer that are done when a semaphore has been waited for."""
        self._queues[semaphore].append(_Started(amount, place, sides))
        for side in sides:
            if side[1].is_private:
                self._private[side[1].owner].append(side)

    def complete(self, semaphore: int, amount: int) -> list[Access]:
        """Return the accesses that are done now that a semaphore has been waited for.

        Transfers are done in the order in which they were started, as far as the amounts go.
        """
        queue = self._queues[semaphore]
        self._waited[semaphore] += amount
        done: list[Side] = []
        while queue and queue[0].amount <= self._waited[semaphore]:
            self._waited[semaphore] -= queue[0].amount
            done += queue.popleft().sides
        if not queue:
            self._waited[semaphore] = 0
        for side in done:
            if side[1].is_private:
                self._private[side[1].owner].remove(side)
        return [access for access, _ in done]

    def conflicts(self, action: Action, region: Region) -> Iterator[Access]:
        """Yield what is under way in an agent's own memory that an access there conflicts with."""
        for access, other in self._private[region.owner]:
            if _conflict(action, access.action) and overlap(region, other):
                yield access

    def are_private(self, agent: int) -> bool:
        """Return whether transfers are under way in an agent's own memory."""
        return bool(self._private[agent])

    def unwaited(self, semaphore: int) -> int:
        """Return the line of the first transfer under way on a semaphore, or `NOBODY`."""
        queue = self._queues[semaphore]
        return queue[0].place if queue else NOBODY


def _conflict(left: Action, right: Action) -> bool:
    return not (left == right and left in (Action.READ, Action.ADD))
