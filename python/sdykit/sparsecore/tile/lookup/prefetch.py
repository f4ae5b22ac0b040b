"""Rows that are asked for before they are used: hints to the caches of a CPU."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, first_columns
from sdykit.sparsecore.tile.builder.ops import SECOND_LEVEL, Builder
from sdykit.sparsecore.tile.spec import LookupSpec

_BYTES = 16384
"""How much of the table is asked for before it is used; what kept a core busiest."""
_MOST, _LEAST = 256, 32


def rows_ahead(dim: int) -> int:
    """Give how many rows ahead are prefetched: 256, fewer of wide rows."""
    return max(_LEAST, min(_MOST, _BYTES // (4 * dim)))


@dataclass(frozen=True)
class Ahead:
    """Asks for the rows of entries.

    Attributes:
        builder: where ops are added.
        spec: of the lookup.
        table: of the rows.
        rows: of entries, one after another.
        begin: where the entries in work begin.
        last: where the last entry is, of whichever tile.
    """

    builder: Builder
    spec: LookupSpec
    table: ir.Value
    rows: ir.Value
    begin: ir.Value
    last: ir.Value

    def prefetch_first(self) -> None:
        """Ask for the first rows."""
        b, spec = self.builder, self.spec
        columns = first_columns(b, spec.dim, spec.hardware.float32_lanes)
        end = b.least(b.add(self.begin, rows_ahead(spec.dim)), b.add(self.last, 1))

        def prefetch(position: ir.Value) -> tuple[()]:
            self._prefetch(columns, position)
            return ()

        b.loop(self.begin, end, prefetch)

    def prefetch(self, columns: Columns, number: ir.Value) -> None:
        """Ask for columns of a row that comes some entries after that of a number."""
        b = self.builder
        later = b.add(number, b.add(self.begin, rows_ahead(self.spec.dim)))
        self._prefetch(columns, b.least(later, self.last))

    def _prefetch(self, columns: Columns, position: ir.Value) -> None:
        row = self.builder.load_index(self.rows, position)
        columns.prefetch(self.builder, self.table, row, locality=SECOND_LEVEL)
