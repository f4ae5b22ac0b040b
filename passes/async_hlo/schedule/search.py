"""Search for an order of the starts of a block that keeps to a bound."""

from __future__ import annotations

from heapq import heappop, heappush

from sdykit.passes.async_hlo.schedule.graph import Graph

_MAX_STEPS = 300_000
"""Operations that may be scheduled during a search, besides 20 times those of the block."""


def search_order(graph: Graph, bound: int) -> list[int] | None:
    """Return an order with at most `bound` chains in flight; None if none was found.

    Operations that are no starts are scheduled as soon as they are ready, which can only help.
    So is a start after which no more chains are in flight than before it, once all that it
    makes ready is scheduled. Of the other starts each is tried, but no set of starts twice.
    That may take exponential time: the search ends after a number of steps.
    """
    partial, failed = _PartialOrder(graph), set[int]()
    limit = _MAX_STEPS + 20 * len(graph)
    # For each choice: how many operations were scheduled, and the starts that are left to try.
    choices: list[tuple[int, list[int]]] = []
    while partial.steps <= limit:
        partial.append_harmless_starts(bound)
        if len(partial.order) == len(graph):
            return partial.order
        is_stuck = partial.in_flight >= bound or partial.started in failed
        options = [] if is_stuck else sorted(partial.ready_starts, reverse=True)
        choices.append((len(partial.order), options))
        while choices and not choices[-1][1]:
            partial.backtrack_to(choices.pop()[0])
            failed.add(partial.started)
        if not choices:
            return None
        length, options = choices[-1]
        partial.backtrack_to(length)
        partial.append_start(options.pop())
    return None


class _PartialOrder:
    """The beginning of an order, which can be undone.

    Attributes:
        order: the operations so far.
        in_flight: the number of chains in flight after them.
        started: the starts among them, a bit for each.
        steps: the number of operations ever appended.
        ready_starts: the starts that may come next.
    """

    def __init__(self, graph: Graph) -> None:
        self.order: list[int] = []
        self.in_flight = 0
        self.started = 0
        self.steps = 0
        self._successors = graph.successors
        self._missing = [len(predecessors) for predecessors in graph.predecessors]
        self._number = {start: number for number, start in enumerate(graph.starts)}
        self._dones = set(graph.dones)
        ready = [op for op, missing in enumerate(self._missing) if not missing]
        self.ready_starts = {op for op in ready if op in self._number}
        self._append_ready([op for op in ready if op not in self._number])

    def append_start(self, start: int) -> None:
        """Append a start, and all that is ready after it but other starts."""
        self.ready_starts.remove(start)
        self._append_ready([start])

    def append_harmless_starts(self, bound: int) -> None:
        """Append the starts after which no more chains are in flight than before."""
        has_changed = True
        while has_changed and self.in_flight < bound:
            has_changed = False
            for start in sorted(self.ready_starts):
                length, before = len(self.order), self.in_flight
                self.append_start(start)
                if self.in_flight > before:
                    self.backtrack_to(length)
                else:
                    has_changed = True

    def backtrack_to(self, length: int) -> None:
        """Undo all but the first `length` operations."""
        while len(self.order) > length:
            op = self.order.pop()
            self._count(op, -1)
            for successor in self._successors[op]:
                self._missing[successor] += 1
                self.ready_starts.discard(successor)
            if op in self._number:
                self.ready_starts.add(op)

    def _append_ready(self, ready: list[int]) -> None:
        while ready:
            op = heappop(ready)
            self.order.append(op)
            self.steps += 1
            self._count(op, 1)
            for successor in self._successors[op]:
                self._missing[successor] -= 1
                if self._missing[successor]:
                    continue
                if successor in self._number:
                    self.ready_starts.add(successor)
                else:
                    heappush(ready, successor)

    def _count(self, op: int, sign: int) -> None:
        if op in self._number:
            self.in_flight += sign
            self.started ^= 1 << self._number[op]
        elif op in self._dones:
            self.in_flight -= sign
