"""Hoist starts and sink dones as far as dependencies and the bound allow."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.passes.async_hlo.schedule.graph import Graph


def hoist_starts_sink_dones(graph: Graph, bound: int) -> list[int]:
    """Return an order of a block, which keeps to the bound, with chains as long as can be.

    No start could come earlier, and no done later, if only it were moved. All other operations
    keep their order.
    """
    hoisted = _hoist(graph.predecessors, graph.starts, graph.dones, bound)
    graph = graph.reordered(hoisted)
    # Sinking dones is hoisting them in the reversed block: successors are predecessors there.
    last = len(graph) - 1
    reversed_graph = [[last - each for each in graph.successors[op]] for op in range(last, -1, -1)]
    opens = [last - op for op in graph.dones]
    closes = [last - op for op in graph.starts]
    sunk = _hoist(reversed_graph, opens, closes, bound)
    return [hoisted[last - op] for op in reversed(sunk)]


def _hoist(
    predecessors: Sequence[Sequence[int]], opens: Sequence[int], closes: Sequence[int], bound: int
) -> list[int]:
    """Return the order in which each of `opens` has moved up among all other operations.

    Args:
        predecessors: the operations that have to come before each one.
        opens: the operations at which a chain gets in flight.
        closes: the operations at which a chain is in flight no longer.
        bound: the maximum number of chains in flight.
    """
    movable = set(opens)
    fixed = [op for op in range(len(predecessors)) if op not in movable]
    # Gap n is between the fixed operations n-1 and n. `gap` is the gap that a movable operation
    # is in, and the one right after a fixed operation.
    gap = [0] * len(predecessors)
    passed = 0
    for op in range(len(predecessors)):
        passed += op not in movable
        gap[op] = passed
    in_flight = _InFlight(_count_in_flight(gap, opens, closes, len(fixed) + 1), bound)
    moved_to: list[list[int]] = [[] for _ in range(len(fixed) + 1)]
    for op in sorted(opens):
        earliest = max([gap[before] for before in predecessors[op]], default=0)
        goal = max(earliest, in_flight.last_full(gap[op]) + 1)
        in_flight.add(goal, gap[op])
        gap[op] = goal
        moved_to[goal].append(op)
    order = moved_to[0]
    for op, moved in zip(fixed, moved_to[1:], strict=True):
        order += [op, *moved]
    return order


def _count_in_flight(
    gap: Sequence[int], opens: Sequence[int], closes: Sequence[int], gaps: int
) -> list[int]:
    """Return for each gap the number of chains in flight at its end."""
    changes = [0] * gaps
    for op in opens:
        changes[gap[op]] += 1
    for op in closes:
        changes[gap[op]] -= 1
    count, counts = 0, []
    for change in changes:
        count += change
        counts.append(count)
    return counts


class _InFlight:
    """Numbers of chains in flight: a segment tree that finds where the bound is reached."""

    def __init__(self, counts: Sequence[int], bound: int) -> None:
        self._bound = bound
        self._size = 1 << max(len(counts) - 1, 0).bit_length()
        # Node n has the children 2n and 2n+1. `_max` is the maximum in its range, without
        # what was added to the ranges of its ancestors; `_added` what was added to its own.
        self._max = [0] * self._size + [*counts] + [0] * (self._size - len(counts))
        self._added = [0] * (2 * self._size)
        for node in range(self._size - 1, 0, -1):
            self._max[node] = max(self._max[2 * node], self._max[2 * node + 1])

    def add(self, first: int, end: int) -> None:
        """Count one more in each gap from `first` to the one before `end`."""
        low, high = first + self._size, end + self._size
        touched = low, high - 1
        if first >= end:
            return
        while low < high:
            if low & 1:
                self._increment(low)
                low += 1
            if high & 1:
                high -= 1
                self._increment(high)
            low, high = low // 2, high // 2
        for node in touched:
            while node := node // 2:
                below = max(self._max[2 * node], self._max[2 * node + 1])
                self._max[node] = below + self._added[node]

    def last_full(self, end: int) -> int:
        """Return the last gap before `end` that has reached the bound; -1 if none has."""
        if self._max[1] < self._bound:
            return -1
        # Up through the ranges that end there, from the right; then down into a full one.
        node = end + self._size
        above = self._added_above(node)
        while node > 1:
            # What was added above a node was added above its sibling.
            if node & 1 and self._max[node - 1] + above >= self._bound:
                return self._descend(node - 1, above)
            node //= 2
            above -= self._added[node]
        return -1

    def _increment(self, node: int) -> None:
        self._max[node] += 1
        self._added[node] += 1

    def _added_above(self, node: int) -> int:
        added = 0
        while node := node // 2:
            added += self._added[node]
        return added

    def _descend(self, node: int, above: int) -> int:
        while node < self._size:
            above += self._added[node]
            node = 2 * node + (self._max[2 * node + 1] + above >= self._bound)
        return node - self._size
