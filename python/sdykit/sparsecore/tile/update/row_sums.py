"""The gradient of a row: the sum of `gain * gradient` over its entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, add_scaled
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import TileSpec
from sdykit.sparsecore.tile.update.words import Words

_PAIRS_AHEAD = 128
"""How many entries ahead gain and sample are prefetched."""
_GRADIENTS_AHEAD = 64
"""How many entries ahead gradients are prefetched: fewer, as the sample says which."""


@dataclass(frozen=True)
class RowSums:
    """Sums the gradients of the rows of a partition, from words that are sorted by row.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the update.
        arguments: the arguments of the program, by name.
        words: the words of all partitions.
        begin: the position of the partition's first word.
        end: one past the position of the partition's last word.
        pieces: the arrays of all devices of a process; None: the gradients are those of all.
        prefetch_row: adds the ops that prefetch columns of what is updated in the row of a position;
            None: there is nothing to prefetch.
    """

    builder: Builder
    spec: TileSpec
    arguments: Mapping[str, ir.Value]
    words: Words
    begin: ir.Value
    end: ir.Value
    pieces: Pieces | None = None
    prefetch_row: Callable[[Columns, ir.Value], None] | None = None

    def id(self, position: ir.Value) -> ir.Value:
        """Return the row at a position, counted within the partition."""
        return self.words.row(self._word(position))

    def at_most_last(self, position: ir.Value) -> ir.Value:
        """Return a position, or the partition's last one if it is beyond."""
        return self.builder.minimum(position, self.builder.sub(self.end, 1))

    def first_row(self, position: ir.Value) -> ir.Value:
        """Return the first position of a row, from a position on."""
        b = self.builder
        is_first = b.compare("eq", position, self.begin)

        def search() -> list[ir.Value]:
            return [self.row_end(position, "skipped_ids")]

        return b.choose(is_first, lambda: [position], search, [b.index])[0]

    def row_end(self, position: ir.Value, total: str = "compared_ids") -> ir.Value:
        """Return the first position, from the given one on, with another row than the one before.

        Args:
            position: the position to compare first.
            total: the figure of a batch that is the number of positions that are compared.
        """
        b = self.builder

        def has_same_row(position: ir.Value) -> ir.Value:
            return self._has_same_row(position, total)

        return b.repeat([position], has_same_row, lambda position: [b.add(position, 1)])[0]

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of the buffers with the entries."""
        return ("words",) if self.words.pairs is None else ("words", "pairs")

    def sum(self, columns: Columns, begin: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
        """Sum columns of the gradients of a row.

        The entries of each device are added to +0.0, one after another, then these sums to +0.0.

        Args:
            columns: the columns to sum.
            begin: the position of the row's first entry.

        Returns:
            One past the position of the row's last entry, and the sums.
        """
        b, spec = self.builder, self.spec
        if spec.num_devices == 1:
            return self._sum_while(columns, begin, self._has_same_row)
        samples = self._samples_of_a_device

        def of_device(position: ir.Value, *totals: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
            device = b.div(self._sample(position), samples)
            next_device = b.mul(b.add(device, 1), samples)
            gradients = self._gradients_of(device)

            def is_same(position: ir.Value) -> ir.Value:
                def compare() -> list[ir.Value]:
                    return [b.compare("slt", self._sample(position), next_device)]

                return b.both(self._has_same_row(position), compare, total="repeated_ids")

            stop, sums = self._sum_while(columns, position, is_same, gradients=gradients)
            added = [b.floats("arith.addf", *pair) for pair in zip(totals, sums, strict=True)]
            return self._has_same_row(stop, "compared_device_rows"), [stop, *added]

        start = [begin, *columns.zeros(b)]
        stop, *totals = b.repeat_at_least_once(start, of_device, total="device_rows")
        return stop, totals

    def add_to(
        self, parts: ir.Value, slot: ir.Value, columns: Columns, begin: ir.Value
    ) -> ir.Value:
        """Add the gradients of a row to the parts of the devices that its samples are of.

        Args:
            parts: the parts of all devices, one after another in each row, f32.
            slot: the row of `parts`.
            columns: the columns to add.
            begin: the position of the row's first entry.

        Returns:
            One past the position of the row's last entry.
        """
        b, spec, samples = self.builder, self.spec, self._samples_of_a_device

        def of_device(position: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
            device = b.div(self._sample(position), samples)
            next_device = b.mul(b.add(device, 1), samples)

            def is_same(position: ir.Value) -> ir.Value:
                def compare() -> list[ir.Value]:
                    return [b.compare("slt", self._sample(position), next_device)]

                return b.both(self._has_same_row(position), compare, total="repeated_ids")

            start = b.add(b.mul(device, spec.dim), columns.start)
            part = Columns(start, columns.widths)
            stop, sums = self._sum_while(columns, position, is_same, part.load(b, parts, slot))
            part.store(b, sums, parts, slot)
            return self._has_same_row(stop, "compared_device_rows"), [stop]

        return b.repeat_at_least_once([begin], of_device, total="device_rows")[0]

    def _sum_while(
        self,
        columns: Columns,
        begin: ir.Value,
        is_in_row: Callable[[ir.Value], ir.Value],
        start: Sequence[ir.Value] | None = None,
        gradients: ir.Value | None = None,
    ) -> tuple[ir.Value, list[ir.Value]]:
        """Add `gain * gradient` while a position is in the row, product and sum rounded each.

        Args:
            columns: the columns to sum.
            begin: the first position.
            is_in_row: adds the ops that compute whether a position is in the row.
            start: what is added to; None: +0.0.
            gradients: the gradients, in which a sample has its row; None: those of the arguments.
        """
        b = self.builder
        held = self.arguments["gradients"] if gradients is None else gradients

        def entry(position: ir.Value, *sums: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
            self.words.prefetch(self._word(self.at_most_last(b.add(position, _PAIRS_AHEAD))))
            later = self.at_most_last(b.add(position, _GRADIENTS_AHEAD))
            self._prefetch(columns, self._sample(later))
            if self.prefetch_row is not None:
                self.prefetch_row(columns, later)
            word, following = self._word(position), b.add(position, 1)
            values = columns.load(b, held, self.words.sample(word))
            added = add_scaled(b, sums, values, self.words.gain(word))
            return is_in_row(following), [following, *added]

        first = [begin, *(columns.zeros(b) if start is None else start)]
        stop, *sums = b.repeat_at_least_once(first, entry, total="row_ids")
        return stop, sums

    @property
    def _samples_of_a_device(self) -> int:
        return self.spec.sparse_cores * self.spec.samples_per_core

    def _gradients_of(self, device: ir.Value) -> ir.Value:
        """Return the gradients of a device's samples, in which a sample of all has its row."""
        if self.pieces is None:
            return self.arguments["gradients"]
        first = self.builder.mul(device, self._samples_of_a_device)
        return self.pieces.array("gradients", device, first)

    def _prefetch(self, columns: Columns, sample: ir.Value) -> None:
        """Prefetch columns of the gradient of a sample."""
        b, gradients = self.builder, self.arguments["gradients"]
        if self.pieces is not None:
            gradients = self._gradients_of(b.div(sample, self._samples_of_a_device))
        columns.prefetch(b, gradients, sample)

    def _has_same_row(self, position: ir.Value, total: str = "compared_ids") -> ir.Value:
        """Return whether a position has the same row as the one before.

        Args:
            position: the position.
            total: the figure of a batch that is the number of positions that are compared.
        """
        b = self.builder

        def compare() -> list[ir.Value]:
            return [b.compare("eq", self.id(position), self.id(b.sub(position, 1)))]

        return b.both(b.compare("slt", position, self.end), compare, total=total)

    def _word(self, position: ir.Value) -> ir.Value:
        return self.words.word(position)

    def _sample(self, position: ir.Value) -> ir.Value:
        return self.words.sample(self._word(position))
