"""The dependency graph of a block: operations as numbers, and the chains among them."""

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

    The order of the block is a legal one: an operation comes after all its predecessors.
    """

    predecessors: Sequence[Sequence[int]]
    """For each operation, those that have to come before it."""
    spans: Sequence[Span]
    """The chains, in the order of their starts."""

    def __len__(self) -> int:
        return len(self.predecessors)

    @cached_property
    def successors(self) -> list[list[int]]:
        """For each operation, those that have to come after it."""
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

    def reordered(self, order: Sequence[int]) -> Graph:
        """Return the graph of the same block in another order."""
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

    def max_in_flight(self) -> int:
        """Return the maximum number of chains that are in flight at once."""
        changes = dict.fromkeys(self.starts, 1) | dict.fromkeys(self.dones, -1)
        count = maximum = 0
        for position in sorted(changes):
            count += changes[position]
            maximum = max(maximum, count)
        return maximum


class TopologicalOrder:
    """A legal order that is built operation by operation, with the operations that become ready.

    Attributes:
        order: the operations so far.
    """

    def __init__(self, graph: Graph) -> None:
        self.order: list[int] = []
        self._missing = [len(predecessors) for predecessors in graph.predecessors]
        self._successors = graph.successors

    def initially_ready(self) -> list[int]:
        """Return the operations without predecessors."""
        return [op for op, missing in enumerate(self._missing) if not missing]

    def append(self, op: int) -> list[int]:
        """Append an operation that is ready; return those that are ready because of it."""
        self.order.append(op)
        ready = []
        for successor in self._successors[op]:
            self._missing[successor] -= 1
            if not self._missing[successor]:
                ready.append(successor)
        return ready
