"""A run of samples out of a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, instead_of

Integers = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Piece:
    """Samples with the ids of all features."""

    samples: int
    values: Mapping[str, Integers]
    splits: Mapping[str, Integers]
    """`[samples + 1]` by feature: where the samples start in `values`."""
    done: float
    """Share of the file that has been read with it, from 0 to 1."""

    def part(self, start: int, stop: int) -> Piece:
        """Give the samples `[start, stop)`."""
        own = {name: each[start : stop + 1] for name, each in self.splits.items()}
        values = {name: each[own[name][0] : own[name][-1]] for name, each in self.values.items()}
        splits = {name: each - each[0] for name, each in own.items()}
        return Piece(stop - start, values, splits, self.done)


def missing_feature(path: object, name: str, kind: str, found: Iterable[str]) -> SparseCoreError:
    """Say that a file lacks a feature.

    Args:
        path: of the file.
        name: of the feature.
        kind: what features are there: arrays, columns.
        found: those that there are.
    """
    found = list(found)
    hint = instead_of(name, found) if found else "it has none at all"
    return SparseCoreError(f"{path}: error: there is no {kind} for feature {name!r}; {hint}")
