"""Searches for an order of the starts of a block that keeps to a bound."""

from __future__ import annotations

from heapq import heappop, heappush

from sdykit.passes.async_hlo.schedule.graph import Graph

_STEPS = 300_000
"""How many operations may be taken, besides 20 times those of the block."""


def searched(graph: Graph, bound: int) -> list[int] | None:
    """Order a block such that at most `bound` chains are in flight; None if it is not found.

    What is no start is taken when it is ready: that can only help. So is a start if not more
    chains are in flight when all that it lets happen has happened. Of other starts each is
    tried, and what it leads to once only. To find an order or to find that there is none
    may take exponential time: it gives up after a number of steps.
    """
    progress, failed = _Progress(graph), set[int]()
    limit = _STEPS + 20 * len(graph)
    # For each choice: how much had been taken, and the starts that have not been tried.
    choices: list[tuple[int, list[int]]] = []
    while progress.steps <= limit:
        progress.take_what_is_free(bound)
        if len(progress.order) == len(graph):
            return progress.order
        is_stuck = progress.in_flight >= bound or progress.started in failed
        options = [] if is_stuck else sorted(progress.ready_starts, reverse=True)
        choices.append((len(progress.order), options))
        while choices and not choices[-1][1]:
            progress.go_back(choices.pop()[0])
            failed.add(progress.started)
        if not choices:
            return None
        length, options = choices[-1]
        progress.go_back(length)
        progress.take(options.pop())
    return None


class _Progress:
    """The beginning of an order, which can be taken back."""

    def __init__(self, graph: Graph) -> None:
        self.order: list[int] = []
        self.in_flight = 0
        self.started = 0
        """The starts that have been taken, a bit for each."""
        self.steps = 0
        self._successors = graph.successors
        self._waits = [len(predecessors) for predecessors in graph.predecessors]
        self._number = {start: number for number, start in enumerate(graph.starts)}
        self._dones = set(graph.dones)
        ready = [op for op, waits in enumerate(self._waits) if not waits]
        self.ready_starts = {op for op in ready if op in self._number}
        self._run([op for op in ready if op not in self._number])

    def take(self, start: int) -> None:
        """Take a start, and all that is ready then but other starts."""
        self.ready_starts.remove(start)
        self._run([start])

    def take_what_is_free(self, bound: int) -> None:
        """Take the starts after which no more chains are in flight than before."""
        goes_on = True
        while goes_on and self.in_flight < bound:
            goes_on = False
            for start in sorted(self.ready_starts):
                length, before = len(self.order), self.in_flight
                self.take(start)
                if self.in_flight > before:
                    self.go_back(length)
                else:
                    goes_on = True

    def go_back(self, length: int) -> None:
        """Put back all but the first operations."""
        while len(self.order) > length:
            op = self.order.pop()
            self._count(op, -1)
            for successor in self._successors[op]:
                self._waits[successor] += 1
                self.ready_starts.discard(successor)
            if op in self._number:
                self.ready_starts.add(op)

    def _run(self, ready: list[int]) -> None:
        while ready:
            op = heappop(ready)
            self.order.append(op)
            self.steps += 1
            self._count(op, 1)
            for successor in self._successors[op]:
                self._waits[successor] -= 1
                if self._waits[successor]:
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
