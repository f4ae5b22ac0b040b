"""The steps `load` and `sort` of an update of raw ids on a chip.

A partition is an even share of the device's rows. The tiles of its SparseCore read all ids twice:
first to count those of partitions before it and of its own, then to write the words of its own.
There is no limit of raw ids, so that words are sorted in HBM, where those of all partitions are one
after another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import LOAD, SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import append, as_ones, total, zeros
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import add_step, hold
from sdykit.sparsecore.tile.checks.ids import add_id_checks
from sdykit.sparsecore.tile.entries.ids import Ids, ids_of
from sdykit.sparsecore.tile.spec import AnyUpdateSpec
from sdykit.sparsecore.tile.update.held import BLOCK_WORDS, TILE_COUNTS, sizes_of
from sdykit.sparsecore.tile.update.id_vectors import IdVectors
from sdykit.sparsecore.tile.update.vector_sorting import add_sort, share, write_part

WORDS_PER_BLOCK = 1024
"""The number of ids whose words are written at once."""
_BEFORE, _HERE = 0, 1
"""The rows of `TILE_COUNTS`."""


def add_id_sort_phases(b: Builder, spec: AnyUpdateSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phase that checks the ids, and the one over this device's partitions that sorts them."""

    def partition(number: ir.Value) -> None:
        ids = ids_of(b, spec, arguments)
        counts = hold(b, TILE_COUNTS, "i32", ("2", "tiles"), sizes_of(spec))
        _Partition(b, spec, arguments, ids, counts, number).add()

    add_id_checks(b, spec, arguments)
    b.phase({"partition": spec.sparse_cores}, partition)


@dataclass(frozen=True)
class _Partition:
    """A partition of the device's rows.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the update.
        arguments: the arguments of the program, by name.
        ids: the ids.
        counts: `TILE_COUNTS`.
        number: the partition, counted within the device.
    """

    builder: Builder
    spec: AnyUpdateSpec
    arguments: Mapping[str, ir.Value]
    ids: Ids
    counts: ir.Value
    number: ir.Value

    def add(self) -> None:
        """Add the steps."""
        b, tiles = self.builder, self._tiles
        add_step(b, LOAD, tiles, self._count, reads=["ids"], writes=[TILE_COUNTS])
        add_step(b, LOAD, tiles, self._write, reads=["ids", TILE_COUNTS], writes=["words"])
        if self.ids.gains is not None:
            add_step(b, LOAD, tiles, self._write_pairs, reads=["gains"], writes=["pairs"])
        begin = b.figure(self._sum(_BEFORE, tiles), "ids_before")
        end = b.add(begin, b.figure(self._sum(_HERE, tiles), "partition_ids"))
        add_sort(b, self.spec, "words", self.arguments["words"], (begin, end))

        def finish(tile: ir.Value) -> None:
            is_last = b.compare("eq", self.number, self.spec.sparse_cores - 1)
            is_first_tile = b.compare("eq", tile, 0)
            writes = b.integers("arith.andi", is_last, is_first_tile)
            write_part(b, self.arguments, writes, 0, (b.at(0), end))

        add_step(b, SORT, tiles, finish, reads=[], writes=["parts"])

    def _count(self, tile: ir.Value) -> None:
        """Count a tile's ids of partitions before, and of this one."""
        b, vectors = self.builder, self._vectors
        first, end = self._rows

        def some(position: ir.Value, count: ir.Value, *sums: ir.Value) -> list[ir.Value]:
            _, before = vectors.rows(position, count, (b.at(0), first))
            _, here = vectors.rows(position, count, (first, end))
            ones = (as_ones(b, mask) for mask in (before, here))
            return [b.integers("arith.addi", *pair) for pair in zip(sums, ones, strict=True)]

        start = [zeros(b, vectors.lanes)] * 2
        sums = vectors.each(share(b, self.spec, tile, vectors.count), some, start)
        for row, each in zip((_BEFORE, _HERE), sums, strict=True):
            b.store(total(b, each), self.counts, row, tile)

    def _write(self, tile: ir.Value) -> None:
        """Write the words of a tile's ids of this partition, block by block."""
        b, vectors, words = self.builder, self._vectors, self.arguments["words"]
        begin = b.add(self._sum(_BEFORE, self._tiles), self._sum(_HERE, tile))
        first, end = share(b, self.spec, tile, vectors.count)
        held = hold(b, BLOCK_WORDS, "i64", [str(WORDS_PER_BLOCK)], {})

        def some(position: ir.Value, count: ir.Value, found: ir.Value) -> list[ir.Value]:
            rows, here = vectors.rows(position, count, self._rows)
            return [append(b, vectors.words(rows, position), here, held, found)]

        def block(position: ir.Value, to: ir.Value) -> list[ir.Value]:
            last = b.minimum(b.add(position, WORDS_PER_BLOCK), end)
            (found,) = vectors.each((position, last), some, [b.at(0)])
            found = b.figure(found, "block_words")
            b.copy(b.part_of(held, b.at(0), found), b.part_of(words, to, found))
            return [b.add(to, found)]

        b.loop(first, end, block, [begin], step=WORDS_PER_BLOCK)

    def _write_pairs(self, tile: ir.Value) -> None:
        """Write gains and samples of a tile's share of the SparseCore's even share of all ids."""
        b, cores, count = self.builder, self.spec.sparse_cores, self._vectors.count
        ends = (b.mul(each, count) for each in (self.number, b.add(self.number, 1)))
        first, end = (b.div(each, cores) for each in ends)
        of_tile = share(b, self.spec, tile, b.sub(end, first))
        begin, last = (b.add(first, each) for each in of_tile)
        self._vectors.write_pairs(self.arguments["pairs"], (begin, last))

    def _sum(self, row: int, tiles: ir.Value | int) -> ir.Value:
        """Return the sum of the counts of the first tiles."""
        b = self.builder

        def add(tile: ir.Value, sum_: ir.Value) -> list[ir.Value]:
            return [b.add(sum_, b.load_index(self.counts, row, tile))]

        return b.loop(0, tiles, add, [b.at(0)])[0]

    @property
    def _rows(self) -> tuple[ir.Value, ir.Value]:
        """The first row of the partition in the device's part of the table, and one past its last."""
        b, cores = self.builder, self.spec.sparse_cores
        ends = (b.mul(each, self.ids.rows) for each in (self.number, b.add(self.number, 1)))
        first, end = (b.div(each, cores) for each in ends)
        return first, end

    @property
    def _tiles(self) -> int:
        return self.spec.hardware.tiles_per_sparse_core

    @property
    def _vectors(self) -> IdVectors:
        return IdVectors(
            self.builder, self.ids, self.spec.samples, self.spec.hardware.float32_lanes
        )
