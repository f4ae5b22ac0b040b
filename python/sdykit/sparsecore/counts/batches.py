"""The figures of a batch, from its entries."""

from __future__ import annotations

from math import prod

import numpy as np

from sdykit.sparsecore.counts.statistics import Figures, Statistics
from sdykit.sparsecore.counts.updates import (
    SortedEntries,
    row_figures,
    slot_figures,
    sorted_entries,
    tile_of,
    update_figures,
)
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import Entries
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, TileSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES


def statistics_of(
    spec: TileSpec,
    entries: Entries,
    *,
    device: int = 0,
    minibatches: int | None = None,
    dropped: int = 0,
) -> Statistics:
    """Return the figures of a batch.

    Args:
        spec: the spec of the lookup or the update.
        entries: the entries of the batch, of all devices.
        device: the device whose partitions are looked up or updated.
        minibatches: the number of minibatches of the batch, of which the last ones may be empty;
            None: up to the last one that is not.
        dropped: the number of ids that preprocessing dropped: `StackStatistics.dropped`.

    Raises:
        SparseCoreError: the layout of the spec is ids, the batch has more minibatches than the spec has
            room for, or an entry in a minibatch after the last one.
    """
    if spec.layout == "ids":
        raise SparseCoreError(
            "statistics: the layout is ids, whose entries are of no partition; expected sdykit or "
            "jax_tpu_embedding, or a call of statistics_of_ids"
        )
    minibatches = _checked_minibatches(spec, entries, minibatches)
    cores, tiles = spec.sparse_cores, spec.hardware.tiles_per_sparse_core
    here = entries.partition // cores == device
    core = (entries.device * cores + entries.core)[here]
    minibatch, partition = entries.minibatch[here], entries.partition[here] % cores
    row = entries.local_id[here]
    shape = (spec.all_cores, _room(spec), cores)
    segment = np.ravel_multi_index((core, minibatch, partition), shape)
    tile_ids = np.zeros((*shape, tiles), np.int64)
    np.add.at(
        tile_ids, (core, minibatch, partition, tile_of_samples(spec, entries.local_sample[here])), 1
    )
    figures = {}
    if isinstance(spec, AnyUpdateSpec):
        list_, lists = minibatch * cores + partition, _room(spec) * cores
        owner = entries.device[here]
        figures = _update_figures(spec, sorted_entries(list_, row, owner, lists, tiles))
    return Statistics(
        minibatches,
        tile_ids.sum(axis=-1),
        distinct(segment, row, shape),
        tile_ids,
        dropped,
        figures,
    )


def _update_figures(spec: AnyUpdateSpec, entries: SortedEntries) -> dict[str, Figures]:
    """Return the figures of an update of buffers, by name."""
    cores = spec.sparse_cores
    found = row_figures(entries)
    if spec.minibatches:
        found |= slot_figures(entries, cores)
    else:
        found |= {"new_rows": found["rows"], "updated_rows": found["rows"]}
    shaped = {name: each.reshape(-1, cores, entries.tiles) for name, each in found.items()}
    return update_figures(entries.sizes.reshape(-1, cores), shaped)


def _checked_minibatches(spec: TileSpec, entries: Entries, minibatches: int | None) -> int:
    """Return the number of minibatches of a batch; see `statistics_of`."""
    needed = int(entries.minibatch.max(initial=0)) + 1
    minibatches = needed if minibatches is None else minibatches
    if minibatches < needed:
        raise SparseCoreError(
            f"statistics: minibatches is {minibatches}, and an entry is in minibatch {needed - 1}; "
            f"expected at least {needed}"
        )
    if minibatches > _room(spec):
        raise SparseCoreError(
            f"statistics: the batch has {minibatches} minibatches, and the {spec.kind} is compiled for "
            f"{_room(spec)}; expected a spec with minibatches=True, and at most {MAX_MINIBATCHES}"
        )
    return minibatches


def _room(spec: TileSpec) -> int:
    """Return the maximum number of minibatches of a program."""
    return MAX_MINIBATCHES if spec.minibatches else 1


def tile_of_samples(spec: TileSpec, sample: Figures) -> Figures:
    """Return the tile that owns each sample, counted within its SparseCore."""
    return tile_of(sample, spec.samples_per_core, spec.hardware.tiles_per_sparse_core)


def distinct(place: Figures, row: Figures, shape: tuple[int, ...]) -> Figures:
    """Return the number of distinct rows in each place, int64 of some shape.

    Args:
        place: the number of the place of each entry.
        row: the row of each entry.
        shape: the shape; its elements are the places.
    """
    rows = int(row.max(initial=0)) + 1
    keys = np.sort(place * rows + row)  # `np.unique` takes ten times as long.
    is_first = np.append(np.ones(min(len(keys), 1), bool), keys[1:] != keys[:-1])
    return np.bincount(keys[is_first] // rows, minlength=prod(shape)).reshape(shape)
