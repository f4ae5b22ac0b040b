"""The tile program of an optimizer's step.

Phases:

1. their sequencers sort the entries by row: those of buffers over the partitions, ids as they are
   over the SparseCores that have samples, in several phases;
2. over the tiles: each owns a range of the sorted rows. It sums `gain * gradient` of a row, in the
   order of docs/sparsecore-reference.md, keeps the sum in SPMEM, and updates the row and its slots
   in place. Rows that no entry names are not written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._ahead import SECOND_LEVEL
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._columns import Columns, for_columns
from sdykit.sparsecore.tile._entry import make_module
from sdykit.sparsecore.tile._numbers import Number
from sdykit.sparsecore.tile._row_sums import RowSums
from sdykit.sparsecore.tile._shared_sorting import (
    add_shared_sort_phases,
    shared_sort_workspaces,
)
from sdykit.sparsecore.tile._sorting import add_sort_phase
from sdykit.sparsecore.tile._stablehlo import read_row_function
from sdykit.sparsecore.tile._words import word_workspaces, words_of
from sdykit.sparsecore.tile.program import STATUS, TileArgument, source_arguments
from sdykit.sparsecore.tile.rules import Scalars, Slots, apply_rule
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec

Rule = Callable[[Number, Number, Slots, Scalars], tuple[Number, Slots]]
_ROWS_AHEAD = 48
"""How many entries ahead rows and slots are asked for."""


def slot_arguments(spec: UpdateSpec | CustomUpdateSpec) -> dict[str, str]:
    """Give the arguments that hold the slots; hyperparameters may have the names of slots."""
    return {name: f"slot_{name}" for name in spec.slots}


def update_arguments(spec: UpdateSpec | CustomUpdateSpec) -> tuple[TileArgument, ...]:
    """Give the arguments of the program, in order."""
    parts = 1 if spec.layout == "ids" else spec.sparse_cores
    # The gradient; table and slots, there and back; words, as they are sorted.
    work = 4 * spec.dim * (1 + 2 * (1 + len(spec.slots))) + 64
    rows = ("rows",) if spec.flat else ("rows", spec.dim)
    return (
        *source_arguments(spec, work),
        TileArgument("gradients", "float32", (spec.samples, spec.dim)),
        *(TileArgument(name, "float32", ()) for name in spec.scalars),
        *(
            TileArgument(name, "float32", rows, "in_place")
            for name in ("table", *slot_arguments(spec).values())
        ),
        *word_workspaces(spec),
        TileArgument("parts", "int32", (parts, 3), "workspace"),
        *((*shared_sort_workspaces(spec), STATUS) if spec.layout == "ids" else ()),
    )


def build_update(context: ir.Context, spec: UpdateSpec | CustomUpdateSpec) -> ir.Module:
    """Build the program.

    Raises:
        SparseCoreError: there is no such chip, or a user's update has an op that cannot be.
    """

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        if spec.flat:
            rows = ("table", *slot_arguments(spec).values())
            values = {**values, **{name: b.column(values[name]) for name in rows}}
        if spec.layout == "ids":
            add_shared_sort_phases(b, spec, values)
        else:
            add_sort_phase(b, spec, values)
        _add_tile_phase(b, spec, _rule_of(b, spec), values)

    return make_module(context, "update", update_arguments(spec), spec, body)


def _rule_of(b: Builder, spec: UpdateSpec | CustomUpdateSpec) -> Rule:
    """Give what is done to a vector of a row."""
    if isinstance(spec, UpdateSpec):
        return lambda *values: apply_rule(spec.optimizer, *values)
    names = spec.slots
    function = read_row_function(
        b.context, spec.stablehlo, 2 + len(names) + len(spec.scalars), 1 + len(names)
    )

    def rule(g: Number, w: Number, slots: Slots, h: Scalars) -> tuple[Number, Slots]:
        given = [g, w, *(slots[name] for name in names), *(h[name] for name in spec.scalars)]
        width = ir.VectorType(w.value.type).shape[0]
        found = function.apply(b, [each.value for each in given], width)
        row, *rest = (Number(b, value) for value in found)
        return row, dict(zip(names, rest, strict=True))

    return rule


def _add_tile_phase(
    b: Builder,
    spec: UpdateSpec | CustomUpdateSpec,
    rule: Rule,
    arguments: Mapping[str, ir.Value],
) -> None:
    tiles = spec.hardware.tiles_per_sparse_core

    def tile(partition: ir.Value, number: ir.Value) -> None:
        scalars = {name: Number(b, b.load(arguments[name])) for name in spec.scalars}
        part = b.at(0) if spec.layout == "ids" else partition
        begin, end, copy = (b.load_index(arguments["parts"], part, k) for k in range(3))
        sums = RowSums(b, spec, arguments, words_of(b, arguments), copy, begin, end)
        held = b.spmem([spec.held_rows, spec.dim], "f32", **_marks_of(spec))
        if spec.layout == "ids":
            tile = _Tile(b, spec, rule, arguments, scalars, sums, held, None)
            tile.run(b.add(b.mul(partition, tiles), number))
        else:
            _Tile(b, spec, rule, arguments, scalars, sums, held, partition).run(number)

    b.phase([spec.sparse_cores, tiles], tile)


def _marks_of(spec: UpdateSpec | CustomUpdateSpec) -> dict[str, str]:
    """Say where sums of gradients are to be, and what an error says of them."""
    return {
        "sparsecore.gather_operand": f'"{spec.staging}"',
        "sparsecore.sizes": '"rows of a tile x feature width"',
        "sparsecore.limit": '"max_unique_ids_per_partition"',
    }


@dataclass(frozen=True)
class _Tile:
    """A tile's part of the update.

    Attributes:
        builder: where ops are added.
        spec: of the update.
        rule: of the optimizer.
        arguments: of the program.
        scalars: hyperparameters, by name.
        sums: of the gradients.
        held: where the sums of several rows are kept.
        partition: that the tile works on; None: the entries of all are sorted together.
    """

    builder: Builder
    spec: UpdateSpec | CustomUpdateSpec
    rule: Rule
    arguments: Mapping[str, ir.Value]
    scalars: Scalars
    sums: RowSums
    held: ir.Value
    partition: ir.Value | None

    def run(self, number: ir.Value) -> None:
        """Update the rows that begin in the tile's share of the entries, one after another."""
        b = self.builder
        share, last = self._share(number), self._share(b.add(number, 1))

        def moved() -> list[ir.Value]:
            return [self.sums.next_row(share)]

        is_first = b.compare("eq", share, self.sums.begin)
        first = b.choose(is_first, lambda: [share], moved, [b.index])[0]

        def is_left(position: ir.Value, _: ir.Value) -> ir.Value:
            return b.compare("slt", position, last)

        def row(position: ir.Value, place: ir.Value) -> Sequence[ir.Value]:
            which = self._row(position)

            def columns(these: Columns, _: ir.Value) -> list[ir.Value]:
                self._prefetch(these, position)
                stop, total = self.sums.sum(these, position)
                these.store(b, total, self.held, place)
                self._update(these, which, these.load(b, self.held, place))
                return [stop]

            lanes = self.spec.hardware.float32_lanes
            stop = for_columns(b, self.spec.dim, lanes, columns, [position])
            behind = b.add(place, 1)
            is_full = b.compare("eq", behind, self.spec.held_rows)
            return [*stop, b.select(is_full, 0, behind)]

        b.repeat([first, b.at(0)], is_left, row)

    def _share(self, number: ir.Value) -> ir.Value:
        """Give where a tile's even share of the entries begins."""
        b, sums = self.builder, self.sums
        before = b.mul(number, b.sub(sums.end, sums.begin))
        tiles = self.spec.hardware.tiles_per_sparse_core
        if self.partition is None:
            tiles *= self.spec.sparse_cores
        return b.add(sums.begin, b.div(before, tiles))

    def _row(self, position: ir.Value) -> ir.Value:
        b, id_ = self.builder, self.sums.id(position)
        if self.partition is None:
            return id_
        rows = b.div(b.dim(self.arguments["table"], 0), self.spec.sparse_cores)
        return b.add(b.mul(self.partition, rows), id_)

    def _prefetch(self, columns: Columns, position: ir.Value) -> None:
        """Ask for a row of the table, and its slots, that comes later."""
        b = self.builder
        row = self._row(self.sums.last(b.add(position, _ROWS_AHEAD)))
        for name in ("table", *slot_arguments(self.spec).values()):
            columns.prefetch(b, self.arguments[name], row, locality=SECOND_LEVEL)

    def _update(self, columns: Columns, row: ir.Value, gradient: list[ir.Value]) -> None:
        """Update some columns of a row."""
        b, names = self.builder, slot_arguments(self.spec)
        table = columns.load(b, self.arguments["table"], row)
        slots = {
            name: columns.load(b, self.arguments[argument], row) for name, argument in names.items()
        }
        results = [
            self.rule(
                Number(b, gradient[k]),
                Number(b, table[k]),
                {name: Number(b, slots[name][k]) for name in names},
                self.scalars,
            )
            for k in range(len(columns.widths))
        ]
        columns.store(b, [found.value for found, _ in results], self.arguments["table"], row)
        for name, argument in names.items():
            values = [found[name].value for _, found in results]
            columns.store(b, values, self.arguments[argument], row)
