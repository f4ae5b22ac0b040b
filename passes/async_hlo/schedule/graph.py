"""A block as numbers: what has to come before what, and where chains start and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property


@dataclass(frozen=True)
class Span:
    """A chain: the positions of its start, its updates and its done."""

    start: int
    updates: tuple[int, ...]
    done: int


@dataclass(frozen=True)
class Graph:
    """A block whose operations are numbers, their positions in it.

    The order of the block is a legal one: whatever has to come before an operation does.
    """

    predecessors: Sequence[Sequence[int]]
    """For each operation, what has to come before it."""
    spans: Sequence[Span]
    """The chains, in the order of their starts."""

    def __len__(self) -> int:
        return len(self.predecessors)

    @cached_property
    def successors(self) -> list[list[int]]:
        """For each operation, what has to come after it."""
        found: list[list[int]] = [[] for _ in self.predecessors]
        for op, predecessors in enumerate(self.predecessors):
            for predecessor in predecessors:
                found[predecessor].append(op)
        return found

    @cached_property
    def starts(self) -> list[int]:
        """The starts, in order."""
        return [span.start for span in self.spans]

    @cached_property
    def dones(self) -> list[int]:
        """The dones, in the order of the starts."""
        return [span.done for span in self.spans]

    def in_order(self, order: Sequence[int]) -> Graph:
        """Give the graph of the same block in another order."""
        at = [0] * len(order)
        for position, op in enumerate(order):
            at[op] = position
        spans = [
            Span(at[span.start], tuple([at[op] for op in span.updates]), at[span.done])
            for span in self.spans
        ]
        return replace(
            self,
            predecessors=[[at[other] for other in self.predecessors[op]] for op in order],
            spans=sorted(spans, key=lambda span: span.start),
        )

    def most_in_flight(self) -> int:
        """Count the chains that are in flight at once, where there are most of them."""
        changes = dict.fromkeys(self.starts, 1) | dict.fromkeys(self.dones, -1)
        count = most = 0
        for position in sorted(changes):
            count += changes[position]
            most = max(most, count)
        return most


class Ordering:
    """An order in the making: tells what has become ready."""

    def __init__(self, graph: Graph) -> None:
        self.order: list[int] = []
        self._waits = [len(predecessors) for predecessors in graph.predecessors]
        self._successors = graph.successors

    def ready_at_first(self) -> list[int]:
        """List the operations that nothing has to come before."""
        return [op for op, waits in enumerate(self._waits) if not waits]

    def take(self, op: int) -> list[int]:
        """Let `op` come next; give those that were waiting for nothing else."""
        self.order.append(op)
        ready = []
        for successor in self._successors[op]:
            self._waits[successor] -= 1
            if not self._waits[successor]:
                ready.append(successor)
        return ready
