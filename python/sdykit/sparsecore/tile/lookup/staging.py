"""What a tile holds of its entries: rows and gains of a block, in SPMEM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.ids import each_checked_id
from sdykit.sparsecore.tile.checks.index import check_rows
from sdykit.sparsecore.tile.entries.ids import Entry, Ids, ids_of
from sdykit.sparsecore.tile.lookup.distinct_rows import (
    GATHERED,
    Distinct,
    add_gather,
    make_distinct,
)
from sdykit.sparsecore.tile.lookup.prefetch import Ahead
from sdykit.sparsecore.tile.spec import POINTERS, LookupSpec

_IDS = 1024
"""Ids that a tile holds."""
_AT_ONCE = 8
"""Ids that are copied at once, if all of them are."""
_BLOCK = "sparsecore.block"
_STAGED = "sparsecore.staged"
_FIRST = "sparsecore.or_first"


@dataclass(frozen=True)
class Block:
    """Entries in SPMEM, one after another.

    Attributes:
        builder: where ops are added.
        spec: of the lookup.
        begin: position of the first entry.
        end: position behind the last.
        distinct: which of the gathered rows an entry has.
        gathered: rows of the table, each once.
        ahead: asks for the rows of entries that come later.
        gains: of the entries; None: each is 1.
        starts: where the entries from a position on are; None: all positions have one.
        is_right: whether the entries are of rows that are there; None: this is known.
    """

    builder: Builder
    spec: LookupSpec
    begin: ir.Value
    end: ir.Value
    distinct: Distinct
    gathered: ir.Value
    ahead: Ahead
    gains: ir.Value | None
    starts: ir.Value | None
    is_right: ir.Value | None

    def if_right(self, value: ir.Value, other: ir.Value) -> ir.Value:
        """Return a value if what the block has is right, else another one."""
        return value if self.is_right is None else self.builder.select(self.is_right, value, other)

    def place(self, position: ir.Value) -> ir.Value:
        """Give where the entries from a position on are."""
        return _place(self.builder, self.starts, self.builder.sub(position, self.begin))


@dataclass(frozen=True)
class Staging:
    """The memory of a tile for blocks.

    Attributes:
        builder: where ops are added.
        spec: of the lookup.
        arguments: of the program.
        rows: of the entries of a block: where they are in the table.
        distinct: the same rows, each once.
        gathered: these rows themselves.
        gains: of a block; see `Block`.
        starts: see `Block`.
        size: positions of a block.
    """

    builder: Builder
    spec: LookupSpec
    arguments: Mapping[str, ir.Value]
    rows: ir.Value
    distinct: Distinct
    gathered: ir.Value
    gains: ir.Value | None
    starts: ir.Value | None
    size: int

    def load(self, begin: ir.Value, last: ir.Value) -> Block:
        """Gather the block that begins at a position, and ends before another at the latest."""
        b = self.builder
        # Who takes the copies away takes blocks of any size.
        marks = {_BLOCK: "unit"} if self.starts is None else {}
        end = b.least(b.add(begin, self.size), last, **marks)
        if self.starts is not None:
            self._select(self.starts, begin, end)
        else:
            count = b.sub(end, begin)
            for name, held in (("sample_rows", self.rows), ("sample_gains", self.gains)):
                assert held is not None
                part = b.part_of(self.arguments[name], begin, count)
                b.copy(part, b.part_of(held, b.at(0), count))
        count, ahead = _place(b, self.starts, b.sub(end, begin)), self._ahead(begin)
        table = self.arguments["table"]
        if ahead is None:
            ahead = Ahead(b, self.spec, table, self.rows, b.at(0), b.sub(count, 1))
            ahead.prefetch_first()
        is_right = None
        if self.spec.has_index:
            is_right = check_rows(b, self.arguments, self.rows, begin, count)
            count = b.select(is_right, count, 0)
        rows = self.distinct.find(count)
        add_gather(self.spec, self.distinct, rows, table, self.gathered)
        held = (self.distinct, self.gathered, ahead, self.gains, self.starts)
        return Block(b, self.spec, begin, end, *held, is_right)

    def begin(self, position: ir.Value, number: ir.Value) -> None:
        """Ask for the first rows of a tile, if they are not those that its neighbour asks for.

        Args:
            position: of the tile's first entry.
            number: of the tile in its SparseCore.
        """
        ahead = self._ahead(position)
        if ahead is None:
            return

        def first() -> tuple[()]:
            ahead.prefetch_first()
            return ()

        self.builder.choose(self.builder.compare("eq", number, 0), first, marks=[_FIRST])

    def _ahead(self, begin: ir.Value) -> Ahead | None:
        """Give what asks for the rows of a position and those behind it, of all tiles.

        None: nothing has the rows of all tiles one after another.
        """
        b = self.builder
        if self.starts is None:
            rows = self.arguments["sample_rows"]
        elif self.spec.num_devices == 1:
            rows = ids_of(b, self.spec, self.arguments).ids
        else:
            return None
        last = b.sub(b.dim(rows, 0), 1)
        return Ahead(b, self.spec, self.arguments["table"], rows, begin, last)

    def _select(self, starts: ir.Value, begin: ir.Value, end: ir.Value) -> None:
        """Copy the entries whose rows this device has."""
        b = self.builder
        ids = ids_of(b, self.spec, self.arguments)

        def pick() -> tuple[()]:
            self._pick(ids, starts, begin, end)
            return ()

        if self.spec.num_devices > 1:
            pick()
        else:
            b.choose(self._copy_all(ids, starts, begin, end), tuple, pick)

    def _copy_all(self, ids: Ids, starts: ir.Value, begin: ir.Value, end: ir.Value) -> ir.Value:
        """Copy all entries, several at a time; tell whether all of them are ids of rows."""
        b = self.builder
        count = b.sub(end, begin)
        whole = b.bits("arith.andi", count, -_AT_ONCE)
        pairs = [(ids.ids, self.rows)]
        if ids.gains is not None and self.gains is not None:
            pairs.append((ids.gains, self.gains))
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
        # A negative id is larger than any, as an unsigned number.
        unsigned = b.convert("arith.index_castui", largest, b.index)
        return b.compare("ult", unsigned, ids.rows)

    def _pick(self, ids: Ids, starts: ir.Value, begin: ir.Value, end: ir.Value) -> None:
        """Copy the entries whose rows this device has, one after another."""
        b = self.builder

        def pick(position: ir.Value, entry: Entry, to: ir.Value) -> list[ir.Value]:
            b.store(b.to_integer(to, "i32"), starts, b.sub(position, begin))
            b.store(entry.row, self.rows, to)
            gain = ids.gain(position)
            if gain is not None and self.gains is not None:
                b.store(gain, self.gains, to)
            return [b.add(to, b.select(entry.is_here, 1, 0))]

        count = each_checked_id(ids, begin, end, pick, [b.at(0)])[0]
        b.store(b.to_integer(count, "i32"), starts, b.sub(end, begin))


def _place(b: Builder, starts: ir.Value | None, offset: ir.Value) -> ir.Value:
    """Give where the entries from a position of a block on are."""
    return offset if starts is None else b.load_index(starts, offset)


def block_size(spec: LookupSpec) -> int:
    """Give how many entries a tile holds: its share of what the limits allow a SparseCore."""
    if spec.layout == "ids":
        return _IDS
    share = -(
        -spec.max_ids_per_partition * spec.sparse_cores // spec.hardware.tiles_per_sparse_core
    )
    return -(-share // POINTERS) * POINTERS


def most_rows(spec: LookupSpec) -> int:
    """Give how many rows the entries that a tile holds can have."""
    size = block_size(spec)
    return size if spec.layout == "ids" else min(size, spec.unique_ids)


def make_staging(b: Builder, spec: LookupSpec, arguments: Mapping[str, ir.Value]) -> Staging:
    """Allocate the memory of a tile."""
    size, starts = block_size(spec), None
    marks = {_STAGED: "unit"}
    if spec.layout == "ids":
        marks, starts = {}, b.spmem([size + 1], "i32")
    rows = b.spmem([size], "i32", **marks)
    gains = b.spmem([size], "f32", **marks) if spec.gains else None
    element = ir.MemRefType(arguments["table"].type).element_type
    distinct = make_distinct(b, rows, most_rows(spec))
    gathered = b.spmem([most_rows(spec), spec.dim], str(element), **{GATHERED: "unit"})
    return Staging(b, spec, arguments, rows, distinct, gathered, gains, starts, size)
