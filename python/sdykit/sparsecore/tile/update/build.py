"""The tile program of an optimizer's step.

Phases:

1. over the SparseCores that have samples: the entries are checked;
2. over the partitions: the entries are sorted by row;
3. over the tiles: each owns a range of the sorted rows, see `tile_phase`. Rows that no entry names
   are not written.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import (
    TileArgument,
    last_arguments,
    samples_passed,
    source_arguments,
)
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import add_buffer_checks, add_buffer_checks_of_all
from sdykit.sparsecore.tile.entry_function import make_module
from sdykit.sparsecore.tile.rules.optimizers import apply_rule
from sdykit.sparsecore.tile.rules.rule import Reduction, Result, Rule, RuleInputs
from sdykit.sparsecore.tile.rules.stablehlo import Signature, read_row_function
from sdykit.sparsecore.tile.shared_memory.pieces import pieces_of
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.update.held import runs_minibatches, sizes_of, slot_arguments
from sdykit.sparsecore.tile.update.id_sorting import add_id_sort_phases
from sdykit.sparsecore.tile.update.minibatches import add_minibatch_phase, minibatch_workspaces
from sdykit.sparsecore.tile.update.radix_sort import (
    add_radix_sort_phases_of_all,
    partition_counts,
)
from sdykit.sparsecore.tile.update.shared_radix_sort import (
    add_sort_phases_of_all,
    shared_sort_workspaces,
)
from sdykit.sparsecore.tile.update.tile_phase import add_tile_phase, add_tile_phase_of_all
from sdykit.sparsecore.tile.update.vector_sorting import add_sort_phase
from sdykit.sparsecore.tile.update.words import word_workspaces


def update_arguments(spec: UpdateSpec | CustomUpdateSpec) -> tuple[TileArgument, ...]:
    """Return the arguments of the program of an update, in order."""
    # Bytes: the gradient; table and slots, read and written; words, while they are sorted.
    wide_slots = len(spec.slots) - len(spec.row_slots)
    work = 4 * (spec.dim * (1 + 2 * (1 + wide_slots)) + 2 * len(spec.row_slots)) + 64
    rows = ("rows",) if spec.flat else ("rows", spec.dim)
    single = {slot_arguments(spec)[name] for name in spec.row_slots}
    arguments = (
        *source_arguments(spec, work),
        TileArgument("gradients", "float32", (samples_passed(spec), spec.dim)),
        *(TileArgument(name, "float32", ()) for name in spec.scalars),
        *(
            TileArgument(name, "float32", ("rows", 1) if name in single else rows, "in_place")
            for name in ("table", *slot_arguments(spec).values())
        ),
        *(minibatch_workspaces(spec) if runs_minibatches(spec) else _workspaces(spec)),
    )
    return (*arguments, *last_arguments(spec, arguments))


def _workspaces(spec: UpdateSpec | CustomUpdateSpec) -> tuple[TileArgument, ...]:
    """Return the workspaces of a program that sorts the entries of all minibatches together."""
    is_shared, is_of_all = spec.layout == "ids", spec.transport == "memory"
    count = 1 if is_shared else spec.sparse_cores
    if is_of_all:
        count = spec.num_devices * spec.sparse_cores
    counts: tuple[TileArgument, ...] = ()
    if is_shared and spec.reading == "cpu":
        counts = shared_sort_workspaces(spec)
    elif is_of_all:
        counts = (partition_counts(spec),)
    return (
        *word_workspaces(spec),
        TileArgument("parts", "int32", (count, 2), "workspace"),
        *counts,
    )


def build_update(context: ir.Context, spec: UpdateSpec | CustomUpdateSpec) -> ir.Module:
    """Build the program of an update.

    Raises:
        SparseCoreError: there is no such chip, or a user's update has an unsupported op.
    """

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        if spec.transport == "memory":
            if spec.layout == "ids":
                add_sort_phases_of_all(b, spec, arguments, values)
            else:
                pieces = pieces_of(b, arguments, values)
                add_buffer_checks_of_all(b, spec, pieces)
                add_radix_sort_phases_of_all(b, spec, pieces)
            words = values["words"]
            values = {**values, "words": b.flat(words, b.dim(words, 1))}
            add_tile_phase_of_all(b, spec, _rule_of(b, spec), arguments, values)
            return
        if spec.flat:
            rows = ("table", *slot_arguments(spec).values())
            values = {**values, **{name: b.column(values[name]) for name in rows}}
        if spec.reading == "cpu":  # The chip sorts the first copy of the words.
            words = values["words"]
            values = {**values, "words": b.flat(words, b.dim(words, 1))}
        if spec.layout == "ids":
            add_id_sort_phases(b, spec, values)
        else:
            add_buffer_checks(b, spec, values, entries=True)
            if runs_minibatches(spec):
                add_minibatch_phase(b, spec, _rule_of(b, spec), values)
                return
            add_sort_phase(b, spec, values)
        add_tile_phase(b, spec, _rule_of(b, spec), values)

    arguments = update_arguments(spec)
    return make_module(context, "update", arguments, spec, body, sizes=sizes_of(spec))


def _rule_of(b: Builder, spec: UpdateSpec | CustomUpdateSpec) -> Rule:
    """Return the rule of an update."""
    if isinstance(spec, UpdateSpec):
        return lambda inputs: apply_rule(spec.optimizer, spec.reduced_columns, inputs)
    names = spec.slots
    signature = Signature(names, spec.scalars, spec.row_slots)
    function = read_row_function(b.context, spec.stablehlo, signature)

    def rule(inputs: RuleInputs) -> Generator[Reduction, Number, Result]:
        g, w, slots, h = inputs
        values = [g, w, *(slots[name] for name in names), *(h[name] for name in spec.scalars)]
        # With the builder of the values, as the rule is also run outside of the program.
        row, *rest = yield from function.apply(g.builder, values, spec.reduced_columns)
        return row, dict(zip(names, rest, strict=True))

    return rule
