"""Brings a block to a bound on the chains in flight."""

from __future__ import annotations

from heapq import heappop, heappush

from sdykit.passes.async_hlo.schedule.graph import Graph, Ordering
from sdykit.passes.async_hlo.schedule.search import searched


class BoundError(Exception):
    """No order was found that keeps to the bound."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start
        """The start at which one chain too many would be in flight."""


def brought_to(graph: Graph, bound: int) -> list[int]:
    """Order a block such that at most `bound` chains are in flight.

    A block that keeps to the bound stays as it is.

    Raises:
        BoundError: chains in flight wait for one that is not.
    """
    if graph.most_in_flight() <= bound:
        return list(range(len(graph)))
    try:
        return _Bringing(graph, bound).order()
    except BoundError:
        # A chain was started whose done waits for chains that are yet to start.
        order = searched(graph, bound)
        if order is None:
            raise
        return order


class _Bringing:
    """What comes first in the block comes first, except at a start that is one too many.

    There the chain that would have ended next ends, if it can; otherwise the start waits.
    """

    def __init__(self, graph: Graph, bound: int) -> None:
        self._ordering = Ordering(graph)
        self._slots = bound
        self._starts = set(graph.starts)
        self._done = {op: span.done for span in graph.spans for op in (*span.updates, span.done)}
        self._taken = bytearray(len(graph))
        # Three heaps of what is ready. What ends chains is in two of them.
        self._ready_starts: list[int] = []
        self._others: list[int] = []
        self._ending: list[tuple[int, int]] = []
        for op in self._ordering.ready_at_first():
            self._add(op)

    def order(self) -> list[int]:
        while len(self._ordering.order) < len(self._taken):
            op = self._next()
            self._taken[op] = 1
            self._slots += (self._done.get(op) == op) - (op in self._starts)
            for ready in self._ordering.take(op):
                self._add(ready)
        return self._ordering.order

    def _add(self, op: int) -> None:
        heappush(self._ready_starts if op in self._starts else self._others, op)
        if op in self._done:
            heappush(self._ending, (self._done[op], op))

    def _next(self) -> int:
        while self._others and self._taken[self._others[0]]:
            heappop(self._others)
        while self._ending and self._taken[self._ending[0][1]]:
            heappop(self._ending)
        starts, others = self._ready_starts, self._others
        if starts and (not others or starts[0] < others[0]):
            if self._slots:
                return heappop(starts)
            if self._ending:
                return heappop(self._ending)[1]
        if others:
            return heappop(others)
        raise BoundError(starts[0])
