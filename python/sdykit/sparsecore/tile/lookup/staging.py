"""A block of a tile's entries in SPMEM: rows, gains, and the gathered rows of the table."""

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
from sdykit.sparsecore.tile.lookup.prefetch import Prefetcher
from sdykit.sparsecore.tile.spec import POINTERS, LookupSpec

_IDS_PER_BLOCK = 1024
"""The number of raw ids in a block."""
_AT_ONCE = 8
"""Ids that are copied at once, if all of them are copied."""
_BLOCK = "sparsecore.block"
_STAGED = "sparsecore.staged"
_FIRST = "sparsecore.or_first"


@dataclass(frozen=True)
class Block:
    """Entries in SPMEM, one after another.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the lookup.
        begin: the position of the first entry.
        end: one past the position of the last entry.
        distinct: the distinct rows of the entries.
        gathered: copies of these rows, `[rows, dim]`.
        prefetcher: prefetches the rows of later entries.
        gains: the gains of the entries, f32; None: every gain is 1.
        starts: for each position, the number of entries before it, i32; None: every position has
            an entry.
        is_valid: whether all entries name rows of the table; None: they are known to.
    """

    builder: Builder
    spec: LookupSpec
    begin: ir.Value
    end: ir.Value
    distinct: Distinct
    gathered: ir.Value
    prefetcher: Prefetcher
    gains: ir.Value | None
    starts: ir.Value | None
    is_valid: ir.Value | None

    def if_valid(self, value: ir.Value, other: ir.Value) -> ir.Value:
        """Return a value if all entries name rows of the table, else another one."""
        return value if self.is_valid is None else self.builder.select(self.is_valid, value, other)

    def entry_at(self, position: ir.Value) -> ir.Value:
        """Return the number of the first entry from a position on."""
        return _entry_at(self.builder, self.starts, self.builder.sub(position, self.begin))


@dataclass(frozen=True)
class Staging:
    """The buffers of a tile for blocks of entries.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the lookup.
        arguments: the arguments of the program, by name.
        rows: the rows of a block's entries in the table, i32.
        distinct: finds the distinct ones of these rows.
        gathered: copies of the distinct rows, `[rows, dim]`.
        gains: see `Block`.
        starts: see `Block`.
        size: the number of positions in a block.
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
        """Load the block from `begin` on, with no position from `last` on, and gather its rows."""
        b = self.builder
        # The pass that removes the copies makes one block of all.
        marks = {_BLOCK: "unit"} if self.starts is None else {}
        end = b.minimum(b.add(begin, self.size), last, **marks)
        if self.starts is not None:
            self._select(self.starts, begin, end)
        else:
            count = b.sub(end, begin)
            for name, held in (("sample_rows", self.rows), ("sample_gains", self.gains)):
                assert held is not None
                part = b.part_of(self.arguments[name], begin, count)
                b.copy(part, b.part_of(held, b.at(0), count))
        count, prefetcher = _entry_at(b, self.starts, b.sub(end, begin)), self._prefetcher(begin)
        table = self.arguments["table"]
        if prefetcher is None:
            prefetcher = Prefetcher(b, self.spec, table, self.rows, b.at(0), b.sub(count, 1))
            prefetcher.prefetch_first()
        is_valid = None
        if self.spec.has_index:
            is_valid = check_rows(b, self.arguments, self.rows, begin, count)
            count = b.select(is_valid, count, 0)
        rows = self.distinct.find(count)
        add_gather(self.spec, self.distinct, rows, table, self.gathered)
        held = (self.distinct, self.gathered, prefetcher, self.gains, self.starts)
        return Block(b, self.spec, begin, end, *held, is_valid)

    def begin(self, position: ir.Value, number: ir.Value) -> None:
        """Prefetch the first rows of a tile, unless the tile before it prefetches them.

        Args:
            position: the position of the tile's first entry.
            number: the number of the tile in its SparseCore.
        """
        prefetcher = self._prefetcher(position)
        if prefetcher is None:
            return

        def first() -> tuple[()]:
            prefetcher.prefetch_first()
            return ()

        self.builder.choose(self.builder.compare("eq", number, 0), first, marks=[_FIRST])

    def _prefetcher(self, begin: ir.Value) -> Prefetcher | None:
        """Return a prefetcher of the rows from a position on, of all tiles.

        None: no buffer holds the rows of all tiles one after another.
        """
        b = self.builder
        if self.starts is None:
            rows = self.arguments["sample_rows"]
        elif self.spec.num_devices == 1:
            rows = ids_of(b, self.spec, self.arguments).ids
        else:
            return None
        last = b.sub(b.dim(rows, 0), 1)
        return Prefetcher(b, self.spec, self.arguments["table"], rows, begin, last)

    def _select(self, starts: ir.Value, begin: ir.Value, end: ir.Value) -> None:
        """Copy the entries whose rows this device has, at once if it has all of them."""
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
        """Copy all entries, several at a time; return whether all ids name rows."""
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
        # As an unsigned number, a negative id is larger than any other.
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


def _entry_at(b: Builder, starts: ir.Value | None, offset: ir.Value) -> ir.Value:
    """Return the number of the first entry from a position of a block on."""
    return offset if starts is None else b.load_index(starts, offset)


def block_size(spec: LookupSpec) -> int:
    """Return the number of positions in a block: a tile's share of the limits of a SparseCore."""
    if spec.layout == "ids":
        return _IDS_PER_BLOCK
    share = -(
        -spec.max_ids_per_partition * spec.sparse_cores // spec.hardware.tiles_per_sparse_core
    )
    return -(-share // POINTERS) * POINTERS


def max_rows(spec: LookupSpec) -> int:
    """Return the maximum number of distinct rows that the entries of a block name."""
    size = block_size(spec)
    return size if spec.layout == "ids" else min(size, spec.unique_ids)


def make_staging(b: Builder, spec: LookupSpec, arguments: Mapping[str, ir.Value]) -> Staging:
    """Allocate the buffers of a tile."""
    size, starts = block_size(spec), None
    marks = {_STAGED: "unit"}
    if spec.layout == "ids":
        marks, starts = {}, b.spmem([size + 1], "i32")
    rows = b.spmem([size], "i32", **marks)
    gains = b.spmem([size], "f32", **marks) if spec.gains else None
    element = ir.MemRefType(arguments["table"].type).element_type
    distinct = make_distinct(b, rows, max_rows(spec))
    gathered = b.spmem([max_rows(spec), spec.dim], str(element), **{GATHERED: "unit"})
    return Staging(b, spec, arguments, rows, distinct, gathered, gains, starts, size)
