"""Puts other work between the starts and the dones of a block."""

from __future__ import annotations

from heapq import heappop, heappush

from sdykit.passes.async_hlo.schedule.graph import Graph, Ordering


def interleaved(graph: Graph, bound: int) -> list[int]:
    """Order a block, which keeps to the bound, such that more work is beside its chains.

    A start comes as soon as it can, else work that starts need, else other work, and a done
    when nothing else is left. But

    - starts keep their order;
    - what came after a start stays after it;
    - what came before a done stays before it, other dones excepted.

    So no chain has less beside it than before. And it never ends in a dead end: of what is
    left, the operation that came first can always be next. If that is a start, no more
    chains are in flight than were in front of it.
    """
    return _Interleaving(graph, bound).order()


class _Interleaving:
    """Positions are those of the old order."""

    def __init__(self, graph: Graph, bound: int) -> None:
        self._size = len(graph)
        self._ordering = Ordering(graph)
        self._slots = bound
        self._starts = [*graph.starts, self._size]
        self._started = 0
        self._dones = set(graph.dones)
        self._first_user = [min(users, default=self._size) for users in graph.successors]
        self._needed_by = _first_starts_behind(graph)
        self._taken = bytearray(self._size)
        self._front = 0
        """All that stood before it is taken, except dones."""
        self._ready_starts: set[int] = set()
        # Heaps: what may come next, and what is ready but has to stay behind something.
        self._work: list[tuple[int, int]] = []
        self._held_work: list[int] = []
        self._ends: list[tuple[int, int, int]] = []
        self._held_ends: list[int] = []

    def order(self) -> list[int]:
        starts = set(self._starts)
        self._add(self._ordering.ready_at_first(), starts)
        for _ in range(self._size):
            self._release()
            op = self._next()
            self._taken[op] = 1
            self._add(self._ordering.take(op), starts)
        return self._ordering.order

    def _add(self, ready: list[int], starts: set[int]) -> None:
        for op in ready:
            if op in starts:
                self._ready_starts.add(op)
            else:
                heappush(self._held_ends if op in self._dones else self._held_work, op)

    def _release(self) -> None:
        while self._held_work and self._held_work[0] < self._starts[self._started]:
            op = heappop(self._held_work)
            heappush(self._work, (self._needed_by[op], op))
        while self._front < self._size and (self._taken[self._front] or self._front in self._dones):
            self._front += 1
        while self._held_ends and self._held_ends[0] < self._front:
            op = heappop(self._held_ends)
            heappush(self._ends, (self._needed_by[op], self._first_user[op], op))

    def _next(self) -> int:
        start = self._starts[self._started]
        if self._slots and start in self._ready_starts:
            self._slots -= 1
            self._started += 1
            return start
        if self._work:
            return heappop(self._work)[-1]
        self._slots += 1
        return heappop(self._ends)[-1]


def _first_starts_behind(graph: Graph) -> list[int]:
    """For each operation, the first start that depends on it, or is it."""
    none = len(graph)
    found = [none] * none
    for start in graph.starts:
        found[start] = start
    for op in range(none - 1, -1, -1):
        for user in graph.successors[op]:
            found[op] = min(found[op], found[user])
    return found
