"""The distinct rows that the entries of a block name: finding them, and copying them to SPMEM."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.spec import LookupSpec

_DEDUPLICATION = "sparsecore.deduplication"
GATHERED = "sparsecore.gathered"
_ALL_TO_ALL = "sparsecore.all_to_all"
_FREE = -1
"""The key of a free slot; rows are not negative."""
_AT_ONCE = 8
"""Slots that are cleared at once."""
_SPREAD = -1640531535
"""2^32 over the golden ratio, odd: of its multiples, the highest bits are spread most evenly
(Knuth, The Art of Computer Programming, volume 3, section 6.4)."""
_WORD = 32
_MAX_SLOTS = 2**31


@dataclass(frozen=True)
class Distinct:
    """Finds the distinct rows of a block with a hash table that has open addressing.

    It takes linear time on average, in the number of entries and slots.

    Attributes:
        builder: the builder that ops are added with.
        entries: the row of each entry, i32.
        rows: the distinct rows, in the order of their first entries, i32.
        numbers: for each entry, the number of its row among the distinct ones, i32.
        keys: the row of each slot, i32.
        values: the number of the row of each slot that is not free, i32.
    """

    builder: Builder
    entries: ir.Value
    rows: ir.Value
    numbers: ir.Value
    keys: ir.Value
    values: ir.Value

    def find(self, count: ir.Value) -> ir.Value:
        """Find the distinct rows of the first `count` entries.

        Returns:
            The number of distinct rows.
        """
        b = self.builder

        def of_some() -> list[ir.Value]:
            free = b.constant(f"dense<{_FREE}>", f"vector<{_AT_ONCE}xi32>")

            def clear(slot: ir.Value) -> tuple[()]:
                b.store_vector(free, self.keys, [slot])
                return ()

            b.loop(0, self._slots, clear, step=_AT_ONCE)
            return b.loop(0, count, self._add, [b.at(0)])

        is_any = b.compare("sgt", count, 0)
        return b.choose(is_any, of_some, lambda: [b.at(0)], [b.index], marks=[_DEDUPLICATION])[0]

    def number(self, entry: ir.Value) -> ir.Value:
        """Return the number of an entry's row among the distinct ones."""
        return self.builder.load_index(self.numbers, entry)

    @property
    def _slots(self) -> int:
        return ir.MemRefType(self.keys.type).shape[0]

    def _add(self, entry: ir.Value, found: ir.Value) -> list[ir.Value]:
        """Add the row of an entry, unless it is known; return the number of known rows."""
        b = self.builder
        row, free = b.load(self.entries, entry), b.constant(str(_FREE), "i32")
        slot = self._slot(row, free)
        is_new = b.compare("eq", b.load(self.keys, slot), free)
        number = b.select(is_new, found, b.load_index(self.values, slot))
        value = b.to_integer(number, "i32")
        b.store(row, self.keys, slot)
        b.store(value, self.values, slot)
        b.store(row, self.rows, number)
        b.store(value, self.numbers, entry)
        return [b.add(found, b.select(is_new, 1, 0))]

    def _slot(self, row: ir.Value, free: ir.Value) -> ir.Value:
        """Return the slot of a row, or the free slot that it belongs in."""
        b, bits = self.builder, self._slots.bit_length() - 1
        spread = b.integers("arith.muli", row, b.constant(str(_SPREAD), row.type))
        top = b.integers("arith.shrui", spread, b.constant(str(_WORD - bits), row.type))

        def is_of_another(slot: ir.Value) -> ir.Value:
            key = b.load(self.keys, slot)
            is_taken, differs = b.compare("ne", key, free), b.compare("ne", key, row)
            return b.integers("arith.andi", is_taken, differs)

        def next_slot(slot: ir.Value) -> list[ir.Value]:
            return [b.bits("arith.andi", b.add(slot, 1), self._slots - 1)]

        first = b.convert("arith.index_castui", top, b.index)
        return b.repeat([first], is_of_another, next_slot)[0]


def make_distinct(b: Builder, entries: ir.Value, max_rows: int) -> Distinct:
    """Allocate the buffers for the distinct rows of a block.

    Args:
        b: the builder that ops are added with.
        entries: the buffer of the entries' rows, i32.
        max_rows: the maximum number of distinct rows.
    """
    size = ir.MemRefType(entries.type).shape[0]
    # At least half of the slots are free, so that a row is found after few slots.
    slots = min(1 << (2 * size - 1).bit_length(), _MAX_SLOTS)
    shapes = ([max_rows], [size], [slots], [slots])
    return Distinct(b, entries, *(b.spmem(shape, "i32") for shape in shapes))


def add_gather(
    spec: LookupSpec, distinct: Distinct, count: ir.Value, table: ir.Value, gathered: ir.Value
) -> None:
    """Copy the distinct rows to SPMEM, from one SparseCore's partition after another.

    Args:
        spec: the spec of the lookup.
        distinct: the distinct rows.
        count: the number of distinct rows.
        table: the table.
        gathered: the target, with a place for each row.
    """
    b, cores = distinct.builder, spec.sparse_cores

    def owner(row: ir.Value) -> ir.Value:
        if spec.layout == "ids":
            return b.rem(row, cores)
        return b.div(row, b.div(b.dim(table, 0), cores))

    def source(core: ir.Value) -> tuple[()]:
        def each(number: ir.Value) -> tuple[()]:
            row, one = b.load_index(distinct.rows, number), b.at(1)

            def receive() -> tuple[()]:
                b.copy(b.rows_of(table, row, one), b.rows_of(gathered, number, one))
                return ()

            is_source = b.compare("eq", owner(row), core)
            b.choose(is_source, receive, marks=[_ALL_TO_ALL])
            return ()

        b.loop(0, count, each)
        return ()

    b.loop(0, cores, source)
