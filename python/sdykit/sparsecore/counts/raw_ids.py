"""The figures of a batch of raw ids."""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts.batches import distinct, tile_of_samples
from sdykit.sparsecore.counts.statistics import Figures, Statistics
from sdykit.sparsecore.counts.updates import row_figures, sorted_entries, tile_of
from sdykit.sparsecore.errors import SparseCoreError
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
    all_rows = ids.astype(np.int64).ravel() - device * rows
    position = np.flatnonzero((ids.ravel() >= 0) & (all_rows >= 0) & (all_rows < rows))
    place, shape = _blocks_of_samples(spec, position, ids.shape[1])
    block_ids = np.bincount(place, minlength=prod(shape)).reshape(shape)
    row = all_rows[position]
    tile_unique_ids, tile_ids = distinct(place, row, shape).sum(axis=0), block_ids.sum(axis=0)
    figures = {
        "valency": np.full((1,) * 4, ids.shape[1]),
        "rows_of_device": np.full((1,) * 4, rows),
        "block_ids": block_ids,
        "tile_unique_ids": tile_unique_ids,
    }
    if isinstance(spec, AnyUpdateSpec):
        figures |= _id_update_figures(spec, position, row, ids.shape[1], rows)
    unique_ids = tile_unique_ids.sum(axis=-1)
    return Statistics(1, tile_ids.sum(axis=-1), unique_ids, tile_ids, figures=figures)


def _blocks_of_samples(
    spec: TileSpec, position: Figures, valency: int
) -> tuple[Figures, tuple[int, ...]]:
    """Return the places of raw ids in the blocks that tiles take of the ids of their samples.

    Args:
        spec: the spec of the program.
        position: the positions of the ids.
        valency: the number of ids of a sample.

    Returns:
        The numbers of the places, and their shape: blocks, SparseCores, 1, 1, tiles.
    """
    tiles = spec.hardware.tiles_per_sparse_core
    core, sample = np.divmod(position // max(valency, 1), spec.samples_per_core)
    tile = tile_of_samples(spec, sample)
    first = core * spec.samples_per_core + tile * spec.samples_per_core // tiles
    block = (position - first * valency) // IDS_PER_BLOCK
    blocks = -(-valency * -(-spec.samples_per_core // tiles) // IDS_PER_BLOCK)
    shape = (blocks, spec.all_cores, 1, 1, tiles)
    one = np.zeros_like(core)
    return np.ravel_multi_index((block, core, one, one, tile), shape), shape


def _id_update_figures(
    spec: AnyUpdateSpec, position: Figures, row: Figures, valency: int, rows: int
) -> dict[str, Figures]:
    """Return the figures of an update of raw ids, by name.

    Args:
        spec: the spec of the update.
        position: the positions of the ids that name rows of the device.
        row: the rows that they name, counted within the device.
        valency: the number of ids of a sample.
        rows: the number of rows of the device.
    """
    cores, tiles = spec.sparse_cores, spec.hardware.tiles_per_sparse_core
    count = valency * spec.samples
    tile = tile_of(position, count, tiles)
    block = (position - tile * count // tiles) // WORDS_PER_BLOCK
    # Partition p begins at row p * rows // cores.
    partition = tile_of(row, rows, cores)
    shape = (-(-count // tiles // WORDS_PER_BLOCK), cores, tiles)
    place = np.ravel_multi_index((block, partition, tile), shape)
    words = np.bincount(place, minlength=prod(shape)).reshape(-1, 1, 1, cores, tiles)
    device = position // max(valency, 1) // (spec.samples_per_core * cores)
    entries = sorted_entries(np.zeros_like(row), row, device, 1, cores * tiles)
    by_tile = row_figures(entries)
    sizes = np.bincount(partition, minlength=cores).reshape(1, 1, cores, 1)
    return {
        "block_words": words,
        "partition_ids": sizes,
        "ids_before": np.cumsum(sizes, axis=2) - sizes,
        "updated_rows": by_tile["rows"].reshape(1, 1, cores, tiles),
        **{name: each.reshape(1, 1, cores, tiles) for name, each in by_tile.items()},
    }
