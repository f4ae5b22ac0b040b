"""The figures that the work of lookups and updates follows from, without those that are zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdykit.sparsecore.counts import updates as counts
from sdykit.sparsecore.counts.statistics import Figures
from sdykit.sparsecore.counts.updates import (
    SortedEntries,
    row_figures,
    slot_figures,
    tile_of,
)
from sdykit.sparsecore.whatif.minibatches import Kept
from sdykit.sparsecore.whatif.sorting import Integers, differs


@dataclass(frozen=True, eq=False)
class Cells:
    """The entries that each SparseCore sends to each partition in each minibatch, where there are any.

    Attributes:
        source: the SparseCore, int64 `[cells]`.
        minibatch: the minibatch.
        partition: the partition, of all devices.
        ids: the number of entries.
        unique_ids: the number of distinct rows of them.
        tile_ids: the number of entries of the samples of the tile that has most of them.
    """

    source: Integers
    minibatch: Integers
    partition: Integers
    ids: Integers
    unique_ids: Integers
    tile_ids: Integers

    def __len__(self) -> int:
        return len(self.source)


def cells_of(kept: Kept, tiles: int) -> Cells:
    """Return the cells of a stack's batch.

    Args:
        kept: the entries within the limits.
        tiles: the number of tiles of a SparseCore.
    """
    ids, places = kept.ids, np.flatnonzero(kept.is_kept)
    cores = ids.system.num_sparse_cores
    cell = (ids.source * kept.minibatches + kept.minibatch) * cores + ids.partition
    if kept.minibatches > 1:
        places = places[np.argsort(cell[places], kind="stable")]
    cell = cell[places]
    is_first = differs(cell)
    starts = np.flatnonzero(is_first)
    # Rows ascend in a cell, and entries of a row are one after another.
    is_new = is_first | differs(ids.row[places])
    group, partition = np.divmod(cell[starts], cores)
    source, minibatch = np.divmod(group, kept.minibatches)
    samples = ids.stack.batch_size // cores
    number = np.cumsum(is_first) - 1
    of_tile = np.sort(number * tiles + tile_of(ids.sample[places], samples, tiles))
    firsts = np.flatnonzero(differs(of_tile))
    tile_ids = np.zeros(len(starts), np.int64)
    np.maximum.at(tile_ids, of_tile[firsts] // tiles, np.diff(firsts, append=len(of_tile)))
    return Cells(
        source=source,
        minibatch=minibatch,
        partition=partition,
        ids=np.diff(starts, append=len(cell)),
        unique_ids=np.diff(np.append(0, np.cumsum(is_new))[np.append(starts, len(cell))]),
        tile_ids=tile_ids,
    )


def _by_list(kept: Kept, tiles: int) -> SortedEntries:
    """Return the entries of all partitions, by minibatch and partition, row and device."""
    ids, cores, chosen = kept.ids, kept.ids.system.num_sparse_cores, kept.is_kept
    rows, devices = int(ids.row.max(initial=0)) + 1, ids.system.num_devices
    lists = kept.minibatch[chosen] * cores + ids.partition[chosen]
    device = ids.source[chosen] // ids.system.sparse_cores_per_device
    # One key is sorted several times faster than three. Partitions times rows are at most 2^31.
    keys = np.sort((lists * rows + ids.row[chosen]) * devices + device)
    keys, device = np.divmod(keys, devices)
    lists, row = np.divmod(keys, rows)
    return SortedEntries(lists, row, device, kept.minibatches * cores, tiles)


def update_figures(kept: Kept, tiles: int) -> dict[str, Figures]:
    """Return the figures of an update by their names in programs, of the partitions of all devices.

    Args:
        kept: the entries within the limits.
        tiles: the number of tiles of a SparseCore.

    Returns:
        int64 `[minibatches, partitions, tiles]`, or of size 1 along axes that do not vary, as
        `sdykit.sparsecore.counts.statistics_of` has them for the partitions of a device.
    """
    cores = kept.ids.system.num_sparse_cores
    entries = _by_list(kept, tiles)
    by_tile = row_figures(entries)
    if kept.has_minibatches:
        by_tile |= slot_figures(entries, cores)
    else:
        by_tile |= {"new_rows": by_tile["rows"], "updated_rows": by_tile["rows"]}
    shaped = {name: found.reshape(-1, cores, tiles) for name, found in by_tile.items()}
    found = counts.update_figures(entries.sizes.reshape(-1, cores), shaped)
    return {name: each[0] for name, each in found.items()}
