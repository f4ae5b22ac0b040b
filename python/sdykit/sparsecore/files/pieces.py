"""A piece of a file of ids: successive samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, suggestion

Integers = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Piece:
    """Samples with the ids of all features."""

    samples: int
    """The number of samples."""
    values: Mapping[str, Integers]
    """The ids, by feature."""
    splits: Mapping[str, Integers]
    """`[samples + 1]` by feature: the position of each sample's first id in `values`, and their
    number."""
    done: float
    """The share of the file that has been read with this piece, from 0 to 1."""

    def part(self, start: int, stop: int) -> Piece:
        """Return the samples `[start, stop)`."""
        own = {name: each[start : stop + 1] for name, each in self.splits.items()}
        values = {name: each[own[name][0] : own[name][-1]] for name, each in self.values.items()}
        splits = {name: each - each[0] for name, each in own.items()}
        return Piece(stop - start, values, splits, self.done)


def missing_feature(path: object, name: str, kind: str, found: Iterable[str]) -> SparseCoreError:
    """Return the error about a file that lacks a feature.

    Args:
        path: the file.
        name: the feature.
        kind: the part of the file that holds a feature, such as `array` or `column`.
        found: the features that the file has.
    """
    found = list(found)
    hint = suggestion(name, found) if found else "it has none at all"
    return SparseCoreError(f"{path}: error: there is no {kind} for feature {name!r}; {hint}")
