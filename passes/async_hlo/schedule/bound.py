"""Bring a block to a bound on the chains in flight."""

from __future__ import annotations

from heapq import heappop, heappush

from sdykit.passes.async_hlo.schedule.graph import Graph, TopologicalOrder
from sdykit.passes.async_hlo.schedule.search import search_order


class BoundError(Exception):
    """No order was found that keeps to the bound.

    Attributes:
        start: the start at which one chain too many would be in flight.
    """

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def limit_in_flight(graph: Graph, bound: int) -> list[int]:
    """Return an order of a block in which at most `bound` chains are in flight.

    A block that keeps to the bound already keeps its order.

    Raises:
        BoundError: no such order was found.
    """
    if graph.max_in_flight() <= bound:
        return list(range(len(graph)))
    try:
        return _ListScheduler(graph, bound).order()
    except BoundError:
        # A chain was started whose done waits for chains that have not started yet.
        order = search_order(graph, bound)
        if order is None:
            raise
        return order


class _ListScheduler:
    """List scheduling by position in the block, except at a start that is one too many.

    There the chain whose done comes first in the block is ended, if it can be; otherwise the
    start waits.
    """

    def __init__(self, graph: Graph, bound: int) -> None:
        self._scheduled = TopologicalOrder(graph)
        self._slots = bound
        self._starts = set(graph.starts)
        self._done = {op: span.done for span in graph.spans for op in (*span.updates, span.done)}
        """For each update and done, the done of its chain."""
        self._is_scheduled = bytearray(len(graph))
        # Heaps of ready operations. Updates and dones are both in `_others` and in `_phases`.
        self._ready_starts: list[int] = []
        self._others: list[int] = []
        self._phases: list[tuple[int, int]] = []
        for op in self._scheduled.initially_ready():
            self._add(op)

    def order(self) -> list[int]:
        while len(self._scheduled.order) < len(self._is_scheduled):
            op = self._next()
            self._is_scheduled[op] = 1
            self._slots += (self._done.get(op) == op) - (op in self._starts)
            for ready in self._scheduled.append(op):
                self._add(ready)
        return self._scheduled.order

    def _add(self, op: int) -> None:
        heappush(self._ready_starts if op in self._starts else self._others, op)
        if op in self._done:
            heappush(self._phases, (self._done[op], op))

    def _next(self) -> int:
        while self._others and self._is_scheduled[self._others[0]]:
            heappop(self._others)
        while self._phases and self._is_scheduled[self._phases[0][1]]:
            heappop(self._phases)
        starts, others = self._ready_starts, self._others
        if starts and (not others or starts[0] < others[0]):
            if self._slots:
                return heappop(starts)
            if self._phases:
                return heappop(self._phases)[1]
        if others:
            return heappop(others)
        raise BoundError(starts[0])
