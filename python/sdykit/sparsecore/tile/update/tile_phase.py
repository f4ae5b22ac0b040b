"""The phase of an update in which tiles update the rows that a batch names, block by block.

A tile has the rows that begin in its even share of the sorted entries. Its steps, each for as many
of them as it has room for: `deduplicate` finds the rows, `reduce_gradients` sums the gradients of
each, `gather` copies rows and slots to SPMEM, `apply` applies the rule, and `scatter` copies them
back. Passes join these steps into one loop for a CPU: see docs/tile-programs.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import DEDUPLICATE, REDUCE_GRADIENTS
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import OFFSETS, TileArgument
from sdykit.sparsecore.tile.builder.columns import Columns, for_columns
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.rules.rule import Rule, reductions_of
from sdykit.sparsecore.tile.shared_memory.pieces import pieces_of
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.update.applying import RowUpdates
from sdykit.sparsecore.tile.update.held import (
    GRADIENT_SUMS,
    UNIQUE_ROWS,
    RowBlock,
    hold_block,
    rows_of_a_block,
    slot_arguments,
)
from sdykit.sparsecore.tile.update.row_copies import RowCopies
from sdykit.sparsecore.tile.update.row_sums import RowSums
from sdykit.sparsecore.tile.update.words import words_of


def add_tile_phase(
    b: Builder,
    spec: UpdateSpec | CustomUpdateSpec,
    rule: Rule,
    arguments: Mapping[str, ir.Value],
) -> None:
    """Add the phase in which tiles update rows."""
    tiles = spec.hardware.tiles_per_sparse_core

    def tile(partition: ir.Value, number: ir.Value) -> None:
        part = b.at(0) if spec.layout == "ids" else partition
        made = _make_tile(b, spec, rule, arguments, part)
        if spec.layout == "ids":
            made.run(b.add(b.mul(partition, tiles), number))
        else:
            dataclasses.replace(made, partition=partition).run(number)

    b.phase({"partition": spec.sparse_cores, "tile": tiles}, tile)


def add_tile_phase_of_all(
    b: Builder,
    spec: UpdateSpec | CustomUpdateSpec,
    rule: Rule,
    described: Sequence[TileArgument],
    arguments: Mapping[str, ir.Value],
) -> None:
    """Add the phase in which the tiles of all devices of a process update the rows of their devices."""
    cores, tiles = spec.sparse_cores, spec.hardware.tiles_per_sparse_core

    def tile(device: ir.Value, partition: ir.Value, number: ir.Value) -> None:
        pieces = pieces_of(b, described, arguments)
        tables = ("table", *slot_arguments(spec).values())
        rows_of = pieces.column if spec.flat else pieces.array
        own = {name: rows_of(name, device) for name in tables}
        own |= {name: pieces.array(name, device) for name in spec.scalars}
        part = b.add(b.mul(device, cores), partition)
        made = _make_tile(b, spec, rule, {**arguments, **own}, part)
        sums = dataclasses.replace(made.sums, pieces=pieces)
        made = dataclasses.replace(made, sums=sums, partition=partition)
        if spec.layout == "ids":
            first_row = b.mul(device, b.dim(arguments["table"], 0))
            made = dataclasses.replace(made, first_row=first_row)
        made.run(number)

    b.phase({"device": spec.num_devices, "partition": cores, "tile": tiles}, tile)


def _make_tile(
    b: Builder,
    spec: UpdateSpec | CustomUpdateSpec,
    rule: Rule,
    arguments: Mapping[str, ir.Value],
    part: ir.Value,
) -> _Tile:
    """Return a tile of which the sorted entries are those of a row of `parts`."""
    singles = {name: name in spec.row_slots for name in spec.slots}
    reductions = reductions_of(b.context, rule, singles, spec.scalars)
    scalars = {name: Number(b, b.load(arguments[name])) for name in spec.scalars}
    begin, end = (b.load_index(arguments["parts"], part, k) for k in range(2))
    sums = RowSums(b, spec, arguments, words_of(b, arguments), begin, end)
    block = hold_block(b, spec)
    updates = RowUpdates(b, spec, rule, reductions, scalars, block)
    return _Tile(b, spec, arguments, sums, block, updates)


@dataclass(frozen=True)
class _Tile:
    """A tile's part of the update.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the update.
        arguments: the arguments of the program, by name.
        sums: sums the gradients of rows.
        block: the buffers of the tile for a block of rows.
        updates: applies the rule to a block.
        partition: the partition of the tile's rows; None: entries of all partitions are sorted
            together.
        first_row: the number of the first row of the tile's device, if entries of all devices are
            sorted together.
    """

    builder: Builder
    spec: UpdateSpec | CustomUpdateSpec
    arguments: Mapping[str, ir.Value]
    sums: RowSums
    block: RowBlock
    updates: RowUpdates
    partition: ir.Value | None = None
    first_row: ir.Value | None = None

    def run(self, number: ir.Value) -> None:
        """Update the rows that begin in the tile's share of the entries."""
        b, copies = self.builder, RowCopies(self.builder, self.arguments, self.block)
        share, last = self._share(number), self._share(b.add(number, 1))

        def is_left(position: ir.Value) -> ir.Value:
            return b.compare("slt", position, last)

        def next_block(position: ir.Value) -> list[ir.Value]:
            end, count = self._deduplicate(position, last)
            self._reduce_gradients(position, count)
            copies.gather(count)
            self.updates.apply(count)
            copies.scatter(count)
            return [end]

        b.repeat([self.sums.first_row(share)], is_left, next_block)

    def _share(self, number: ir.Value) -> ir.Value:
        """Return the first position of a tile's even share of the entries."""
        b, sums = self.builder, self.sums
        before = b.mul(number, b.sub(sums.end, sums.begin))
        tiles = self.spec.hardware.tiles_per_sparse_core
        if self.partition is None:
            tiles *= self.spec.sparse_cores
        return b.add(sums.begin, b.div(before, tiles))

    def _deduplicate(self, position: ir.Value, last: ir.Value) -> list[ir.Value]:
        """Add the step that finds the rows of the next block.

        Returns:
            One past the position of the last row's last entry, and the number of rows.
        """
        b, room = self.builder, rows_of_a_block(self.spec)

        def is_next(position: ir.Value, count: ir.Value) -> ir.Value:
            is_left = b.compare("slt", position, last)
            return b.integers("arith.andi", is_left, b.compare("slt", count, room))

        def row(position: ir.Value, count: ir.Value) -> list[ir.Value]:
            b.store(self._row(position), self.block.rows, count)
            return [self.sums.row_end(b.add(position, 1)), b.add(count, 1)]

        step = step_attributes(DEDUPLICATE, ["words"], [UNIQUE_ROWS])
        return b.repeat([position, b.at(0)], is_next, row, total="rows", attributes=step)

    def _reduce_gradients(self, first: ir.Value, count: ir.Value) -> None:
        """Add the step that sums the gradients of each row of the block.

        Args:
            first: the position of the first row's first entry.
            count: the number of rows.
        """
        b, sums = self.builder, dataclasses.replace(self.sums, prefetch_row=self._prefetch)

        def row(number: ir.Value, begin: ir.Value) -> Sequence[ir.Value]:
            def columns(these: Columns, _: ir.Value) -> list[ir.Value]:
                end, total = sums.sum(these, begin)
                these.store(b, total, self.block.sums, number)
                return [end]

            return for_columns(b, self.spec.dim, self.spec.hardware.float32_lanes, columns, [begin])

        reads = [*self.sums.buffers, "gradients"]
        reads += [OFFSETS] if self.sums.pieces is not None else []
        b.loop(
            0,
            count,
            row,
            [first],
            total="rows",
            attributes=step_attributes(REDUCE_GRADIENTS, reads, [GRADIENT_SUMS]),
        )

    def _row(self, position: ir.Value) -> ir.Value:
        b, id_ = self.builder, self.sums.id(position)
        if self.first_row is not None:
            return b.sub(id_, self.first_row)
        if self.partition is None:
            return id_
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        return b.add(b.mul(self.partition, rows), id_)

    def _prefetch(self, columns: Columns, position: ir.Value) -> None:
        """Prefetch the row of a position, and its slots."""
        b, row = self.builder, self._row(position)
        single = {slot_arguments(self.spec)[name] for name in self.spec.row_slots}
        for name in self.block.gathered:
            if name in single:
                b.prefetch(self.arguments[name], row, 0)
            else:
                columns.prefetch(b, self.arguments[name], row)
