"""The figures of a batch that counts follow from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import Entries
from sdykit.sparsecore.tile.spec import LookupSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES

Figures = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Statistics:
    """The figures of a batch on a device: its SparseCores that have samples, and its partitions.

    Attributes:
        minibatches: the number of minibatches of the batch.
        ids: the number of ids that a SparseCore sends to a partition in a minibatch, int64
            `[SparseCores that have samples, minibatches, partitions]`.
        unique_ids: the number of distinct ones of them, of the same shape.
        tile_ids: the number of them that are of a tile's samples, int64
            `[SparseCores that have samples, minibatches, partitions, tiles]`.
    """

    minibatches: int
    ids: Figures
    unique_ids: Figures
    tile_ids: Figures

    def of(self, name: str) -> Figures:
        """Return a figure by its name in programs, with an axis of size 1 where it does not vary."""
        values = {
            "minibatches": np.full((1, 1, 1, 1), self.minibatches),
            "ids": self.ids[..., None],
            "unique_ids": self.unique_ids[..., None],
            "tile_ids": self.tile_ids,
        }
        if name not in values:
            raise SparseCoreError(
                f"statistics: there is no {name!r}; expected one of {', '.join(values)}"
            )
        return values[name]


def statistics_of(
    spec: LookupSpec, entries: Entries, *, device: int = 0, minibatches: int | None = None
) -> Statistics:
    """Return the figures of a batch.

    Args:
        spec: the spec of the lookup.
        entries: the entries of the batch, of all devices.
        device: the device whose partitions are looked up.
        minibatches: the number of minibatches of the batch, of which the last ones may be empty;
            None: up to the last one that is not.

    Raises:
        SparseCoreError: the batch has more minibatches than the spec has room for, or an entry in a
            minibatch after the last one.
    """
    needed = int(entries.minibatch.max(initial=0)) + 1
    minibatches = needed if minibatches is None else minibatches
    if minibatches < needed:
        raise SparseCoreError(
            f"statistics: minibatches is {minibatches}, and an entry is in minibatch {needed - 1}; "
            f"expected at least {needed}"
        )
    room = MAX_MINIBATCHES if spec.minibatches else 1
    if minibatches > room:
        raise SparseCoreError(
            f"statistics: the batch has {minibatches} minibatches, and the lookup is compiled for "
            f"{room}; expected a spec with minibatches=True, and at most {MAX_MINIBATCHES}"
        )
    cores, tiles = spec.sparse_cores, spec.hardware.tiles_per_sparse_core
    here = entries.partition // cores == device
    place = (
        (entries.device * cores + entries.core)[here],
        entries.minibatch[here],
        entries.partition[here] % cores,
    )
    # A tile owns the samples from tile * samples // tiles on.
    tile = ((entries.local_sample[here] + 1) * tiles - 1) // spec.samples_per_core
    shape = (spec.all_cores, room, cores)
    ids, tile_ids = np.zeros(shape, np.int64), np.zeros((*shape, tiles), np.int64)
    np.add.at(ids, place, 1)
    np.add.at(tile_ids, (*place, tile), 1)
    rows = np.unique(np.stack([*place, entries.local_id[here]]), axis=1)
    unique = np.zeros(shape, np.int64)
    np.add.at(unique, tuple(rows[:3]), 1)
    return Statistics(minibatches, ids, unique, tile_ids)
