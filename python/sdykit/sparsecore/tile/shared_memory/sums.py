"""The sum of a sample's entries: of those of each owning device, then of these sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, add_scaled, first_columns, for_columns
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.lookup.elements import load_float32
from sdykit.sparsecore.tile.lookup.prefetch import rows_ahead
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import LookupSpec

Range = tuple[ir.Value, ir.Value]
"""The first position, and one past the last."""


class Entries(Protocol):
    """Entries that are ordered by sample, then by owner."""

    @property
    def owners(self) -> ir.Value:
        """The device that has the row of each entry, i32."""
        ...

    @property
    def places(self) -> ir.Value:
        """The position of each entry's row, in elements, i64; see `Pieces.position`."""
        ...

    def gain(self, entry: ir.Value) -> ir.Value | None:
        """Return the gain of an entry; None: every gain is 1."""
        ...


@dataclass(frozen=True)
class Sums:
    """Sums the rows of a sample's entries.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the lookup.
        pieces: the arrays of all devices.
        activations: the activations of the device that has the samples.
        store: the attributes of stores of activations.
    """

    builder: Builder
    spec: LookupSpec
    pieces: Pieces
    activations: ir.Value
    store: Mapping[str, str]

    def add(self, entries: Entries, which: ir.Value, own: Range, last: ir.Value) -> None:
        """Store the sum of a sample: of the sums of each owning device, in their order.

        Args:
            entries: the entries of several samples.
            which: the row of the activations that has the sum.
            own: the entries of the sample.
            last: one past the last entry whose row is prefetched.
        """
        b, (begin, end) = self.builder, own

        def columns(these: Columns) -> tuple[()]:
            def of_device(position: ir.Value, *totals: ir.Value) -> list[ir.Value]:
                owner = b.load(entries.owners, position)

                def entry(position: ir.Value, *sums: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
                    later = b.add(position, rows_ahead(self.spec.dim))
                    self._prefetch(entries, these, later, last)
                    row = self.pieces.row("table", b.load_index(entries.places, position))
                    values = load_float32(b, self.spec, these, row, b.at(0))
                    following = b.add(position, 1)
                    is_same = b.both(
                        b.compare("slt", following, end),
                        lambda: [b.compare("eq", b.load(entries.owners, following), owner)],
                    )
                    more = add_scaled(b, sums, values, entries.gain(position))
                    return is_same, [following, *more]

                stop, *sums = b.repeat_at_least_once([position, *these.zeros(b)], entry)
                return [stop, *added(b, totals, sums)]

            start = [begin, *these.zeros(b)]
            _, *totals = b.repeat(
                start, lambda position, *_: b.compare("slt", position, end), of_device
            )
            these.store(b, totals, self.activations, which, **self.store)
            return ()

        for_columns(b, self.spec.dim, self.spec.hardware.float32_lanes, columns)

    def prefetch_first(self, entries: Entries, begin: ir.Value, last: ir.Value) -> None:
        """Prefetch the first rows of the entries from `begin` on, before `last`."""
        b = self.builder
        columns = first_columns(b, self.spec.dim, self.spec.hardware.float32_lanes)

        def prefetch(position: ir.Value) -> tuple[()]:
            self._prefetch(entries, columns, position, last)
            return ()

        end = b.minimum(last, b.add(begin, rows_ahead(self.spec.dim)))
        b.loop(begin, end, prefetch)

    def _prefetch(
        self, entries: Entries, columns: Columns, position: ir.Value, last: ir.Value
    ) -> None:
        """Prefetch columns of the row of an entry, or of the last one if it is beyond."""
        b = self.builder
        known = b.minimum(position, b.sub(last, 1))
        row = self.pieces.row("table", b.load_index(entries.places, known))
        columns.prefetch(b, row, b.at(0))


def samples_of_tile(b: Builder, spec: LookupSpec, tile: ir.Value) -> Range:
    """Return the samples of a tile, counted within its SparseCore."""
    ends = (b.mul(each, spec.samples_per_core) for each in (tile, b.add(tile, 1)))
    first, end = (b.div(each, spec.hardware.tiles_per_sparse_core) for each in ends)
    return first, end


def added(b: Builder, left: Sequence[ir.Value], right: Sequence[ir.Value]) -> list[ir.Value]:
    """Return the sums of pairs of vectors."""
    return [b.floats("arith.addf", *pair) for pair in zip(left, right, strict=True)]
