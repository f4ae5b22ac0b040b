"""Batches of ids from files: npz, parquet, csv.

Files are read one after another, each piece by piece; a batch may begin in one file and end in the
next. `docs/limits.md` describes the files.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.pieces import Piece
from sdykit.sparsecore.inputs import Ragged

Reader = Callable[[Path, Sequence[str]], Iterator[Piece]]


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """The ids of a step, and the progress of reading."""

    features: dict[str, Ragged]
    """The ids by feature."""
    samples: int
    """Samples from the files; the last batch is padded with samples without ids."""
    first_sample: int
    """The number of samples before it, over all files."""
    done: float
    """The share of the files that has been read, from 0 to 1."""


def read_batches(
    paths: Sequence[str | os.PathLike[str]], features: Sequence[str], batch_size: int
) -> Iterator[Batch]:
    """Read files and yield batches. Whether ids are in their vocabulary is not checked.

    Args:
        paths: files that end in `.npz`, `.parquet` or `.csv`.
        features: the features to read; the files may have others.
        batch_size: the number of samples in a batch.

    Raises:
        SparseCoreError: a file cannot be read, is damaged, lacks a feature, or has something else
            than ids for one; or a file is parquet and pyarrow is not installed.
    """
    readers = [_reader(Path(path)) for path in paths]
    sizes = [_size(Path(path)) for path in paths]
    filler = _Filler(features, batch_size)
    before, total = 0, max(1, sum(sizes))
    for path, size, reader in zip(paths, sizes, readers, strict=True):
        for piece in reader(Path(path), features):
            yield from filler.batches(piece, (before + piece.done * size) / total)
        before += size
    yield from filler.rest()


def _reader(path: Path) -> Reader:
    find = _READERS.get(path.suffix.lower())
    if find is None:
        raise SparseCoreError(f"{str(path)!r}: expected a file that ends in {', '.join(_READERS)}")
    return find()


def _npz() -> Reader:
    from sdykit.sparsecore.files.npz import read_npz

    return read_npz


def _parquet() -> Reader:
    from sdykit.sparsecore.files.parquet import read_parquet

    return read_parquet


def _csv() -> Reader:
    from sdykit.sparsecore.files.csv import read_csv

    return read_csv


_READERS: Final[dict[str, Callable[[], Reader]]] = {
    ".npz": _npz,
    ".parquet": _parquet,
    ".csv": _csv,
}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise SparseCoreError(f"cannot read '{path}': {error.strerror}") from None
    except ValueError as error:  # A null character in the name.
        raise SparseCoreError(f"cannot read {str(path)!r}: {error}") from None


class _Filler:
    """Joins pieces of any length to batches."""

    def __init__(self, features: Sequence[str], batch_size: int) -> None:
        self._features, self._batch_size = features, batch_size
        self._parts: list[Piece] = []
        """The parts of the next batch."""
        self._waiting = 0
        """Samples in the parts, fewer than a batch has."""
        self._yielded = 0
        """Samples in all batches so far."""

    def batches(self, piece: Piece, done: float) -> Iterator[Batch]:
        """Yield the batches that a further piece completes."""
        start = 0
        while piece.samples - start >= self._batch_size - self._waiting:
            stop = start + self._batch_size - self._waiting
            self._parts.append(piece.part(start, stop))
            self._waiting = self._batch_size
            yield self._batch(done)
            start = stop
        if start < piece.samples:
            self._parts.append(piece.part(start, piece.samples))
            self._waiting += piece.samples - start

    def rest(self) -> Iterator[Batch]:
        """Yield the remaining samples as a last batch, if there are any."""
        if self._waiting:
            yield self._batch(1.0)

    def _batch(self, done: float) -> Batch:
        features = {name: self._joined(name) for name in self._features}
        batch = Batch(features, self._waiting, self._yielded, done)
        self._yielded += self._waiting
        self._parts, self._waiting = [], 0
        return batch

    def _joined(self, name: str) -> Ragged:
        values = [part.values[name] for part in self._parts]
        lengths = [np.diff(part.splits[name]) for part in self._parts]
        splits = np.zeros(self._batch_size + 1, np.int64)
        np.cumsum(np.concatenate(lengths), out=splits[1 : self._waiting + 1])
        splits[self._waiting + 1 :] = splits[self._waiting]
        return Ragged(_together(values), splits)


def _together(arrays: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
