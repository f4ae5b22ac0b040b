"""The phases of an update as a chip runs it, one minibatch after another.

The first phase checks the entries, as no row may change if one is wrong. In the second, a
partition's sequencer loads and sorts the entries of a minibatch, then its tiles add their gradients
to the sums of their rows: those of each device apart, from the first minibatch to the last. After
the last, the tiles add these parts, devices ascending, and apply the rule. A row has a *slot* in
`GRADIENT_PARTS`: the number of its first entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.names import CHECK
from sdykit.core.sparsecore.steps import DEDUPLICATE, LOAD, REDUCE_GRADIENTS, SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import TileArgument
from sdykit.sparsecore.tile.builder.columns import Columns, for_columns
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import hold, step_attributes
from sdykit.sparsecore.tile.checks.buffers import EntryChecks
from sdykit.sparsecore.tile.entries.segments import segments_of
from sdykit.sparsecore.tile.rules.rule import Rule, reductions_of
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.update.applying import RowUpdates
from sdykit.sparsecore.tile.update.collecting import Collector
from sdykit.sparsecore.tile.update.held import (
    DIGIT_COUNTERS,
    GRADIENT_PARTS,
    GRADIENT_SUMS,
    ROWS_OF_A_BLOCK,
    ROWS_OF_SLOTS,
    SLOTS_OF_ROWS,
    SORTED_WORDS,
    UNIQUE_ROWS,
    UNIQUE_SLOTS,
    UPDATED_SLOTS,
    hold_block,
    hold_words,
    rows_of_a_block,
    sizes_of,
)
from sdykit.sparsecore.tile.update.row_copies import RowCopies
from sdykit.sparsecore.tile.update.row_sums import RowSums
from sdykit.sparsecore.tile.update.sorting import DIGIT_BITS, Sorter
from sdykit.sparsecore.tile.update.words import Words

AnySpec = UpdateSpec | CustomUpdateSpec


def minibatch_workspaces(spec: AnySpec) -> tuple[TileArgument, ...]:
    """Return the workspaces: gain and sample of each entry; slots, and the parts of their sums."""
    parts = ("entries", spec.num_devices * spec.dim)
    return (
        TileArgument("pairs", "int64", ("entries",), "workspace"),
        TileArgument(SLOTS_OF_ROWS, "int32", ("rows",), "workspace"),
        TileArgument(ROWS_OF_SLOTS, "int32", ("entries",), "workspace"),
        TileArgument(GRADIENT_PARTS, "float32", parts, "workspace"),
    )


def add_minibatch_phases(
    b: Builder, spec: AnySpec, rule: Rule, arguments: Mapping[str, ir.Value]
) -> None:
    """Add the two phases."""

    def check(core: ir.Value) -> None:
        EntryChecks(b, spec, arguments, segments_of(b, spec, arguments)).here(core)

    def sequencer(partition: ir.Value) -> None:
        _Partition(b, spec, rule, arguments, partition).run()

    b.phase({"core": spec.all_cores}, check, **{CHECK: "unit"})
    b.phase({"partition": spec.sparse_cores}, sequencer)


@dataclass(frozen=True)
class _Partition:
    """A SparseCore's update of its partition.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the update.
        rule: the rule of the update.
        arguments: the arguments of the program, by name.
        number: the partition, counted within the device.
    """

    builder: Builder
    spec: AnySpec
    rule: Rule
    arguments: Mapping[str, ir.Value]
    number: ir.Value

    def run(self) -> None:
        """Add all steps."""
        b, spec, arguments = self.builder, self.spec, self.arguments
        segments = segments_of(b, spec, arguments)
        checks = EntryChecks(b, spec, arguments, segments)
        collector = Collector(b, spec, arguments, segments, checks, self.number)
        slots = collector.measure()
        words = Words(b, hold_words(b, spec), arguments["pairs"])
        counters = hold(b, DIGIT_COUNTERS, "i32", [str(2**DIGIT_BITS)], {})
        self._clear(slots)

        def minibatch(number: ir.Value, first: ir.Value) -> list[ir.Value]:
            count = collector.collect_minibatch(words, first, number)
            step = step_attributes(
                SORT, [SORTED_WORDS, DIGIT_COUNTERS], [SORTED_WORDS, DIGIT_COUNTERS]
            )
            sorter = Sorter(b, spec, arguments, words, self.number)
            copy = sorter.passes(counters, count, step)
            sums = RowSums(b, spec, arguments, words, copy, b.at(0), count)
            self._tiles(lambda tile: self._add_gradients(sums, slots, first, tile))
            return [b.add(first, count)]

        b.loop(0, segments.minibatches, minibatch, [slots[0]], axis="minibatch")
        self._tiles(lambda tile: self._update(slots, tile))

    def _tiles(self, body: Callable[[ir.Value], None]) -> None:
        self.builder.phase({"tile": self.spec.hardware.tiles_per_sparse_core}, body)

    def _clear(self, slots: tuple[ir.Value, ir.Value]) -> None:
        """Add the step that marks slots as unused."""
        b = self.builder

        def clear(slot: ir.Value) -> tuple[()]:
            b.store(b.constant("-1", "i32"), self.arguments[ROWS_OF_SLOTS], slot)
            return ()

        b.loop(*slots, clear, attributes=step_attributes(LOAD, [], [ROWS_OF_SLOTS]))

    def _share(self, first: ir.Value, end: ir.Value, tile: ir.Value) -> ir.Value:
        """Return the first position of a tile's even share."""
        b, tiles = self.builder, self.spec.hardware.tiles_per_sparse_core
        return b.add(first, b.div(b.mul(tile, b.sub(end, first)), tiles))

    def _row(self, id_: ir.Value) -> ir.Value:
        """Return the row of the table of a local id."""
        b = self.builder
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        return b.add(b.mul(self.number, rows), id_)

    # The steps of a minibatch.

    def _add_gradients(
        self, sums: RowSums, slots: tuple[ir.Value, ir.Value], first: ir.Value, tile: ir.Value
    ) -> None:
        """Add the steps in which a tile adds the gradients of a minibatch to those of its rows.

        Args:
            sums: adds the gradients of rows.
            slots: the first slot of the partition, and one past its last.
            first: the number of the minibatch's first entry.
            tile: the tile.
        """
        b, spec = self.builder, self.spec
        share = [self._share(sums.begin, sums.end, each) for each in (tile, b.add(tile, 1))]
        unique = hold(b, UNIQUE_SLOTS, "index", [ROWS_OF_A_BLOCK], sizes_of(spec))
        begin, last = (self._first_row(sums, each) for each in share)

        def is_left(position: ir.Value) -> ir.Value:
            return b.compare("slt", position, last)

        def block(position: ir.Value) -> list[ir.Value]:
            end, count = self._find_slots(sums, slots, first, (position, last), unique)
            self._add_to_parts(sums, unique, position, count)
            return [end]

        b.repeat([begin], is_left, block)

    def _first_row(self, sums: RowSums, position: ir.Value) -> ir.Value:
        """Return the first position of a row, from a position on."""
        b = self.builder
        is_first = b.compare("eq", position, sums.begin)
        return b.choose(is_first, lambda: [position], lambda: [sums.row_end(position)], [b.index])[
            0
        ]

    def _find_slots(
        self,
        sums: RowSums,
        slots: tuple[ir.Value, ir.Value],
        first: ir.Value,
        positions: tuple[ir.Value, ir.Value],
        unique: ir.Value,
    ) -> list[ir.Value]:
        """Add the step that finds the slots of the rows of a block, or gives them one.

        Returns:
            One past the position of the last row's last entry, and the number of rows.
        """
        b, (begin, last) = self.builder, positions
        room = rows_of_a_block(self.spec)

        def is_next(position: ir.Value, count: ir.Value) -> ir.Value:
            is_left = b.compare("slt", position, last)
            return b.integers("arith.andi", is_left, b.compare("slt", count, room))

        def row(position: ir.Value, count: ir.Value) -> list[ir.Value]:
            row = self._row(sums.id(position))
            known = b.load_index(self.arguments[SLOTS_OF_ROWS], row)

            def has_row() -> list[ir.Value]:
                return [b.compare("eq", b.load_index(self.arguments[ROWS_OF_SLOTS], known), row)]

            size = b.sub(slots[1], slots[0])
            is_slot = b.both(b.compare("ult", b.sub(known, slots[0]), size), has_row)

            def new() -> list[ir.Value]:
                slot = b.add(first, position)
                self._start(row, slot)
                return [slot]

            slot = b.choose(is_slot, lambda: [known], new, [b.index])[0]
            b.store(slot, unique, count)
            return [sums.row_end(b.add(position, 1)), b.add(count, 1)]

        tables = [SLOTS_OF_ROWS, ROWS_OF_SLOTS]
        step = step_attributes(
            DEDUPLICATE, [SORTED_WORDS, *tables], [UNIQUE_SLOTS, *tables, GRADIENT_PARTS]
        )
        return b.repeat([begin, b.at(0)], is_next, row, attributes=step)

    def _start(self, row: ir.Value, slot: ir.Value) -> None:
        """Give a row a slot, whose parts are +0.0."""
        b, arguments = self.builder, self.arguments
        b.store(b.to_integer(slot, "i32"), arguments[SLOTS_OF_ROWS], row)
        b.store(b.to_integer(row, "i32"), arguments[ROWS_OF_SLOTS], slot)

        def columns(these: Columns) -> tuple[()]:
            these.store(b, these.zeros(b), arguments[GRADIENT_PARTS], slot)
            return ()

        lanes = self.spec.hardware.float32_lanes
        for_columns(b, self.spec.num_devices * self.spec.dim, lanes, columns)

    def _add_to_parts(
        self, sums: RowSums, unique: ir.Value, first: ir.Value, count: ir.Value
    ) -> None:
        """Add the step that adds the gradients of a block's rows to the parts in their slots."""
        b, spec, parts = self.builder, self.spec, self.arguments[GRADIENT_PARTS]

        def row(number: ir.Value, begin: ir.Value) -> list[ir.Value]:
            slot = b.load(unique, number)

            def columns(these: Columns, _: ir.Value) -> list[ir.Value]:
                return [sums.add_to(parts, slot, these, begin)]

            return list(for_columns(b, spec.dim, spec.hardware.float32_lanes, columns, [begin]))

        reads = [UNIQUE_SLOTS, SORTED_WORDS, "pairs", "gradients", GRADIENT_PARTS]
        step = step_attributes(REDUCE_GRADIENTS, reads, [GRADIENT_PARTS])
        b.loop(0, count, row, [first], attributes=step)

    # The steps after the last minibatch.

    def _update(self, slots: tuple[ir.Value, ir.Value], tile: ir.Value) -> None:
        """Add the steps in which a tile updates the rows that have slots in its share."""
        b, spec, arguments = self.builder, self.spec, self.arguments
        scalars = {name: Number(b, b.load(arguments[name])) for name in spec.scalars}
        singles = {name: name in spec.row_slots for name in spec.slots}
        reductions = reductions_of(b.context, self.rule, singles, spec.scalars)
        block = hold_block(b, spec)
        updated = hold(b, UPDATED_SLOTS, "index", [ROWS_OF_A_BLOCK], sizes_of(spec))
        updates = RowUpdates(b, spec, self.rule, reductions, scalars, block)
        copies = RowCopies(b, arguments, block)
        first, last = (self._share(*slots, each) for each in (tile, b.add(tile, 1)))

        def is_left(slot: ir.Value) -> ir.Value:
            return b.compare("slt", slot, last)

        def next_block(slot: ir.Value) -> list[ir.Value]:
            end, count = self._find_rows((slot, last), block.rows, updated)
            self._add_parts(count, updated, block.sums)
            copies.gather(count)
            updates.apply(count)
            copies.scatter(count)
            return [end]

        b.repeat([first], is_left, next_block)

    def _find_rows(
        self, slots: tuple[ir.Value, ir.Value], rows: ir.Value, updated: ir.Value
    ) -> list[ir.Value]:
        """Add the step that finds the next slots of rows, as many as a block has room for.

        Returns:
            One past the last slot, and the number of rows.
        """
        b, (first, last), room = self.builder, slots, rows_of_a_block(self.spec)

        def is_next(slot: ir.Value, count: ir.Value) -> ir.Value:
            is_left = b.compare("slt", slot, last)
            return b.integers("arith.andi", is_left, b.compare("slt", count, room))

        def of_slot(slot: ir.Value, count: ir.Value) -> list[ir.Value]:
            row = b.load_index(self.arguments[ROWS_OF_SLOTS], slot)
            b.store(row, rows, count)
            b.store(slot, updated, count)
            is_used = b.compare("sge", row, 0)
            return [b.add(slot, 1), b.select(is_used, b.add(count, 1), count)]

        step = step_attributes(DEDUPLICATE, [ROWS_OF_SLOTS], [UNIQUE_ROWS, UPDATED_SLOTS])
        return b.repeat([first, b.at(0)], is_next, of_slot, attributes=step)

    def _add_parts(self, count: ir.Value, updated: ir.Value, sums: ir.Value) -> None:
        """Add the step that adds the parts of the devices, ascending, for each row of a block."""
        b, spec, parts = self.builder, self.spec, self.arguments[GRADIENT_PARTS]

        def row(number: ir.Value) -> tuple[()]:
            slot = b.load(updated, number)

            def columns(these: Columns) -> tuple[()]:
                def add(device: ir.Value, *totals: ir.Value) -> list[ir.Value]:
                    start = b.add(b.mul(device, spec.dim), these.start)
                    part = Columns(start, these.widths).load(b, parts, slot)
                    return [
                        b.floats("arith.addf", *pair) for pair in zip(totals, part, strict=True)
                    ]

                these.store(b, b.loop(0, spec.num_devices, add, these.zeros(b)), sums, number)
                return ()

            for_columns(b, spec.dim, spec.hardware.float32_lanes, columns)
            return ()

        step = step_attributes(REDUCE_GRADIENTS, [UPDATED_SLOTS, GRADIENT_PARTS], [GRADIENT_SUMS])
        b.loop(0, count, row, attributes=step)
