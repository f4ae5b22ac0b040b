"""The tile program of an optimizer's step.

Phases:

1. over the partitions: their sequencers sort the entries by row;
2. over the tiles: each owns a range of its partition's rows. It sums `gain * gradient` of a row in
   registers, in the order of docs/sparsecore-reference.md, and updates the row and its slots in
   place. Rows that no entry names are not written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdykit.mlir import ir, make_context
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._columns import Columns, for_columns
from sdykit.sparsecore.tile._entry import make_entry
from sdykit.sparsecore.tile._numbers import Number
from sdykit.sparsecore.tile._sorting import ID_SHIFT, add_sort_phase
from sdykit.sparsecore.tile._stablehlo import read_row_function
from sdykit.sparsecore.tile.program import TileArgument, TileProgram, buffer_arguments
from sdykit.sparsecore.tile.rules import Scalars, Slots, apply_rule
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec

Rule = Callable[[Number, Number, Slots, Scalars], tuple[Number, Slots]]
_ROW_MASK = 2**ID_SHIFT - 1
_GRADIENTS_AHEAD = 32
"""How many entries ahead the gradients are asked for."""
_ROWS_AHEAD = 16
"""How many entries ahead rows and slots are asked for; they come to stay, so fewer suffice."""


def slot_arguments(spec: UpdateSpec | CustomUpdateSpec) -> dict[str, str]:
    """Give the arguments that hold the slots; hyperparameters may have the names of slots."""
    return {name: f"slot_{name}" for name in spec.slots}


def update_arguments(spec: UpdateSpec | CustomUpdateSpec) -> tuple[TileArgument, ...]:
    """Give the arguments of the program, in order."""
    samples = spec.sparse_cores * spec.samples_per_core
    return (
        *buffer_arguments(minibatches=spec.minibatches),
        TileArgument("gradients", "float32", (samples, spec.dim)),
        *(TileArgument(name, "float32", ()) for name in spec.scalars),
        *(
            TileArgument(name, "float32", ("rows", spec.dim), "in_place")
            for name in ("table", *slot_arguments(spec).values())
        ),
        TileArgument("words", "int64", (2, "entries"), "workspace"),
        TileArgument("weights", "float32", (2, "entries"), "workspace"),
        TileArgument("parts", "int32", (spec.sparse_cores, 3), "workspace"),
    )


def build_update(spec: UpdateSpec | CustomUpdateSpec) -> TileProgram:
    """Build the program.

    Raises:
        SparseCoreError: there is no such chip, or a user's update has an op that cannot be.
    """
    arguments = update_arguments(spec)
    context = make_context()
    b = Builder(context)

    rule = _rule_of(b, spec)

    def body(values: Mapping[str, ir.Value]) -> None:
        add_sort_phase(b, spec, values)
        _add_tile_phase(b, spec, rule, values)

    with context, ir.Location.unknown(context):
        types = {each.name: each.type for each in arguments}
        module = make_entry(b, "update", types, spec.hardware.tile_memory_bytes, body)
    return TileProgram(str(module), arguments)


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
        rows = b.div(b.dim(arguments["table"], 0), spec.sparse_cores)
        _Tile(
            b,
            spec,
            rule,
            arguments,
            scalars,
            b.mul(partition, rows),
            *(b.load_index(arguments["parts"], partition, k) for k in range(3)),
        ).run(number)

    b.phase([spec.sparse_cores, tiles], tile)


@dataclass(frozen=True)
class _Tile:
    """A tile's part of the update.

    Attributes:
        builder: where ops are added.
        spec: of the update.
        rule: of the optimizer.
        arguments: of the program.
        scalars: hyperparameters, by name.
        first_row: of the partition.
        begin: position of the partition's first entry in `words`.
        end: position behind its last.
        copy: which of the two copies is sorted.
    """

    builder: Builder
    spec: UpdateSpec | CustomUpdateSpec
    rule: Rule
    arguments: Mapping[str, ir.Value]
    scalars: Scalars
    first_row: ir.Value
    begin: ir.Value
    end: ir.Value
    copy: ir.Value

    def run(self, number: ir.Value) -> None:
        """Update the rows of a tile, one after another."""
        b = self.builder
        first, last = self._edge(number), self._edge(b.add(number, 1))

        def is_left(position: ir.Value) -> ir.Value:
            return b.compare("slt", position, last)

        def row(position: ir.Value) -> list[ir.Value]:
            stop = self._run_end(b.add(position, 1), last)
            which = self._row(position)

            def columns(these: Columns) -> None:
                total = self._sum(these, position, stop)
                self._update(these, which, total)

            for_columns(b, self.spec.dim, self.spec.hardware.float32_lanes, columns)
            return [stop]

        b.repeat([first], is_left, row)

    def _edge(self, number: ir.Value) -> ir.Value:
        """Give where a tile's entries start: its even share, moved on to the next row."""
        b, tiles = self.builder, self.spec.hardware.tiles_per_sparse_core
        share = b.div(b.mul(number, b.sub(self.end, self.begin)), tiles)
        start = b.add(self.begin, share)
        is_start = b.compare("eq", share, 0)
        return b.select(is_start, start, self._run_end(start, self.end))

    def _run_end(self, position: ir.Value, end: ir.Value) -> ir.Value:
        """Give the next position whose row differs from that of the one before it."""
        b = self.builder

        def is_same(position: ir.Value) -> ir.Value:
            inside = b.compare("slt", position, end)
            safe = b.most(b.least(position, b.sub(end, 1)), 1)
            same = b.compare("eq", self._id(safe), self._id(b.sub(safe, 1)))
            return b.integers("arith.andi", inside, same)

        return b.repeat([position], is_same, lambda position: [b.add(position, 1)])[0]

    def _word(self, position: ir.Value) -> ir.Value:
        return self.builder.load_index(self.arguments["words"], self.copy, position)

    def _id(self, position: ir.Value) -> ir.Value:
        return self.builder.bits("arith.shrui", self._word(position), ID_SHIFT)

    def _row(self, position: ir.Value) -> ir.Value:
        return self.builder.add(self.first_row, self._id(position))

    def _sum(self, columns: Columns, begin: ir.Value, end: ir.Value) -> list[ir.Value]:
        """Sum `gain * gradient` from +0 on, one after another, each operation rounded."""
        b, gradients = self.builder, self.arguments["gradients"]
        behind = b.sub(self.end, 1)

        def entry(position: ir.Value, *sums: ir.Value) -> list[ir.Value]:
            later = self._word(b.least(b.add(position, _GRADIENTS_AHEAD), behind))
            columns.prefetch(b, gradients, b.bits("arith.andi", later, _ROW_MASK))
            sample = b.bits("arith.andi", self._word(position), _ROW_MASK)
            gain = b.load(self.arguments["weights"], self.copy, position)
            products = [
                b.floats("arith.mulf", b.splat(gain, value.type), value)
                for value in columns.load(b, gradients, sample)
            ]
            return [
                b.floats("arith.addf", total, product)
                for total, product in zip(sums, products, strict=True)
            ]

        for name in ("table", *slot_arguments(self.spec).values()):
            row = self._row(b.least(b.add(begin, _ROWS_AHEAD), behind))
            columns.prefetch(b, self.arguments[name], row, write=True)
        return b.loop(begin, end, entry, columns.zeros(b))

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
