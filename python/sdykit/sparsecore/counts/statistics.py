"""The figures of a batch that counts follow from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError

Figures = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Statistics:
    """The figures of a batch on a device: its SparseCores that have samples, and its partitions.

    Raw ids have one minibatch and one partition, which is the device's part of the table.

    Attributes:
        minibatches: the number of minibatches of the batch.
        ids: the number of ids that a SparseCore sends to a partition in a minibatch, int64
            `[SparseCores that have samples, minibatches, partitions]`.
        unique_ids: the number of distinct ones of them, of the same shape.
        tile_ids: the number of them that are of a tile's samples, int64
            `[SparseCores that have samples, minibatches, partitions, tiles]`.
        dropped: the number of ids that preprocessing dropped, on all devices.
        figures: other figures by their names in programs, such as those of an update; each has these
            four dimensions, of size 1 where it does not vary, and maybe one for blocks in front.
    """

    minibatches: int
    ids: Figures
    unique_ids: Figures
    tile_ids: Figures
    dropped: int = 0
    figures: Mapping[str, Figures] = field(default_factory=dict)

    def of(self, name: str) -> Figures:
        """Return a figure by its name in programs, with an axis of size 1 where it does not vary.

        Raises:
            SparseCoreError: the batch has no such figure.
        """
        values = {
            "minibatches": np.full((1, 1, 1, 1), self.minibatches),
            "ids": self.ids[..., None],
            "unique_ids": self.unique_ids[..., None],
            "tile_ids": self.tile_ids,
            **self.figures,
        }
        if name not in values:
            raise SparseCoreError(
                f"statistics: there is no {name!r}; expected one of {', '.join(values)}: call "
                "statistics_of with the spec of the program"
            )
        return values[name]
