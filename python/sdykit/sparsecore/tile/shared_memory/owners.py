"""The devices that own the rows of raw ids, and entries ordered by sample and owner."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.entries.ids import Ids
from sdykit.sparsecore.tile.lookup.held import IDS_PER_BLOCK
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces


@dataclass(frozen=True)
class Owners:
    """Finds the device that owns the row of an id.

    Attributes:
        builder: the builder that ops are added with.
        ids: the ids of a device.
        devices: the number of devices.
        rows: the number of rows of each.
        inverse: 2^32 by this number, rounded down.
    """

    builder: Builder
    ids: Ids
    devices: int
    rows: ir.Value
    inverse: ir.Value

    @staticmethod
    def make(b: Builder, ids: Ids, devices: int) -> Owners:
        """Return what finds the owners of the rows of some ids."""
        rows = b.div(ids.rows, devices)
        return Owners(b, ids, devices, rows, b.div(b.at(1 << 32), rows))

    def of(self, position: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return the owner of the row of an id, and the row there, both i32.

        The owner of what is not an id, or not in the table, is `devices`.
        """
        b = self.builder
        # As an unsigned number, a negative id is larger than any other.
        id_ = b.convert("arith.index_castui", b.load(self.ids.ids, position), b.index)
        # A product takes less time than a division. It is at most 1 too low, as ids are below 2^32.
        low = b.bits("arith.shrui", b.mul(id_, self.inverse), 32)
        rest = b.sub(id_, b.mul(low, self.rows))
        is_low = b.compare("uge", rest, self.rows)
        owner = b.add(low, b.select(is_low, 1, 0))
        row = b.select(is_low, b.sub(rest, self.rows), rest)
        owner = b.minimum(owner, self.devices)
        return b.to_integer(owner, "i32"), b.to_integer(row, "i32")


@dataclass(frozen=True)
class SortedBlock:
    """The entries of some samples, ordered by sample, then by owner, then as in the sample.

    Attributes:
        builder: the builder that ops are added with.
        finder: finds the owners of ids.
        pieces: the arrays of all devices.
        counters: for each owner, and what has none, the number of its entries, then the next place, i32.
        held: of each id its owner, row and sample, counted within the block, i32.
        by_owner: the ids ordered by owner, i32.
        next: for each sample the place of its next entry, i32.
        starts: for each sample, and one more, its first entry, i32.
        owners: the owner of each entry, i32.
        places: the position of each entry's row, in elements, i64.
        numbers: the number of the id of each entry, i32.
        first: where the number of the block's first id is held, index.
    """

    builder: Builder
    finder: Owners
    pieces: Pieces
    counters: ir.Value
    held: tuple[ir.Value, ir.Value, ir.Value]
    by_owner: ir.Value
    next: ir.Value
    starts: ir.Value
    owners: ir.Value
    places: ir.Value
    numbers: ir.Value
    first: ir.Value

    @staticmethod
    def hold(b: Builder, finder: Owners, pieces: Pieces) -> SortedBlock:
        """Allocate the buffers."""

        def integers(count: int, element: str = "i32") -> ir.Value:
            return b.spmem([count], element)

        size = IDS_PER_BLOCK
        held = (integers(size), integers(size), integers(size))
        return SortedBlock(
            b,
            finder,
            pieces,
            integers(finder.devices + 1),
            held,
            by_owner=integers(size),
            next=integers(size),
            starts=integers(size + 1),
            owners=integers(size),
            places=integers(size, "i64"),
            numbers=integers(size),
            first=integers(1, "index"),
        )

    def fill(self, sample: ir.Value, last: ir.Value) -> ir.Value:
        """Fill the block with the samples from one on, before another; return the number of entries."""
        b, valency = self.builder, self.finder.ids.valency
        first = b.mul(sample, valency)
        b.store(first, self.first, 0)
        samples = b.sub(last, sample)
        count = b.mul(samples, valency)
        live = self._find_owners(samples, first)
        self._sum_up()
        self._by_owner(count)
        self._by_sample(live)
        return live

    def gain(self, entry: ir.Value) -> ir.Value | None:
        """Return the gain of an entry; None: every gain is 1."""
        b = self.builder
        if self.finder.ids.gains is None:
            return None
        number = b.load_index(self.numbers, entry)
        return self.finder.ids.gain(b.add(b.load(self.first, 0), number))

    def _find_owners(self, samples: ir.Value, first: ir.Value) -> ir.Value:
        """Find and count the owners of all ids; return the number of entries."""
        b, valency = self.builder, self.finder.ids.valency
        owners, rows, samples_of = self.held
        none = b.constant(str(self.finder.devices), "i32")

        def clear(owner: ir.Value) -> tuple[()]:
            b.store(b.constant("0", "i32"), self.counters, owner)
            return ()

        def of_sample(which: ir.Value, live: ir.Value) -> list[ir.Value]:
            for buffer in (self.starts, self.next):
                b.store(b.to_integer(live, "i32"), buffer, which)
            before = b.mul(which, valency)
            number = b.to_integer(which, "i32")

            def of_id(at: ir.Value, live: ir.Value) -> list[ir.Value]:
                owner, row = self.finder.of(b.add(first, at))
                values = (owner, row, number)
                for value, buffer in zip(values, (owners, rows, samples_of), strict=True):
                    b.store(value, buffer, at)
                self._advance(self.counters, b.to_index(owner))
                return [b.add(live, b.select(b.compare("ult", owner, none), 1, 0))]

            return b.loop(before, b.add(before, valency), of_id, [live])

        b.loop(0, self.finder.devices + 1, clear)
        (live,) = b.loop(0, samples, of_sample, [b.at(0)])
        b.store(b.to_integer(live, "i32"), self.starts, samples)
        return live

    def _sum_up(self) -> None:
        """Turn the counters into the place of the first id of each owner."""
        b = self.builder

        def of_owner(owner: ir.Value, total: ir.Value) -> list[ir.Value]:
            found = b.load(self.counters, owner)
            b.store(total, self.counters, owner)
            return [b.integers("arith.addi", total, found)]

        b.loop(0, self.finder.devices + 1, of_owner, [b.constant("0", "i32")])

    def _by_owner(self, count: ir.Value) -> None:
        b, (owners, _, _) = self.builder, self.held

        def place(at: ir.Value) -> tuple[()]:
            to = self._advance(self.counters, b.load_index(owners, at))
            b.store(b.to_integer(at, "i32"), self.by_owner, to)
            return ()

        b.loop(0, count, place)

    def _by_sample(self, live: ir.Value) -> None:
        """Move the entries, ordered by owner, to the places of their samples."""
        b, (owners, rows, samples_of) = self.builder, self.held

        def place(number: ir.Value) -> tuple[()]:
            at = b.load_index(self.by_owner, number)
            to = self._advance(self.next, b.load_index(samples_of, at))
            owner = b.load(owners, at)
            row = b.load_index(rows, at)
            position = self.pieces.position("table", b.to_index(owner), row)
            b.store(owner, self.owners, to)
            b.store(b.to_integer(position, "i64"), self.places, to)
            if self.finder.ids.gains is not None:
                b.store(b.to_integer(at, "i32"), self.numbers, to)
            return ()

        b.loop(0, live, place)

    def _advance(self, counters: ir.Value, which: ir.Value) -> ir.Value:
        """Add 1 to a counter; return what it was."""
        b = self.builder
        found = b.load(counters, which)
        b.store(b.integers("arith.addi", found, b.constant("1", "i32")), counters, which)
        return b.to_index(found)
