"""A block of rows in the SPMEM of a tile, and the rule of the update applied to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, for_columns
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
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

_DEDUPLICATED = "sparsecore.deduplicated"
_SUMS = "sparsecore.sums"
_IN_PLACE = "sparsecore.in_place"


def slot_arguments(spec: UpdateSpec | CustomUpdateSpec) -> dict[str, str]:
    """Return the name of each slot's argument; it has a prefix, as hyperparameters are named freely."""
    return {name: f"slot_{name}" for name in spec.slots}


@dataclass(frozen=True)
class RowBlock:
    """The buffers of a tile for some rows, in SPMEM.

    Attributes:
        rows: the number of each row in the table, index.
        ends: for each row, one past the position of its last entry, index.
        sums: the sum of the gradients of each row, `[rows, dim]`.
        gathered: copies of the rows and their slots, by the name of the argument.
        row_sums: a copy of the sums of one row, for a rule that reads them several times; None: the
            rule reads them once.
    """

    rows: ir.Value
    ends: ir.Value
    sums: ir.Value
    gathered: Mapping[str, ir.Value]
    row_sums: ir.Value | None


def make_block(
    b: Builder, spec: UpdateSpec | CustomUpdateSpec, reductions: tuple[str, ...]
) -> RowBlock:
    """Allocate the buffers of a tile."""
    count, deduplicated = spec.held_rows, {_DEDUPLICATED: "unit"}
    rows, ends = (b.spmem([count], "index", **deduplicated) for _ in range(2))
    attributes = {
        _SUMS: "unit",
        "sparsecore.gather_operand": f'"{spec.staging}"',
        "sparsecore.sizes": '"rows of a tile x feature width"',
        "sparsecore.limit": '"max_unique_ids_per_partition"',
    }
    sums = b.spmem([count, spec.dim], "f32", **attributes)
    widths = {"table": spec.dim}
    for name, argument in slot_arguments(spec).items():
        widths[argument] = 1 if name in spec.row_slots else spec.dim
    gathered = {
        name: b.spmem([count, width], "f32", **{_IN_PLACE: "unit"})
        for name, width in widths.items()
    }
    row_sums = b.spmem([1, spec.dim], "f32") if reductions else None
    return RowBlock(rows, ends, sums, gathered, row_sums)


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
            self._copy_sums(number)
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

            for_columns(b, self.spec.dim, self.spec.hardware.float32_lanes, columns, apart=True)
            return ()

        b.loop(0, count, row)

    def _copy_sums(self, number: ir.Value) -> None:
        """Copy the sums of a row to `row_sums`, if the rule reads them several times."""
        b, kept = self.builder, self.block.row_sums
        if kept is None:
            return

        def columns(these: Columns) -> tuple[()]:
            these.store(b, these.load(b, self.block.sums, number), kept, b.at(0))
            return ()

        for_columns(b, self.spec.dim, self.spec.hardware.float32_lanes, columns, apart=True)

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
        return total.end(for_columns(b, width, lanes, columns, [total.start()], apart=True)[0])

    def _load(self, these: Columns, number: ir.Value, single: Slots) -> list[RuleInputs]:
        """Load the vectors that the rule is called with.

        Args:
            these: the columns to load.
            number: the number of the row in the block.
            single: the slots with one number for each row, loaded before.
        """
        b, gathered = self.builder, self.block.gathered
        kept = self.block.row_sums
        gradients = (
            these.load(b, self.block.sums, number) if kept is None else these.load(b, kept, b.at(0))
        )
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
