"""Slides starts up and dones down as far as nothing holds them."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.passes.async_hlo.schedule.graph import Graph


def slid(graph: Graph, bound: int) -> list[int]:
    """Order a block, which keeps to the bound, such that no start could come earlier alone.

    Nor could a done come later. All other operations keep their order.
    """
    starts, dones = graph.starts, graph.dones
    early = _opened_early(graph.predecessors, starts, dones, bound)
    graph = graph.in_order(early)
    # Read backwards, dones open chains and successors are predecessors.
    last = len(graph) - 1
    backwards = [[last - after for after in graph.successors[op]] for op in range(last, -1, -1)]
    opens, closes = ([last - op for op in ops] for ops in (graph.dones, graph.starts))
    late = _opened_early(backwards, opens, closes, bound)
    return [early[last - op] for op in reversed(late)]


def _opened_early(
    predecessors: Sequence[Sequence[int]], opens: Sequence[int], closes: Sequence[int], bound: int
) -> list[int]:
    """Move each of `opens` up, between the operations that are none of them."""
    movable = set(opens)
    fixed = [op for op in range(len(predecessors)) if op not in movable]
    # The gap in which an operation is, or the first gap behind one that is fixed. There is
    # a gap in front of each fixed operation, and one at the end.
    gap = [0] * len(predecessors)
    passed = 0
    for op in range(len(predecessors)):
        passed += op not in movable
        gap[op] = passed
    load = _Load(_loads(gap, opens, closes, len(fixed) + 1), bound)
    arrivals: list[list[int]] = [[] for _ in range(len(fixed) + 1)]
    for op in sorted(opens):
        held = max([gap[before] for before in predecessors[op]], default=0)
        goal = max(held, load.last_full(gap[op]) + 1)
        load.add(goal, gap[op])
        gap[op] = goal
        arrivals[goal].append(op)
    order = arrivals[0]
    for op, behind in zip(fixed, arrivals[1:], strict=True):
        order += [op, *behind]
    return order


def _loads(gap: Sequence[int], opens: Sequence[int], closes: Sequence[int], gaps: int) -> list[int]:
    """Count for each gap the chains that are in flight at its end."""
    changes = [0] * gaps
    for op in opens:
        changes[gap[op]] += 1
    for op in closes:
        changes[gap[op]] -= 1
    count, loads = 0, []
    for change in changes:
        count += change
        loads.append(count)
    return loads


class _Load:
    """Numbers of chains in flight: a segment tree that finds where the bound is reached."""

    def __init__(self, loads: Sequence[int], bound: int) -> None:
        self._bound = bound
        self._size = 1 << max(len(loads) - 1, 0).bit_length()
        # Node n has the children 2n and 2n+1: the most in its range, and what was added to
        # the whole range, which is counted in its own `most` only.
        self._most = [0] * self._size + [*loads] + [0] * (self._size - len(loads))
        self._added = [0] * (2 * self._size)
        for node in range(self._size - 1, 0, -1):
            self._most[node] = max(self._most[2 * node], self._most[2 * node + 1])

    def add(self, first: int, end: int) -> None:
        """Count one more in each gap from `first` to the one before `end`."""
        low, high = first + self._size, end + self._size
        touched = low, high - 1
        if first >= end:
            return
        while low < high:
            if low & 1:
                self._grow(low)
                low += 1
            if high & 1:
                high -= 1
                self._grow(high)
            low, high = low // 2, high // 2
        for node in touched:
            while node := node // 2:
                below = max(self._most[2 * node], self._most[2 * node + 1])
                self._most[node] = below + self._added[node]

    def last_full(self, end: int) -> int:
        """Find the last gap before `end` that has reached the bound; -1 if none has."""
        if self._most[1] < self._bound:
            return -1
        # Up to the ranges that end there, from the right; then down into one that is full.
        node = end + self._size
        above = self._above(node)
        while node > 1:
            # What was added above a node was added above its sibling.
            if node & 1 and self._most[node - 1] + above >= self._bound:
                return self._descend(node - 1, above)
            node //= 2
            above -= self._added[node]
        return -1

    def _grow(self, node: int) -> None:
        self._most[node] += 1
        self._added[node] += 1

    def _above(self, node: int) -> int:
        added = 0
        while node := node // 2:
            added += self._added[node]
        return added

    def _descend(self, node: int, above: int) -> int:
        while node < self._size:
            above += self._added[node]
            node = 2 * node + (self._most[2 * node + 1] + above >= self._bound)
        return node - self._size
