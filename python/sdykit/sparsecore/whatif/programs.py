"""The programs of a choice: their specs, the figures that their costs follow from, and their memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from sdykit.sparsecore.cost import (
    Figures,
    LookupFigures,
    Pairs,
    lookup_figures,
    update_figures,
)
from sdykit.sparsecore.cost.figures import pair_figures
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory.layers import ledger_of_stacks, specs_of
from sdykit.sparsecore.memory.spmem import spmem_of
from sdykit.sparsecore.stacking import Stack
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from sdykit.sparsecore.whatif.batch import WithinLimits
from sdykit.sparsecore.whatif.choice import Choice
from sdykit.sparsecore.whatif.results import Memory


def specs_for(stack: Stack, choice: Choice) -> tuple[TileSpec, ...]:
    """Return the specs of a stack's lookup, and of its update if there is one with known steps."""
    lookup, update = specs_of(stack, choice.system, choice.chip, choice.has_minibatches)
    lookup = dataclasses.replace(lookup, label=stack.name, reading="chip")
    if lookup.dtype != "float32" or not isinstance(update, UpdateSpec):
        return (lookup,)
    return lookup, dataclasses.replace(update, label=stack.name, reading="chip")


def figures_of_program(spec: TileSpec, found: WithinLimits) -> Figures:
    """Return the figures of a stack's lookup or update, for the cost model."""
    if not isinstance(spec, LookupSpec):
        ids = found.update["minibatch_ids"][..., 0]
        names = ("rows", "row_ids", "device_rows")
        by_tile = {name: found.update[name] for name in names}
        if spec.minibatches:
            by_tile["new_rows"] = found.update["new_rows"]
            by_tile["updated_rows"] = found.update["updated_rows"][0]
        return update_figures(spec, ids, by_tile)
    cells = found.cells
    pairs = Pairs(
        *(cells.source, cells.partition, cells.ids, cells.unique_ids, cells.tile_ids),
        cells.minibatch,
    )
    return _of_all_sources(spec, lookup_figures(spec, pairs, found.minibatches), found)


def _of_all_sources(spec: TileSpec, figures: LookupFigures, found: WithinLimits) -> LookupFigures:
    """Return the figures of all SparseCores, from those of which some have samples."""
    cores, sources = found.batch.system.num_sparse_cores, found.batch.sources
    if sources == cores:
        return figures
    empty = pair_figures(spec.hardware, np.zeros(1), np.zeros(1), np.zeros(1))
    like = np.arange(cores) % sources
    scale = cores / sources
    return LookupFigures(
        sent=figures.sent[..., like],
        owned=(figures.owned - (cores - sources) * empty) * scale,
        far_sent=figures.far_sent[..., like],
        far_owned=figures.far_owned * scale,
    )


def memory_of(
    choice: Choice, stacks: Sequence[Stack], specs: Sequence[TileSpec]
) -> tuple[Memory | None, str]:
    """Return the memory that programs need, and why they do not fit if they do not."""
    try:
        layouts = [spmem_of(each) for each in specs]
    except SparseCoreError as error:
        return None, str(error)
    ledger = ledger_of_stacks(
        stacks,
        choice.system,
        choice.chip,
        has_minibatches=choice.has_minibatches,
        prefetched=choice.prefetched,
        reading="chip",
    ).plus(entry for each in layouts for entry in each.staged)
    memory = Memory(
        max(each.bytes for each in layouts),
        layouts[0].capacity,
        ledger.bytes,
        ledger.capacity,
    )
    try:
        ledger.check("whatif")
    except SparseCoreError as error:
        return memory, str(error)
    return memory, ""
