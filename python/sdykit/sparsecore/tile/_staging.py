"""What a tile holds of its entries: rows and gains of a block, copied to SPMEM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._columns import Columns
from sdykit.sparsecore.tile._segments import segments_of
from sdykit.sparsecore.tile.spec import POINTERS, LookupSpec

_AHEAD_BYTES = 16384
"""How much of the table is asked for before it is used; what kept a core busiest."""
_MOST_AHEAD, _LEAST_AHEAD = 64, 32


def rows_ahead(dim: int) -> int:
    """Give how many rows ahead are prefetched: 64, fewer of wide rows."""
    return max(_LEAST_AHEAD, min(_MOST_AHEAD, _AHEAD_BYTES // (4 * dim)))


@dataclass(frozen=True)
class Staging:
    """A block of entries in SPMEM; `window` tells which.

    Attributes:
        builder: where ops are added.
        spec: of the lookup.
        arguments: of the program.
        core: the SparseCore.
        last: position in `order` behind the tile's last entry.
        ends: see `Segments.ends`.
        rows: of the table.
        gains: of the entries.
        window: begin and end of the block, positions in `order`.
    """

    builder: Builder
    spec: LookupSpec
    arguments: Mapping[str, ir.Value]
    core: ir.Value
    last: ir.Value
    ends: ir.Value
    rows: ir.Value
    gains: ir.Value
    window: ir.Value

    def bounds(self) -> tuple[ir.Value, ir.Value]:
        """Give begin and end of the block."""
        b = self.builder
        return b.load_index(self.window, 0), b.load_index(self.window, 1)

    def require(self, position: ir.Value) -> None:
        """Copy the block that begins with an entry, unless the entry is there."""
        b = self.builder
        begin, end = self.bounds()
        is_before = b.compare("slt", position, begin)
        is_behind = b.compare("sge", position, end)
        is_missing = b.integers("arith.ori", is_before, is_behind)
        b.choose(is_missing, lambda: self._copy(position))

    def _copy(self, begin: ir.Value) -> tuple[()]:
        b, block = self.builder, block_size(self.spec)
        end = b.least(b.add(begin, block), self.last)
        segments = segments_of(b, self.spec, self.arguments)
        cores = self.spec.sparse_cores
        rows_per_core = b.div(b.dim(self.arguments["table"], 0), cores)

        def copy(number: ir.Value) -> tuple[()]:
            position = b.load_index(self.arguments["order"], number)
            partition = segments.partition_of(position, self.ends)
            local_id = b.load_index(self.arguments["embedding_ids"], position)
            row = b.add(b.mul(partition, rows_per_core), local_id)
            to = b.sub(number, begin)
            b.store(b.to_integer(row, "i32"), self.rows, to)
            b.store(b.load(self.arguments["gains"], position), self.gains, to)
            return ()

        b.loop(begin, end, copy)
        b.store(b.to_integer(begin, "i64"), self.window, 0)
        b.store(b.to_integer(end, "i64"), self.window, 1)
        return ()

    def prefetch(self, columns: Columns, number: ir.Value, count: ir.Value) -> None:
        """Ask for a row that comes later in the block.

        Args:
            columns: which to ask for.
            number: of the entry in work, within the block.
            count: of entries in the block.
        """
        b = self.builder
        later = b.least(b.add(number, rows_ahead(self.spec.dim)), b.sub(count, 1))
        row = b.load_index(self.rows, later)
        columns.prefetch(b, self.arguments["table"], row)


def block_size(spec: LookupSpec) -> int:
    """Give how many entries a tile holds: its share of what the limits allow a SparseCore."""
    share = -(
        -spec.max_ids_per_partition * spec.sparse_cores // spec.hardware.tiles_per_sparse_core
    )
    return -(-share // POINTERS) * POINTERS


def make_staging(
    b: Builder,
    spec: LookupSpec,
    arguments: Mapping[str, ir.Value],
    core: ir.Value,
    last: ir.Value,
) -> Staging:
    """Allocate the block of a tile, with nothing in it."""
    ends = segments_of(b, spec, arguments).ends(core)
    block = block_size(spec)
    rows, gains = b.spmem([block], "i32"), b.spmem([block], "f32")
    window = b.spmem([2], "i64")
    zero = b.constant("0", "i64")
    b.store(zero, window, 0)
    b.store(zero, window, 1)
    return Staging(b, spec, arguments, core, last, ends, rows, gains, window)
