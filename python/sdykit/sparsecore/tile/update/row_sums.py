"""The gradient of each row that is touched: the sum of what its entries give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, add_scaled
from sdykit.sparsecore.tile.builder.ops import SECOND_LEVEL, Builder
from sdykit.sparsecore.tile.spec import TileSpec
from sdykit.sparsecore.tile.update.words import Words

_PAIRS_AHEAD = 128
"""How many entries ahead gain and sample are asked for."""
_GRADIENTS_AHEAD = 64
"""How many entries ahead the gradients are asked for; by then it is known which."""


@dataclass(frozen=True)
class RowSums:
    """Reads the words of a partition, sorted by row.

    Attributes:
        builder: where ops are added.
        spec: of the update.
        arguments: of the program.
        words: of all partitions.
        copy: which of the two copies is sorted.
        begin: position of the partition's first word.
        end: position behind its last.
    """

    builder: Builder
    spec: TileSpec
    arguments: Mapping[str, ir.Value]
    words: Words
    copy: ir.Value
    begin: ir.Value
    end: ir.Value

    def id(self, position: ir.Value) -> ir.Value:
        """Give the row of a word, counted within the partition."""
        return self.words.row(self._word(position))

    def last(self, position: ir.Value) -> ir.Value:
        """Give a position, or the last one if that is before."""
        return self.builder.least(position, self.builder.sub(self.end, 1))

    def row_end(self, position: ir.Value) -> ir.Value:
        """Give the first position from one on whose row differs from that of the one before."""
        b = self.builder
        return b.repeat([position], self._goes_on, lambda position: [b.add(position, 1)])[0]

    def sum(
        self, columns: Columns, begin: ir.Value, end: ir.Value
    ) -> tuple[ir.Value, list[ir.Value]]:
        """Sum the entries of a row.

        Each device's are added to +0, one after another, then these sums to +0.

        Args:
            columns: of the row.
            begin: position of its first entry.
            end: position behind its last.

        Returns:
            The end, and the sums.
        """
        b, spec = self.builder, self.spec

        def goes_on(position: ir.Value) -> ir.Value:
            return b.compare("slt", position, end)

        if spec.num_devices == 1:
            return self._sum_while(columns, begin, goes_on)
        samples = spec.sparse_cores * spec.samples_per_core

        def of_device(position: ir.Value, *totals: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
            device = b.div(self._sample(position), samples)
            behind = b.mul(b.add(device, 1), samples)

            def is_same(position: ir.Value) -> ir.Value:
                def compare() -> list[ir.Value]:
                    return [b.compare("slt", self._sample(position), behind)]

                return b.both(goes_on(position), compare)

            stop, sums = self._sum_while(columns, position, is_same)
            added = [b.floats("arith.addf", *pair) for pair in zip(totals, sums, strict=True)]
            return goes_on(stop), [stop, *added]

        stop, *totals = b.repeat_at_least_once([begin, *columns.zeros(b)], of_device)
        return stop, totals

    def _sum_while(
        self, columns: Columns, begin: ir.Value, goes_on: Callable[[ir.Value], ir.Value]
    ) -> tuple[ir.Value, list[ir.Value]]:
        """Add `gain * gradient` to +0, product and sum rounded each, as long as a row goes on."""
        b, gradients = self.builder, self.arguments["gradients"]

        def entry(position: ir.Value, *sums: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
            self.words.prefetch(self._word(self.last(b.add(position, _PAIRS_AHEAD))))
            later = self.last(b.add(position, _GRADIENTS_AHEAD))
            columns.prefetch(b, gradients, self._sample(later), locality=SECOND_LEVEL)
            word, behind = self._word(position), b.add(position, 1)
            values = columns.load(b, gradients, self.words.sample(word))
            added = add_scaled(b, sums, values, self.words.gain(word))
            return goes_on(behind), [behind, *added]

        stop, *sums = b.repeat_at_least_once([begin, *columns.zeros(b)], entry)
        return stop, sums

    def _goes_on(self, position: ir.Value) -> ir.Value:
        """Say whether the row at a position is that of the position before."""
        b = self.builder

        def compare() -> list[ir.Value]:
            return [b.compare("eq", self.id(position), self.id(b.sub(position, 1)))]

        return b.both(b.compare("slt", position, self.end), compare)

    def _word(self, position: ir.Value) -> ir.Value:
        return self.words.word(self.copy, position)

    def _sample(self, position: ir.Value) -> ir.Value:
        return self.words.sample(self._word(position))
