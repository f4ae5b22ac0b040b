"""Prefetches of rows before their use: hints to the caches of a CPU."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core.sparsecore.names import OR_FIRST
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, first_columns
from sdykit.sparsecore.tile.builder.ops import Builder

_BYTES = 16384
"""How many bytes of the table are prefetched before their use; measured to be the fastest."""
_MIN_ROWS, _MAX_ROWS = 32, 256


def rows_ahead(dim: int) -> int:
    """Return how many rows before its use a row is prefetched: 256, or fewer for wide rows."""
    return max(_MIN_ROWS, min(_MAX_ROWS, _BYTES // (4 * dim)))


@dataclass(frozen=True)
class Prefetcher:
    """Prefetches the rows of entries.

    Attributes:
        builder: the builder that ops are added with.
        lanes: the number of columns in a vector of the chip.
        table: the table, `[rows, dim]`.
        rows: the rows of entries, one after another, i32.
        begin: the position of the first entry of the block.
        last: the position of the last entry, of any tile.
    """

    builder: Builder
    lanes: int
    table: ir.Value
    rows: ir.Value
    begin: ir.Value
    last: ir.Value

    @property
    def dim(self) -> int:
        """The number of columns of a row."""
        return ir.MemRefType(self.table.type).shape[1]

    def prefetch_first(self) -> None:
        """Prefetch the first rows of the block."""
        b = self.builder
        columns = first_columns(b, self.dim, self.lanes)
        end = b.minimum(b.add(self.begin, rows_ahead(self.dim)), b.add(self.last, 1))

        def prefetch(position: ir.Value) -> tuple[()]:
            self._prefetch(columns, position)
            return ()

        b.loop(self.begin, end, prefetch)

    def prefetch_first_of_core(self, tile: ir.Value) -> None:
        """Prefetch the first rows of a tile, unless the tile before it prefetches them.

        Args:
            tile: the number of the tile in its SparseCore.
        """

        def prefetch() -> tuple[()]:
            self.prefetch_first()
            return ()

        self.builder.choose(self.builder.compare("eq", tile, 0), prefetch, marks=[OR_FIRST])

    def prefetch(self, columns: Columns, number: ir.Value) -> None:
        """Prefetch columns of the row that is used some entries after an entry of the block."""
        b = self.builder
        later = b.add(number, b.add(self.begin, rows_ahead(self.dim)))
        self._prefetch(columns, b.minimum(later, self.last))

    def _prefetch(self, columns: Columns, position: ir.Value) -> None:
        row = self.builder.load_index(self.rows, position)
        columns.prefetch(self.builder, self.table, row)
