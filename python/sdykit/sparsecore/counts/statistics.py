"""The figures of a batch that counts follow from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.tile.spec import TileSpec
from sdykit.sparsecore.tile.spec.base import MAX_MINIBATCHES

Figures = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Statistics:
    """The figures of a batch on a device: its SparseCores that have samples, and its partitions.

    Raw ids have one minibatch and one partition, which is the device's part of the table.

    Attributes:
        minibatches: the number of minibatches of the batch.
        ids: the number of ids that a SparseCore sends to a partition in a minibatch, int64
            `[SparseCores that have samples, minibatches, partitions]`; there may be more minibatches
            than the batch has, up to those that the program is compiled for.
        unique_ids: the number of distinct ones of them, of the same shape.
        tile_ids: the number of them that are of a tile's samples, int64
            `[SparseCores that have samples, minibatches, partitions, tiles]`.
        dropped: the number of ids that preprocessing dropped, on all devices.
        figures: other figures by their names in programs, such as those of an update; each has these
            four dimensions, of size 1 where it does not vary, and maybe one for blocks in front.

    Raises:
        SparseCoreError: a figure is no array of integers of its shape, or contradicts another one.
    """

    minibatches: int
    ids: Figures
    unique_ids: Figures
    tile_ids: Figures
    dropped: int = 0
    figures: Mapping[str, Figures] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.minibatches, int | np.integer) or self.minibatches < 1:
            raise SparseCoreError(
                f"statistics: minibatches is {shown(self.minibatches)}; expected a positive integer"
            )
        for name, rank in (("ids", 3), ("unique_ids", 3), ("tile_ids", 4)):
            found = np.asarray(getattr(self, name))
            if found.ndim != rank or found.dtype.kind not in "iu" or found.min(initial=0) < 0:
                raise SparseCoreError(
                    f"statistics: {name} is {found.dtype}{list(found.shape)} with the minimum "
                    f"{found.min(initial=0)}; expected integers of rank {rank}, none negative"
                )
            object.__setattr__(self, name, found)
        if self.unique_ids.shape != self.ids.shape or np.any(self.unique_ids > self.ids):
            raise SparseCoreError(
                f"statistics: ids and unique_ids have the shapes {list(self.ids.shape)} and "
                f"{list(self.unique_ids.shape)}; expected the same, and no more unique ids than ids"
            )
        if not np.array_equal(self.tile_ids.sum(axis=-1), self.ids):
            raise SparseCoreError(
                "statistics: the sums of tile_ids over the tiles are not ids; expected that each id "
                "is of a sample of one tile"
            )

    def check(self, spec: TileSpec) -> None:
        """Check that the figures are those of a batch that a program accepts.

        Raises:
            SparseCoreError: they are for other SparseCores, partitions or tiles, or more ids than the
                program is compiled for.
        """
        is_raw = spec.layout == "ids"
        room = MAX_MINIBATCHES if spec.minibatches else 1
        shape = (spec.all_cores, room, 1 if is_raw else spec.sparse_cores)
        shape = (*shape, spec.hardware.tiles_per_sparse_core)
        found = self.tile_ids.shape
        fits = self.minibatches <= found[1] <= room
        if not fits or (found[0], *found[2:]) != (shape[0], *shape[2:]):
            raise SparseCoreError(
                f"statistics: {self.minibatches} minibatches, and tile_ids of the shape "
                f"{list(self.tile_ids.shape)}; the {spec.kind} expects at most {room}, and "
                f"{list(shape)}: SparseCores that have samples, minibatches, partitions, tiles"
            )
        if is_raw:
            return
        kinds = {"ids": self.ids, "unique ids": self.unique_ids}
        for (kind, what), limit in zip(kinds.items(), spec.limits, strict=True):
            name = f"max_{kind.replace(' ', '_')}_per_partition"
            if what.max() > limit:
                raise SparseCoreError(
                    f"statistics: a SparseCore sends {what.max()} {kind} to a partition; the {spec.kind} "
                    f"is compiled for {limit} ({name})"
                )

    @property
    def values(self) -> dict[str, Figures]:
        """All figures by their names in programs, with an axis of size 1 where one does not vary."""
        return {
            "minibatches": np.full((1, 1, 1, 1), self.minibatches),
            "ids": self.ids[..., None],
            "unique_ids": self.unique_ids[..., None],
            "tile_ids": self.tile_ids,
            **self.figures,
        }

    def of(self, name: str) -> Figures:
        """Return a figure by its name in programs.

        Raises:
            SparseCoreError: the batch has no such figure.
        """
        return figure_of(self.values, name)


def figure_of(values: Mapping[str, Figures], name: str) -> Figures:
    """Return a figure by its name in programs.

    Raises:
        SparseCoreError: there is no such figure.
    """
    if name not in values:
        raise SparseCoreError(
            f"statistics: there is no {name!r}; expected one of {', '.join(values)}: call "
            "statistics_of with the spec of the program"
        )
    return values[name]
