"""Raw ids as a CPU takes them: block by block, the entries whose rows this device has."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.ids import each_checked_id
from sdykit.sparsecore.tile.entries.ids import Entry, Ids
from sdykit.sparsecore.tile.lookup.held import IDS_PER_BLOCK

_AT_ONCE = 8
"""Ids that are copied at once, if all of them are copied."""


@dataclass(frozen=True)
class IdBlock:
    """The entries of some ids, one after another.

    Attributes:
        blocks: the buffers that hold them.
        begin: the position of the first id.
        end: one past the position of the last id.
    """

    blocks: IdBlocks
    begin: ir.Value
    end: ir.Value

    def entry_at(self, position: ir.Value) -> ir.Value:
        """Return the number of the first entry from a position on."""
        b = self.blocks.builder
        return b.load_index(self.blocks.starts, b.sub(position, self.begin))


@dataclass(frozen=True)
class IdBlocks:
    """The buffers of a tile for a block of ids.

    Attributes:
        builder: the builder that ops are added with.
        ids: the raw ids.
        is_alone: whether this device has all rows.
        rows: the row of each entry, i32.
        gains: the gain of each entry, f32; None: every gain is 1.
        starts: for each position, and one more, the number of entries before it, i32.
    """

    builder: Builder
    ids: Ids
    is_alone: bool
    rows: ir.Value
    gains: ir.Value | None
    starts: ir.Value

    def load(self, begin: ir.Value, last: ir.Value) -> IdBlock:
        """Load the block from `begin` on, with no position from `last` on."""
        b = self.builder
        end = b.minimum(b.add(begin, IDS_PER_BLOCK), last)

        def pick() -> tuple[()]:
            self._pick(begin, end)
            return ()

        if self.is_alone:
            b.choose(self._copy_all(begin, end), tuple, pick)
        else:
            pick()
        return IdBlock(self, begin, end)

    def _copy_all(self, begin: ir.Value, end: ir.Value) -> ir.Value:
        """Copy all entries, several at a time; return whether all ids name rows."""
        b, starts = self.builder, self.starts
        count = b.sub(end, begin)
        whole = b.bits("arith.andi", count, -_AT_ONCE)
        pairs = [(self.ids.ids, self.rows)]
        if self.ids.gains is not None and self.gains is not None:
            pairs.append((self.ids.gains, self.gains))
        numbers = b.constant(f"dense<{list(range(_AT_ONCE))}>", f"vector<{_AT_ONCE}xi32>")

        def some(offset: ir.Value, largest: ir.Value) -> list[ir.Value]:
            found = []
            for source, held in pairs:
                found.append(b.load_vector(source, [b.add(begin, offset)], _AT_ONCE))
                b.store_vector(found[-1], held, [offset])
            first = b.splat(b.to_integer(offset, "i32"), numbers.type)
            b.store_vector(b.integers("arith.addi", numbers, first), starts, [offset])
            return [b.integers("arith.maxui", largest, found[0])]

        def one(offset: ir.Value, largest: ir.Value) -> list[ir.Value]:
            found = []
            for source, held in pairs:
                found.append(b.load(source, b.add(begin, offset)))
                b.store(found[-1], held, offset)
            b.store(b.to_integer(offset, "i32"), starts, offset)
            return [b.integers("arith.maxui", largest, found[0])]

        zeros = b.constant("dense<0>", numbers.type)
        vector = b.loop(0, whole, some, [zeros], step=_AT_ONCE)[0]
        kind = "#vector.kind<maxui>"
        largest = b.op("vector.reduction", [vector], [b.type("i32")], kind=kind).result
        largest = b.loop(whole, count, one, [largest])[0]
        b.store(b.to_integer(count, "i32"), starts, count)
        # As an unsigned number, a negative id is larger than any other.
        unsigned = b.convert("arith.index_castui", largest, b.index)
        return b.compare("ult", unsigned, self.ids.rows)

    def _pick(self, begin: ir.Value, end: ir.Value) -> None:
        """Copy the entries whose rows this device has, one after another."""
        b = self.builder

        def pick(position: ir.Value, entry: Entry, to: ir.Value) -> list[ir.Value]:
            b.store(b.to_integer(to, "i32"), self.starts, b.sub(position, begin))
            b.store(entry.row, self.rows, to)
            gain = self.ids.gain(position)
            if gain is not None and self.gains is not None:
                b.store(gain, self.gains, to)
            return [b.add(to, b.select(entry.is_here, 1, 0))]

        count = each_checked_id(self.ids, begin, end, pick, [b.at(0)])[0]
        b.store(b.to_integer(count, "i32"), self.starts, b.sub(end, begin))


def make_id_blocks(b: Builder, ids: Ids, *, is_alone: bool) -> IdBlocks:
    """Allocate the buffers of a tile.

    Args:
        b: the builder that ops are added with.
        ids: the raw ids.
        is_alone: whether this device has all rows.
    """
    rows = b.spmem([IDS_PER_BLOCK], "i32")
    gains = None if ids.gains is None else b.spmem([IDS_PER_BLOCK], "f32")
    return IdBlocks(b, ids, is_alone, rows, gains, b.spmem([IDS_PER_BLOCK + 1], "i32"))
