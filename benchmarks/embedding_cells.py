"""What the embedding benchmark measures: cells, and the same numbers in every process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Task = Literal["forward", "sgd", "adagrad"]

ROWS = 1_000_000
ZIPF = 1.2
LEARNING_RATE = 0.01
ACCUMULATOR = 0.1
THREADS = 2
"""Threads of each peer."""
BATCHES = 3
"""Batches of a cell, which calls take in turns."""


@dataclass(frozen=True)
class Cell:
    """One sum of rows for each sample, of ids that are spread over the table in some way."""

    width: int
    batch: int
    valency: int
    ids: str

    def __str__(self) -> str:
        return f"{self.ids} {self.width} x {self.batch} x {self.valency}"


@dataclass(frozen=True)
class Batch:
    """Ids `[batch, valency]`, and the gradients of the sums `[batch, width]`."""

    ids: npt.NDArray[np.int32]
    gradients: npt.NDArray[np.float32]


def table(width: int) -> npt.NDArray[np.float32]:
    """Draw a table, the same each time."""
    return np.random.default_rng(width).standard_normal((ROWS, width), dtype=np.float32)


def batches(cell: Cell) -> list[Batch]:
    """Draw the batches of a cell, the same each time."""
    random = np.random.default_rng([cell.batch, cell.valency, cell.ids == "zipf"])
    shape = (cell.batch, cell.valency)
    found: list[Batch] = []
    for _ in range(BATCHES):
        if cell.ids == "zipf":
            drawn = np.minimum(random.zipf(ZIPF, shape), 2**60) % ROWS
        else:
            drawn = random.integers(0, ROWS, shape)
        gradients = random.standard_normal((cell.batch, cell.width), dtype=np.float32)
        found.append(Batch(drawn.astype(np.int32), gradients))
    return found


class Peer:
    """A library that looks up and trains tables.

    The calls it gives take one batch each: what they need is ready, but for a training step
    they get ids as they come from a data loader, and leave the table changed. They return when
    all work is done.
    """

    def load(self, width: int, task: Task) -> None:
        """Make the table of a width, and for training what belongs to it."""
        raise NotImplementedError

    def calls(self, cell: Cell, drawn: list[Batch]) -> list[Any]:
        """Return the call of each batch; it returns the sums."""
        raise NotImplementedError

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Return rows of the table as it is now."""
        raise NotImplementedError
