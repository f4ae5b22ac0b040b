"""The rows that a tile's entries name, each once: which they are, and copies of them in SPMEM."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.spec import LookupSpec

_DEDUPLICATION = "sparsecore.deduplication"
GATHERED = "sparsecore.gathered"
_ALL_TO_ALL = "sparsecore.all_to_all"
_FREE = -1
"""In a slot that has no row; rows are numbered from 0 on."""
_AT_ONCE = 8
"""Slots that are freed at once."""
_SPREAD = -1640531535
"""2^32 over the golden ratio, odd: of its multiples, the highest bits are spread most evenly
(Knuth, The Art of Computer Programming, volume 3, section 6.4)."""
_WORD = 32
_MOST_SLOTS = 2**31


@dataclass(frozen=True)
class Distinct:
    """Finds the distinct rows of a block, in a table with open addressing.

    The time is that of a step for each entry and each slot, on average.

    Attributes:
        builder: where ops are added.
        entries: rows of the entries, i32.
        rows: those of them that differ, in the order of their first entries.
        numbers: for each entry, the number of its row among these.
        keys: of each slot, the row.
        values: of each slot that has one, the number of the row.
    """

    builder: Builder
    entries: ir.Value
    rows: ir.Value
    numbers: ir.Value
    keys: ir.Value
    values: ir.Value

    def find(self, count: ir.Value) -> ir.Value:
        """Find the rows of so many entries.

        Returns:
            How many rows they are.
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
        """Give the number of an entry's row."""
        return self.builder.load_index(self.numbers, entry)

    @property
    def _slots(self) -> int:
        return ir.MemRefType(self.keys.type).shape[0]

    def _add(self, entry: ir.Value, found: ir.Value) -> list[ir.Value]:
        """Add the row of an entry to those found; tell how many they are then."""
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
        """Give the slot of a row, or the free one where it would be."""
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


def make_distinct(b: Builder, entries: ir.Value, most_rows: int) -> Distinct:
    """Allocate the memory that is needed.

    Args:
        b: where to.
        entries: rows of the entries.
        most_rows: that differ.
    """
    size = ir.MemRefType(entries.type).shape[0]
    # At least half of the slots are free: few are looked at for a row.
    slots = min(1 << (2 * size - 1).bit_length(), _MOST_SLOTS)
    shapes = ([most_rows], [size], [slots], [slots])
    return Distinct(b, entries, *(b.spmem(shape, "i32") for shape in shapes))


def add_gather(
    spec: LookupSpec, distinct: Distinct, count: ir.Value, table: ir.Value, gathered: ir.Value
) -> None:
    """Copy rows to SPMEM, those of one SparseCore's partition after another's.

    Args:
        spec: of the lookup.
        distinct: which rows.
        count: of the rows.
        table: has them.
        gathered: what has a place for each.
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

            gives = b.compare("eq", owner(row), core)
            b.choose(gives, receive, marks=[_ALL_TO_ALL])
            return ()

        b.loop(0, count, each)
        return ()

    b.loop(0, cores, source)
