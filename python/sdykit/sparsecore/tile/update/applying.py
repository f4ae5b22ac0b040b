"""What a tile holds of a block of rows, and the optimizer applied to it, in SPMEM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, for_columns
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.rules.rule import (
    Given,
    RowTotal,
    Rule,
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
    """Return the arguments that hold the slots; hyperparameters may have the names of slots."""
    return {name: f"slot_{name}" for name in spec.slots}


@dataclass(frozen=True)
class RowBlock:
    """What a tile holds of some rows, in SPMEM.

    Attributes:
        rows: where they are in the table.
        ends: positions after the last entry of each.
        sums: of the gradients of each.
        gathered: the rows themselves and their slots, by the argument that they come from.
        row_sums: a copy of the sums of one row, for a rule that goes over them several times.
    """

    rows: ir.Value
    ends: ir.Value
    sums: ir.Value
    gathered: Mapping[str, ir.Value]
    row_sums: ir.Value | None


def make_block(
    b: Builder, spec: UpdateSpec | CustomUpdateSpec, reductions: tuple[str, ...]
) -> RowBlock:
    """Allocate the memory of a tile."""
    count, found = spec.held_rows, {_DEDUPLICATED: "unit"}
    rows, ends = (b.spmem([count], "index", **found) for _ in range(2))
    marks = {
        _SUMS: "unit",
        "sparsecore.gather_operand": f'"{spec.staging}"',
        "sparsecore.sizes": '"rows of a tile x feature width"',
        "sparsecore.limit": '"max_unique_ids_per_partition"',
    }
    sums = b.spmem([count, spec.dim], "f32", **marks)
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
    """Applies a rule to the rows of a block.

    Attributes:
        builder: where ops are added.
        spec: of the update.
        rule: of the optimizer.
        reductions: what it reduces over a row, by which ops.
        scalars: hyperparameters, by name.
        block: the rows, their slots, and the sums of their gradients.
    """

    builder: Builder
    spec: UpdateSpec | CustomUpdateSpec
    rule: Rule
    reductions: tuple[str, ...]
    scalars: Scalars
    block: RowBlock

    def apply(self, count: ir.Value) -> None:
        """Update rows and slots: as many as are held."""
        b, names, gathered = self.builder, slot_arguments(self.spec), self.block.gathered

        def row(number: ir.Value) -> tuple[()]:
            self._keep_sums(number)
            single = {
                name: Number(b, b.load(gathered[names[name]], number, 0))
                for name in self.spec.row_slots
            }
            known: list[Number] = []
            for kind in self.reductions:
                known.append(self._reduced(kind, number, single, known))

            def columns(these: Columns) -> tuple[()]:
                given = self._given(these, number, single)
                results = [result_of(self.rule(each), known) for each in given]
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

    def _keep_sums(self, number: ir.Value) -> None:
        """Copy the sums of a row to where the passes of the rule read them."""
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
        """Reduce over the row what the rule asks for once it knows some results."""
        b, total = self.builder, RowTotal(self.builder, kind)

        def columns(these: Columns, before: ir.Value) -> list[ir.Value]:
            given = self._given(these, number, single)
            values = [next_reduction(self.rule(each), known).value for each in given]
            return [total.add(before, these, values)]

        lanes, width = self.spec.hardware.float32_lanes, self.spec.reduced_columns
        return total.end(for_columns(b, width, lanes, columns, [total.start()], apart=True)[0])

    def _given(self, these: Columns, number: ir.Value, single: Slots) -> list[Given]:
        """Load vectors of what the rule gets; the numbers that a row has one of are loaded."""
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
            Given(
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
