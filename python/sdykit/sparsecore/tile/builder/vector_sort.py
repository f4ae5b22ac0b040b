"""Sorting in vectors: a bitonic network, whose pairs of elements are all put in ascending order.

Vectors are sorted first, each by itself. Then sorted parts are merged, two and two: the elements of
the first one are paired with those of the second from its end on, which leaves two halves, all
elements of the first at most those of the second. Each half is halved again by pairs at half of its
size, and so on (Batcher, Sorting networks and their applications).

The network is that of a power of two: elements after the last would be larger than all others, and
never move, so that pairs with them are left out. What is done follows from the number of elements
alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sdykit.core.sparsecore.names import COUNTS
from sdykit.core.sparsecore.steps import SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import (
    first_lanes,
    merged_parts,
    reversed_lanes,
    sorted_lanes,
)
from sdykit.sparsecore.tile.builder.ops import Builder

_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class VectorSort:
    """Sorts a part of a buffer in place, in ascending order.

    Attributes:
        builder: the builder that ops are added with.
        buffer: the buffer, of i64, of rank 1.
        first: the position of the first element.
        count: the number of elements.
        lanes: the number of elements of a vector, a power of two.
        run: adds ops that run a body for each number below one, in any order, before what follows;
            called with that number, and the function that adds the body.
    """

    builder: Builder
    buffer: ir.Value
    first: ir.Value
    count: ir.Value
    lanes: int
    run: Callable[[ir.Value, Callable[[ir.Value], None]], None]

    def sort(self) -> None:
        """Add the ops that sort."""
        b = self.builder
        vectors = b.div(b.add(self.count, self.lanes - 1), self.lanes)
        merges = b.bit_length(b.sub(b.maximum(vectors, 1), 1))

        def merge(number: ir.Value) -> tuple[()]:
            half = b.bits("arith.shli", 1, number)
            self._pair_up(vectors, half)
            b.loop(0, number, lambda done: self._halve(vectors, half, b.add(done, 1)))
            self._change_each(vectors, self._halve_vector)
            return ()

        self._change_each(vectors, self._sort_vector)
        b.loop(0, merges, merge, attributes={COUNTS: f'"{SORT}: passes"'})

    def _change_each(self, vectors: ir.Value, change: Callable[[ir.Value], ir.Value]) -> None:
        """Replace each vector by what `change` returns for it."""

        def each(number: ir.Value) -> None:
            place = self._place(number)
            self._store(change(self._load(place)), place)

        self.run(vectors, each)

    def _sort_vector(self, values: ir.Value) -> ir.Value:
        return sorted_lanes(self.builder, values)

    def _halve_vector(self, values: ir.Value) -> ir.Value:
        return merged_parts(self.builder, values, self.lanes)

    def _pair_up(self, vectors: ir.Value, half: ir.Value) -> None:
        """Pair the vectors of each two sorted parts of `half` vectors, mirrored.

        Their elements are exchanged as those of one long vector from its last to its first.
        """
        b = self.builder

        def pair(number: ir.Value) -> None:
            middle, within = self._middle(number, half)
            places = b.sub(b.sub(middle, 1), within), b.add(middle, within)
            self._exchange(*places, lambda values: reversed_lanes(b, values))

        self.run(self._pairs(vectors, half), pair)

    def _halve(self, vectors: ir.Value, half: ir.Value, times: ir.Value) -> tuple[()]:
        """Pair vectors at a distance of `half`, halved some times."""
        b = self.builder
        distance = b.bits("arith.shrui", half, times)

        def pair(number: ir.Value) -> None:
            middle, within = self._middle(number, distance)
            high = b.add(middle, within)
            self._exchange(b.sub(high, distance), high, lambda values: values)

        self.run(self._pairs(vectors, distance), pair)
        return ()

    def _pairs(self, vectors: ir.Value, half: ir.Value) -> ir.Value:
        """Return the number of vectors in second halves, of parts of two times `half` vectors."""
        b = self.builder
        whole = b.mul(half, 2)
        rest = b.maximum(b.sub(b.rem(vectors, whole), half), 0)
        return b.add(b.mul(b.div(vectors, whole), half), rest)

    def _middle(self, pair: ir.Value, half: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return where the second half begins that a pair is in, and the number of the pair there."""
        b = self.builder
        return b.add(b.mul(b.div(pair, half), b.mul(half, 2)), half), b.rem(pair, half)

    def _exchange(
        self, low: ir.Value, high: ir.Value, order: Callable[[ir.Value], ir.Value]
    ) -> None:
        """Leave the smaller elements of two vectors in the first one, the larger ones in the second.

        Args:
            low: the number of the first vector.
            high: the number of the second vector.
            order: brings the elements of the second vector to the lanes of those that they are
                compared with, and back.
        """
        b, places = self.builder, (self._place(low), self._place(high))
        first, second = (self._load(place) for place in places)
        second = order(second)
        self._store(b.integers("arith.minsi", first, second), places[0])
        self._store(order(b.integers("arith.maxsi", first, second)), places[1])

    def _place(self, vector: ir.Value) -> ir.Value:
        """Return the position of the first element of a vector, counted from `first`."""
        return self.builder.mul(vector, self.lanes)

    def _load(self, place: ir.Value) -> ir.Value:
        """Load a vector; after the last element, it is larger than any."""
        b, type_ = self.builder, self.builder.type(f"vector<{self.lanes}xi64>")
        largest = b.constant(f"dense<{_LARGEST}>", type_)
        operands = [self.buffer, b.add(self.first, place), self._mask(place), largest]
        return b.op("vector.maskedload", operands, [type_]).result

    def _store(self, values: ir.Value, place: ir.Value) -> None:
        b = self.builder
        operands = [self.buffer, b.add(self.first, place), self._mask(place), values]
        b.op("vector.maskedstore", operands)

    def _mask(self, place: ir.Value) -> ir.Value:
        """Return the mask of the elements of a vector that there are."""
        return first_lanes(self.builder, self.builder.sub(self.count, place), self.lanes)
