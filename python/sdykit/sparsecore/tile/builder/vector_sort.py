"""Sorting in vectors: a bitonic network, whose pairs of elements are all put in ascending order.

Vectors are sorted first, each by itself. Then sorted parts are merged, two and two: the elements of
the first one are paired with those of the second from its end on, which leaves two halves, all
elements of the first at most those of the second. Each half is halved again by pairs at half of its
size, and so on (Batcher, Sorting networks and their applications).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import exchanged, reversed_lanes
from sdykit.sparsecore.tile.builder.ops import Builder


@dataclass(frozen=True)
class VectorSort:
    """Sorts a part of a buffer in place, in ascending order.

    Attributes:
        builder: the builder that ops are added with.
        buffer: the buffer, of integers, of rank 1.
        first: the position of the first element.
        lanes: the number of elements of a vector, a power of two.
    """

    builder: Builder
    buffer: ir.Value
    first: ir.Value
    lanes: int

    def size(self, count: ir.Value) -> ir.Value:
        """Return the number of elements to sort for `count`, which is positive: a power of two."""
        b = self.builder
        bits = b.bit_length(b.sub(count, 1))
        return b.maximum(b.bits("arith.shli", 1, bits), self.lanes)

    def sort(self, size: ir.Value) -> None:
        """Sort some elements, as many as `size` returns."""
        b, lanes = self.builder, self.lanes
        vectors = b.div(size, lanes)

        def merge(number: ir.Value) -> tuple[()]:
            half = b.bits("arith.shli", 1, number)
            self._pair_up(vectors, half)
            self._halve(vectors, number)
            self._each_vector(size, self._halve_vector)
            return ()

        self._each_vector(size, self._sort_vector)
        b.loop(0, b.sub(b.bit_length(vectors), 1), merge)

    def _each_vector(self, size: ir.Value, change: Callable[[ir.Value], ir.Value]) -> None:
        """Replace each vector by what `change` returns for it."""
        b = self.builder

        def each(offset: ir.Value) -> tuple[()]:
            place = b.add(self.first, offset)
            values = b.load_vector(self.buffer, [place], self.lanes)
            b.store_vector(change(values), self.buffer, [place])
            return ()

        b.loop(0, size, each, step=self.lanes)

    def _sort_vector(self, values: ir.Value) -> ir.Value:
        part = 2
        while part <= self.lanes:
            values = exchanged(self.builder, values, part - 1)
            values, part = self._halve_parts(values, part // 2), 2 * part
        return values

    def _halve_vector(self, values: ir.Value) -> ir.Value:
        return self._halve_parts(values, self.lanes)

    def _halve_parts(self, values: ir.Value, size: int) -> ir.Value:
        """Sort the parts of a vector that are each two halves to be merged."""
        while size > 1:
            size //= 2
            values = exchanged(self.builder, values, size)
        return values

    def _pair_up(self, vectors: ir.Value, half: ir.Value) -> None:
        """Pair the vectors of each two sorted parts, those of the second from its end on.

        Args:
            vectors: the number of vectors.
            half: the number of vectors of a part.
        """
        b = self.builder

        def pair(number: ir.Value) -> tuple[()]:
            start, within = self._part(number, half)
            last = b.sub(b.mul(half, 2), 1)
            low, high = b.add(start, within), b.add(start, b.sub(last, within))
            self._exchange(low, high, lambda values: reversed_lanes(b, values))
            return ()

        b.loop(0, b.div(vectors, 2), pair)

    def _halve(self, vectors: ir.Value, times: ir.Value) -> None:
        """Pair vectors at half the size of a part, then a quarter, and so on.

        Args:
            vectors: the number of vectors.
            times: the number of times; the size of a part is two to the power of it.
        """
        b = self.builder

        def halve(number: ir.Value) -> tuple[()]:
            distance = b.bits("arith.shli", 1, b.sub(b.sub(times, number), 1))

            def pair(which: ir.Value) -> tuple[()]:
                start, within = self._part(which, distance)
                low = b.add(start, within)
                self._exchange(low, b.add(low, distance), lambda values: values)
                return ()

            b.loop(0, b.div(vectors, 2), pair)
            return ()

        b.loop(0, times, halve)

    def _part(self, pair: ir.Value, half: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return the first vector of the part that a pair is in, and its number in the part."""
        b = self.builder
        return b.mul(b.div(pair, half), b.mul(half, 2)), b.rem(pair, half)

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
        b = self.builder
        places = [b.add(self.first, b.mul(vector, self.lanes)) for vector in (low, high)]
        first, second = (b.load_vector(self.buffer, [place], self.lanes) for place in places)
        second = order(second)
        b.store_vector(b.integers("arith.minsi", first, second), self.buffer, [places[0]])
        b.store_vector(order(b.integers("arith.maxsi", first, second)), self.buffer, [places[1]])
