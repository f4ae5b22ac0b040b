"""The figures of several runs of a program, with an axis for the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdykit.sparsecore.counts.statistics import Figures, Statistics, figure_of

AXES = ("run", "core", "minibatch", "partition", "tile")
"""The last dimensions of figures, in order."""
RUN, MINIBATCH = (AXES.index(name) - len(AXES) for name in ("run", "minibatch"))
"""The dimensions of runs and of minibatches, from the end."""


@dataclass(frozen=True, eq=False)
class RunFigures:
    """The figures of several runs of a program.

    Attributes:
        devices: the number of runs of each device; in `values`, those of one device follow those of
            another, in this order.
        minibatches: the maximum number of minibatches of their batches.
        values: the figures by their names in programs, int64; the last dimensions are `AXES`, each of
            size 1 where a figure does not vary, the minibatches those that a batch has.
    """

    devices: Mapping[int, int]
    minibatches: int
    values: Mapping[str, Figures]

    def of(self, name: str) -> Figures:
        """Return a figure by its name in programs.

        Raises:
            SparseCoreError: the batches have no such figure.
        """
        return figure_of(self.values, name)


def several(statistics: Sequence[Statistics], devices: Mapping[int, int]) -> RunFigures:
    """Return the figures of at least one run as those of several, see `RunFigures`."""
    minibatches = max(each.minibatches for each in statistics)
    values = [each.values for each in statistics]
    return RunFigures(
        devices,
        minibatches,
        {name: _stacked([each[name] for each in values], minibatches) for name in values[0]},
    )


def _stacked(figures: Sequence[Figures], minibatches: int) -> Figures:
    """Return figures with an axis for the runs; blocks that a run does not have are 0."""
    used = [each[..., :minibatches, :, :] for each in figures]
    if used[0].ndim == len(AXES):  # Blocks are before the axes.
        blocks = max(map(len, used))
        used = [np.pad(each, [(0, blocks - len(each)), *[(0, 0)] * 4]) for each in used]
    return np.stack(used, axis=RUN)
