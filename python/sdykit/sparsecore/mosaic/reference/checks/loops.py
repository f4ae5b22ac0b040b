"""Iterations of a `parallel_loop` that depend on each other through memory."""

from __future__ import annotations

from sdykit.sparsecore.mosaic.reference.checks.regions import Region
from sdykit.sparsecore.mosaic.reference.checks.shadow import Access, Shadow
from sdykit.sparsecore.mosaic.reports import Action, DependentIterations


class ParallelLoop:
    """A loop that is under way.

    Iterations may run in any order: to each other they are as agents that never meet. Of each byte
    two accesses are remembered, of different iterations: one of them is not of the next one.
    """

    def __init__(self, agent: int, place: int) -> None:
        self._agent = agent
        self._place = place
        self._iteration = -1
        self._shadow = Shadow(lambda left, right: left.start == right.start, limit=2)

    def next(self) -> None:
        """Begin an iteration."""
        self._iteration += 1

    def forget(self, memory: tuple[int, int]) -> None:
        """Forget a buffer that the iteration has made for itself."""
        self._shadow.forget(memory)

    def touch(self, place: int, region: Region, action: Action) -> list[DependentIterations]:
        """Return what is wrong with a load or a store."""
        access = Access(self._agent, place, action, self._iteration)
        return [
            DependentIterations(
                agent=self._agent,
                place=place,
                action=action,
                iteration=self._iteration,
                other_place=each.place,
                other_action=each.action,
                other_iteration=each.start,
                buffer=region.buffer,
                loop=self._place,
            )
            for each in self._shadow.apply(access, region, None)
        ]
