"""The step `apply`: the rule of the update, applied to a block of rows in the SPMEM of a tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import APPLY
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, for_columns
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.rules.rule import (
    RowTotal,
    Rule,
    RuleInputs,
    Scalars,
    Slots,
    first_of,
    next_reduction,
    result_of,
)
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.update.held import (
    GRADIENT_SUMS,
    RowBlock,
    gathered_name,
    slot_arguments,
)


@dataclass(frozen=True)
class RowUpdates:
    """Applies the rule of the update to the rows of a block.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the update.
        rule: the rule of the update.
        reductions: the op of each reduction over a row that the rule asks for, in order.
        scalars: the hyperparameters, by name.
        block: the buffers with the rows, their slots, and the sums of their gradients.
    """

    builder: Builder
    spec: UpdateSpec | CustomUpdateSpec
    rule: Rule
    reductions: tuple[str, ...]
    scalars: Scalars
    block: RowBlock

    def apply(self, count: ir.Value) -> None:
        """Update the first `count` rows of the block, and their slots."""
        b, names, gathered = self.builder, slot_arguments(self.spec), self.block.gathered

        def row(number: ir.Value) -> tuple[()]:
            single = {
                name: Number(b, b.load(gathered[names[name]], number, 0))
                for name in self.spec.row_slots
            }
            known: list[Number] = []
            for kind in self.reductions:
                known.append(self._reduced(kind, number, single, known))

            def columns(these: Columns) -> tuple[()]:
                inputs = self._load(these, number, single)
                results = [result_of(self.rule(each), known) for each in inputs]
                these.store(b, [row.value for row, _ in results], gathered["table"], number)
                for name, argument in names.items():
                    values = [slots[name].value for _, slots in results]
                    if name in single:
                        b.store(first_of(b, values[0]), gathered[argument], number, 0)
                    else:
                        these.store(b, values, gathered[argument], number)
                return ()

            for_columns(b, self.spec.dim, self.spec.hardware.float32_lanes, columns)
            return ()

        held = [gathered_name(argument) for argument in gathered]
        step = step_attributes(APPLY, [GRADIENT_SUMS, *held], held)
        b.loop(0, count, row, total="updated_rows", attributes=step)

    def _reduced(
        self, kind: str, number: ir.Value, single: Slots, known: Sequence[Number]
    ) -> Number:
        """Compute the reduction over the row that the rule asks for after some known results."""
        b, total = self.builder, RowTotal(self.builder, kind)

        def columns(these: Columns, before: ir.Value) -> list[ir.Value]:
            inputs = self._load(these, number, single)
            values = [next_reduction(self.rule(each), known).value for each in inputs]
            return [total.add(before, these, values)]

        lanes, width = self.spec.hardware.float32_lanes, self.spec.reduced_columns
        return total.end(for_columns(b, width, lanes, columns, [total.start()])[0])

    def _load(self, these: Columns, number: ir.Value, single: Slots) -> list[RuleInputs]:
        """Load the vectors that the rule is called with.

        Args:
            these: the columns to load.
            number: the number of the row in the block.
            single: the slots with one number for each row, loaded before.
        """
        b, gathered = self.builder, self.block.gathered
        gradients = these.load(b, self.block.sums, number)
        rows = these.load(b, gathered["table"], number)
        loaded = {
            name: these.load(b, gathered[argument], number)
            for name, argument in slot_arguments(self.spec).items()
            if name not in single
        }
        return [
            RuleInputs(
                Number(b, gradients[k]),
                Number(b, rows[k]),
                {
                    name: single[name] if name in single else Number(b, loaded[name][k])
                    for name in self.spec.slots
                },
                self.scalars,
            )
            for k in range(len(these.widths))
        ]
