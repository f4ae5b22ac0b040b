"""The steps of a minibatch in which tiles add gradients to those of minibatches before.

`deduplicate` finds the slot of each row of a block, or gives it one; `reduce_gradients` adds to the
parts there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import DEDUPLICATE, REDUCE_GRADIENTS
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, for_columns
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.update.held import (
    GRADIENT_PARTS,
    ROWS_OF_SLOTS,
    SLOTS_OF_ROWS,
    SORTED_WORDS,
    UNIQUE_SLOTS,
    rows_of_a_block,
)
from sdykit.sparsecore.tile.update.row_sums import RowSums

Range = tuple[ir.Value, ir.Value]
"""The first position, and one past the last."""


@dataclass(frozen=True)
class SlotSums:
    """Adds the gradients of a minibatch to those of its rows.

    Attributes:
        builder: the builder that ops are added with, for a tile.
        spec: the spec of the update.
        arguments: the arguments of the program, by name.
        partition: the partition, counted within the device.
        slots: the slots of the partition.
        sums: adds the gradients of rows.
        first: the number of the minibatch's first entry.
        unique: the slot of each row of a block, `UNIQUE_SLOTS`.
    """

    builder: Builder
    spec: UpdateSpec | CustomUpdateSpec
    arguments: Mapping[str, ir.Value]
    partition: ir.Value
    slots: Range
    sums: RowSums
    first: ir.Value
    unique: ir.Value

    def add(self, share: Range) -> None:
        """Add the gradients of the rows that begin in a share of the sorted entries."""
        b, (begin, last) = self.builder, share

        def is_left(position: ir.Value) -> ir.Value:
            return b.compare("slt", position, last)

        def block(position: ir.Value) -> list[ir.Value]:
            end, count = self._find_slots(position, last)
            self._add_to_parts(position, count)
            return [end]

        b.repeat([self.sums.first_row(begin)], is_left, block)

    def _find_slots(self, begin: ir.Value, last: ir.Value) -> list[ir.Value]:
        """Add the step that finds the slots of the rows of a block, or gives them one.

        Returns:
            One past the position of the last row's last entry, and the number of rows.
        """
        b, (first, end), sums = self.builder, self.slots, self.sums
        room = rows_of_a_block(self.spec)

        def is_next(position: ir.Value, count: ir.Value) -> ir.Value:
            is_left = b.compare("slt", position, last)
            return b.integers("arith.andi", is_left, b.compare("slt", count, room))

        def row(position: ir.Value, count: ir.Value) -> list[ir.Value]:
            row = self._row(position)
            known = b.load_index(self.arguments[SLOTS_OF_ROWS], row)

            # Whether or not a row has a slot, one is read: so the count follows from the batch.
            is_slot = b.compare("ult", b.sub(known, first), b.sub(end, first))
            at = b.select(is_slot, known, first)
            other = b.compare("ne", b.load_index(self.arguments[ROWS_OF_SLOTS], at), row)
            is_new = b.select(is_slot, other, b.constant("1", "i1"))

            def new() -> list[ir.Value]:
                slot = b.add(self.first, position)
                self._start(row, slot)
                return [slot]

            slot = b.choose(is_new, new, lambda: [known], [b.index], total="new_rows")[0]
            b.store(slot, self.unique, count)
            return [sums.row_end(b.add(position, 1)), b.add(count, 1)]

        tables = [SLOTS_OF_ROWS, ROWS_OF_SLOTS]
        step = step_attributes(
            DEDUPLICATE, [SORTED_WORDS, *tables], [UNIQUE_SLOTS, *tables, GRADIENT_PARTS]
        )
        return b.repeat([begin, b.at(0)], is_next, row, total="rows", attributes=step)

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

    def _add_to_parts(self, first: ir.Value, count: ir.Value) -> None:
        """Add the step that adds the gradients of a block's rows to the parts in their slots."""
        b, spec, parts = self.builder, self.spec, self.arguments[GRADIENT_PARTS]

        def row(number: ir.Value, begin: ir.Value) -> list[ir.Value]:
            slot = b.load(self.unique, number)

            def columns(these: Columns, _: ir.Value) -> list[ir.Value]:
                return [self.sums.add_to(parts, slot, these, begin)]

            return list(for_columns(b, spec.dim, spec.hardware.float32_lanes, columns, [begin]))

        reads = [UNIQUE_SLOTS, SORTED_WORDS, "pairs", "gradients", GRADIENT_PARTS]
        step = step_attributes(REDUCE_GRADIENTS, reads, [GRADIENT_PARTS])
        b.loop(0, count, row, [first], total="rows", attributes=step)

    def _row(self, position: ir.Value) -> ir.Value:
        """Return the row of the table at a position."""
        b = self.builder
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        return b.add(b.mul(self.partition, rows), self.sums.id(position))
