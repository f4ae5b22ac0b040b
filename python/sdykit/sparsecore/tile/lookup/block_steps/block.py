"""A block of the raw ids of each tile."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.entries.ids import Ids
from sdykit.sparsecore.tile.lookup.core import Core, Range
from sdykit.sparsecore.tile.lookup.held import ENTRY_STARTS, IDS_PER_BLOCK


@dataclass(frozen=True)
class Block:
    """The blocks of all tiles of a SparseCore that they work on at the same time.

    Attributes:
        core: the SparseCore.
        ids: the raw ids.
        number: the number of the block in those of a tile.
    """

    core: Core
    ids: Ids
    number: ir.Value

    def positions(self, tile: ir.Value) -> Range:
        """Return the positions of a tile's block among all ids; there may be none left."""
        b, core = self.core.builder, self.core
        before = b.mul(core.number, core.spec.samples_per_core)
        first, end = (
            b.mul(b.add(before, sample), self.ids.valency) for sample in core.samples(tile)
        )
        begin = b.minimum(b.add(first, b.mul(self.number, IDS_PER_BLOCK)), end)
        end = b.minimum(b.add(begin, IDS_PER_BLOCK), end)
        return b.named(begin, "begin"), b.named(end, "end")

    def first(self, tile: ir.Value) -> ir.Value:
        """Return where a tile's share of the buffers of entries begins."""
        return self.core.builder.mul(tile, IDS_PER_BLOCK)

    def starts(self, tile: ir.Value) -> ir.Value:
        """Return where a tile's share of `ENTRY_STARTS` begins."""
        return self.core.builder.mul(tile, IDS_PER_BLOCK + self.core.lanes)

    def count(self, tile: ir.Value) -> ir.Value:
        """Return the number of entries of a tile's block."""
        b, (begin, end) = self.core.builder, self.positions(tile)
        last = b.add(self.starts(tile), b.sub(end, begin))
        count = b.load_index(self.core.buffers[ENTRY_STARTS], last)
        return b.named(b.figure(count, "block_ids"), "entries")


def blocks_of(core: Core, ids: Ids) -> ir.Value:
    """Return the maximum number of blocks of a tile."""
    b, spec = core.builder, core.spec
    samples = -(-spec.samples_per_core // core.tiles)
    return b.div(b.add(b.mul(ids.valency, samples), IDS_PER_BLOCK - 1), IDS_PER_BLOCK)
