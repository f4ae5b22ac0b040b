"""The stack of ops to visit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Worklist:
    """A stack without duplicates; at first all ops are on it, the first one on top.

    Only ops that are *active* are taken: a visit of another one would change nothing. So the ops that were
    on the stack from the beginning are a number: how many of them have been taken.

    Attributes:
        active: for each op, whether a visit may change anything.
    """

    def __init__(self, active: bytearray, outer: Sequence[int]) -> None:
        """Create it; `outer` is the next op around each op that matters, negative for none."""
        self.active = active
        self._outer = outer
        self._taken = 0
        self._stack: list[int] = []
        self._on: set[int] = set()

    def push(self, node: int) -> None:
        """Put an op on the stack, and those around it."""
        while node >= 0:
            if node < self._taken and node not in self._on:
                self._on.add(node)
                self._stack.append(node)
            node = self._outer[node]

    def __iter__(self) -> Iterator[int]:
        """Yield the top op, and remove it, until none is left."""
        active, stack, on = self.active, self._stack, self._on
        while True:
            while stack:
                node = stack.pop()
                on.discard(node)
                if active[node]:
                    yield node
            node = active.find(1, self._taken)
            if node < 0:
                return
            self._taken = node + 1
            yield node
