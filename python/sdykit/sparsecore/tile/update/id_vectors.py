"""Raw ids in vectors: the rows that they name, and the words of an update."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import (
    both_masks,
    first_lanes,
    integers,
    numbered_from,
)
from sdykit.sparsecore.tile.builder.ops import Builder, Values
from sdykit.sparsecore.tile.entries.ids import Ids
from sdykit.sparsecore.tile.update.words import ROW_SHIFT

_BEYOND = 2**31
"""No row of a device that begins here, or after it, has an id of 32 bits."""


@dataclass(frozen=True)
class IdVectors:
    """Reads raw ids in vectors, of which the last one of a range may have fewer elements.

    Attributes:
        builder: the builder that ops are added with.
        ids: the ids.
        samples: the number of samples of all devices.
        lanes: the number of elements of a vector.
    """

    builder: Builder
    ids: Ids
    samples: int
    lanes: int

    @property
    def count(self) -> ir.Value:
        """The number of ids."""
        return self.builder.mul(self.ids.valency, self.samples)

    def each(
        self,
        positions: tuple[ir.Value, ir.Value],
        body: Callable[..., Sequence[ir.Value]],
        carried: Sequence[ir.Value] = (),
    ) -> Values:
        """Add a loop over the vectors of a range.

        Args:
            positions: the position of the first id, and one past the last.
            body: adds the ops for a vector; called with its position, the number of ids from there
                on and the carried values, it returns the next carried values.
            carried: the values that the first iteration starts with.

        Returns:
            The carried values after the last iteration.
        """
        b, (first, end) = self.builder, positions

        def vector(position: ir.Value, *values: ir.Value) -> Sequence[ir.Value]:
            return body(position, b.sub(end, position), *values)

        return b.loop(first, end, vector, carried, step=self.lanes)

    def rows(
        self, position: ir.Value, count: ir.Value, range_: tuple[ir.Value, ir.Value]
    ) -> tuple[ir.Value, ir.Value]:
        """Return the rows of ids in this device's part of the table.

        Args:
            position: the position of the first id.
            count: the number of ids; there may be more than a vector has.
            range_: a row, and one past the last of some.

        Returns:
            The rows, i32, and the mask of those in the range.
        """
        b, type_ = self.builder, integers(self.builder, self.lanes)
        ids = self._load(self.ids.ids, position, count, b.constant("dense<-1>", type_))
        rows = ids
        if self.ids.first_row is not None:
            first = b.to_integer(b.minimum(self.ids.first_row, _BEYOND), "i32")
            rows = b.integers("arith.subi", ids, b.splat(first, type_))
        low, high = (b.splat(b.to_integer(each, "i32"), type_) for each in range_)
        inside = both_masks(b, b.compare("sge", rows, low), b.compare("slt", rows, high))
        # The difference of a negative id and a row may overflow.
        return rows, both_masks(b, inside, b.compare("sge", ids, b.constant("dense<0>", type_)))

    def words(self, rows: ir.Value, position: ir.Value) -> ir.Value:
        """Return the words of rows; see `sdykit.sparsecore.tile.update.words`."""
        lows = numbered_from(self.builder, position, self.lanes)
        return self._joined(rows, self._samples(position) if self.ids.gains is None else lows)

    def write_pairs(self, pairs: ir.Value, positions: tuple[ir.Value, ir.Value]) -> None:
        """Write gain and sample of the ids of a range.

        Args:
            pairs: where they are written, i64.
            positions: the position of the first id, and one past the last.
        """
        b, gains, type_ = self.builder, self.ids.gains, integers(self.builder, self.lanes)
        assert gains is not None
        none = b.constant("dense<0.0>", f"vector<{self.lanes}xf32>")

        def some(position: ir.Value, count: ir.Value) -> tuple[()]:
            bits = b.convert("arith.bitcast", self._load(gains, position, count, none), type_)
            mask = first_lanes(b, count, self.lanes)
            values = self._joined(bits, self._samples(position))
            b.op("vector.maskedstore", [pairs, position, mask, values])
            return ()

        self.each(positions, some)

    def _samples(self, position: ir.Value) -> ir.Value:
        """Return the samples of the ids of a vector."""
        b, numbers = self.builder, numbered_from(self.builder, position, self.lanes)
        valency = b.splat(b.to_integer(self.ids.valency, "i32"), numbers.type)
        return b.integers("arith.divui", numbers, valency)

    def _joined(self, high: ir.Value, low: ir.Value) -> ir.Value:
        """Return words of 64 bits, made of two halves."""
        b, type_ = self.builder, f"vector<{self.lanes}xi64>"
        high, low = (b.convert("arith.extui", each, type_) for each in (high, low))
        shift = b.constant(f"dense<{ROW_SHIFT}>", type_)
        return b.integers("arith.ori", b.integers("arith.shli", high, shift), low)

    def _load(
        self, buffer: ir.Value, position: ir.Value, count: ir.Value, otherwise: ir.Value
    ) -> ir.Value:
        """Load the first `count` elements of a vector; others are those of `otherwise`."""
        b, mask = self.builder, first_lanes(self.builder, count, self.lanes)
        operands = [buffer, position, mask, otherwise]
        return b.op("vector.maskedload", operands, [otherwise.type]).result
