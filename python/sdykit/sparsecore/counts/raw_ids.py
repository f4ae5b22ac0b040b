"""The figures of a batch of raw ids."""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts.statistics import Figures, Statistics
from sdykit.sparsecore.counts.updates import row_figures, sorted_entries, tile_of
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.loops import count_raw_ids
from sdykit.sparsecore.tile.lookup.held import IDS_PER_BLOCK
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, TileSpec
from sdykit.sparsecore.tile.update.id_sorting import WORDS_PER_BLOCK


def statistics_of_ids(
    spec: TileSpec, ids: npt.NDArray[np.int32], rows: int, *, device: int = 0
) -> Statistics:
    """Return the figures of a batch of raw ids.

    Args:
        spec: the spec of the lookup or the update, of layout ids.
        ids: the ids of the samples of all devices, int32 `[samples, valency]`; negative ones name no
            row.
        rows: the number of rows that each device has.
        device: the device whose rows are looked up or updated.

    Raises:
        SparseCoreError: the layout of the spec is not ids, or there are not as many samples as it says.
    """
    if spec.layout != "ids" or ids.shape[:-1] != (spec.samples,):
        raise SparseCoreError(
            f"statistics: ids have the shape {list(ids.shape)}, and the layout is {spec.layout}; expected "
            f"[{spec.samples}, valency], and the layout ids"
        )
    valency, tiles = ids.shape[1], spec.hardware.tiles_per_sparse_core
    ids, shape = np.ascontiguousarray(ids), (spec.all_cores, 1, 1, tiles)
    blocks = -(-valency * -(-spec.samples_per_core // tiles) // IDS_PER_BLOCK)
    block_ids = np.empty((blocks, spec.all_cores * tiles), np.int64)
    unique_ids = np.empty(spec.all_cores * tiles, np.int64)
    first = device * rows
    count_raw_ids(
        ids.ravel(),
        (first, first + rows),
        (valency, spec.samples_per_core, tiles, IDS_PER_BLOCK),
        block_ids,
        unique_ids,
    )
    tile_ids, tile_unique_ids = (
        each.reshape(shape) for each in (block_ids.sum(axis=0), unique_ids)
    )
    figures = {
        "valency": np.full((1,) * 4, valency),
        "rows_of_device": np.full((1,) * 4, rows),
        "block_ids": block_ids.reshape(blocks, *shape),
        "tile_unique_ids": tile_unique_ids,
    }
    if isinstance(spec, AnyUpdateSpec):
        figures |= _id_update_figures(spec, ids, rows, device)
    ids_of_cores, unique_ids_of_cores = (each.sum(axis=-1) for each in (tile_ids, tile_unique_ids))
    return Statistics(1, ids_of_cores, unique_ids_of_cores, tile_ids, figures=figures)


def _id_update_figures(
    spec: AnyUpdateSpec, ids: npt.NDArray[np.int32], rows: int, device: int
) -> dict[str, Figures]:
    """Return the figures of an update of raw ids, by name.

    Args:
        spec: the spec of the update.
        ids: the ids.
        rows: the number of rows of the device.
        device: the number of the device.
    """
    all_rows, valency = ids.astype(np.int64).ravel() - device * rows, ids.shape[1]
    position = np.flatnonzero((ids.ravel() >= 0) & (all_rows >= 0) & (all_rows < rows))
    row = all_rows[position]
    cores, tiles = spec.sparse_cores, spec.hardware.tiles_per_sparse_core
    count = valency * spec.samples
    tile = tile_of(position, count, tiles)
    block = (position - tile * count // tiles) // WORDS_PER_BLOCK
    # Partition p begins at row p * rows // cores.
    partition = tile_of(row, rows, cores)
    shape = (-(-count // tiles // WORDS_PER_BLOCK), cores, tiles)
    place = np.ravel_multi_index((block, partition, tile), shape)
    words = np.bincount(place, minlength=prod(shape)).reshape(-1, 1, 1, cores, tiles)
    source = position // max(valency, 1) // (spec.samples_per_core * cores)
    entries = sorted_entries(np.zeros_like(row), row, source, 1, cores * tiles)
    by_tile = row_figures(entries)
    sizes = np.bincount(partition, minlength=cores).reshape(1, 1, cores, 1)
    return {
        "block_words": words,
        "partition_ids": sizes,
        "ids_before": np.cumsum(sizes, axis=2) - sizes,
        "updated_rows": by_tile["rows"].reshape(1, 1, cores, tiles),
        **{name: each.reshape(1, 1, cores, tiles) for name, each in by_tile.items()},
    }
