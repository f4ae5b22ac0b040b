"""The steps after the last minibatch, in which tiles update the rows that have slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import DEDUPLICATE, REDUCE_GRADIENTS
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, for_columns
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import hold, step_attributes
from sdykit.sparsecore.tile.rules.rule import Rule, reductions_of
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.update.applying import RowUpdates
from sdykit.sparsecore.tile.update.held import (
    GRADIENT_PARTS,
    GRADIENT_SUMS,
    ROWS_OF_A_BLOCK,
    ROWS_OF_SLOTS,
    UNIQUE_ROWS,
    UPDATED_SLOTS,
    hold_block,
    rows_of_a_block,
    sizes_of,
)
from sdykit.sparsecore.tile.update.row_copies import RowCopies


@dataclass(frozen=True)
class SlotUpdates:
    """Updates the rows that have slots.

    Attributes:
        builder: the builder that ops are added with, for a tile.
        spec: the spec of the update.
        rule: the rule of the update.
        arguments: the arguments of the program, by name.
    """

    builder: Builder
    spec: UpdateSpec | CustomUpdateSpec
    rule: Rule
    arguments: Mapping[str, ir.Value]

    def update(self, share: tuple[ir.Value, ir.Value]) -> None:
        """Update the rows that have slots in a share of them: from a first one to one past the last."""
        b, spec, arguments = self.builder, self.spec, self.arguments
        scalars = {name: Number(b, b.load(arguments[name])) for name in spec.scalars}
        singles = {name: name in spec.row_slots for name in spec.slots}
        reductions = reductions_of(b.context, self.rule, singles, spec.scalars)
        block = hold_block(b, spec)
        updated = hold(b, UPDATED_SLOTS, "index", [ROWS_OF_A_BLOCK], sizes_of(spec))
        updates = RowUpdates(b, spec, self.rule, reductions, scalars, block)
        copies = RowCopies(b, arguments, block)
        first, last = share

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
        return b.repeat([first, b.at(0)], is_next, of_slot, total="slots", attributes=step)

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
        b.loop(0, count, row, total="updated_rows", attributes=step)
