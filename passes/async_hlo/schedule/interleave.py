"""Interleave the chains of a block with its other work, to hide their latency."""

from __future__ import annotations

from heapq import heappop, heappush

from sdykit.passes.async_hlo.schedule.graph import Graph, TopologicalOrder


def interleave_work(graph: Graph, bound: int) -> list[int]:
    """Return an order of a block, which keeps to the bound, with more work beside its chains.

    A start comes as soon as it can, else work that starts depend on, else other work, and a
    done when nothing else is left. But

    - starts keep their order;
    - what came after a start stays after it;
    - what came before a done stays before it, other dones excepted.

    So no chain has less work beside it than before. Nor is there ever nothing to schedule: of
    the remaining operations, the one that came first in the block can always be next. If that
    is a start, no more chains are in flight than before it in the block.
    """
    return _ListScheduler(graph, bound).order()


class _ListScheduler:
    """List scheduling; operations are their positions in the old order."""

    def __init__(self, graph: Graph, bound: int) -> None:
        self._size = len(graph)
        self._scheduled = TopologicalOrder(graph)
        self._slots = bound
        self._starts = [*graph.starts, self._size]
        self._started = 0
        self._dones = set(graph.dones)
        self._first_user = [min(users, default=self._size) for users in graph.successors]
        self._first_start = _first_dependent_starts(graph)
        self._is_scheduled = bytearray(self._size)
        self._frontier = 0
        """All operations at earlier positions are scheduled, except dones."""
        self._ready_starts: set[int] = set()
        # Heaps: work and dones that may come next, and those that are ready but held back,
        # because they have to stay after a start, or after work.
        self._work: list[tuple[int, int]] = []
        self._held_work: list[int] = []
        self._ready_dones: list[tuple[int, int, int]] = []
        self._held_dones: list[int] = []

    def order(self) -> list[int]:
        starts = set(self._starts)
        self._add(self._scheduled.initially_ready(), starts)
        for _ in range(self._size):
            self._release()
            op = self._next()
            self._is_scheduled[op] = 1
            self._add(self._scheduled.append(op), starts)
        return self._scheduled.order

    def _add(self, ready: list[int], starts: set[int]) -> None:
        for op in ready:
            if op in starts:
                self._ready_starts.add(op)
            else:
                heappush(self._held_dones if op in self._dones else self._held_work, op)

    def _release(self) -> None:
        """Make available the work and dones that nothing holds back any longer."""
        while self._held_work and self._held_work[0] < self._starts[self._started]:
            op = heappop(self._held_work)
            heappush(self._work, (self._first_start[op], op))
        while self._frontier < self._size and (
            self._is_scheduled[self._frontier] or self._frontier in self._dones
        ):
            self._frontier += 1
        while self._held_dones and self._held_dones[0] < self._frontier:
            op = heappop(self._held_dones)
            heappush(self._ready_dones, (self._first_start[op], self._first_user[op], op))

    def _next(self) -> int:
        start = self._starts[self._started]
        if self._slots and start in self._ready_starts:
            self._slots -= 1
            self._started += 1
            return start
        if self._work:
            return heappop(self._work)[-1]
        self._slots += 1
        return heappop(self._ready_dones)[-1]


def _first_dependent_starts(graph: Graph) -> list[int]:
    """Return for each operation the first start that depends on it, or is it.

    It is the length of the graph if there is none.
    """
    none = len(graph)
    found = [none] * none
    for start in graph.starts:
        found[start] = start
    for op in range(none - 1, -1, -1):
        for user in graph.successors[op]:
            found[op] = min(found[op], found[user])
    return found
