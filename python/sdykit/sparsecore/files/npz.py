"""Ids in npz: a feature is one array, or two arrays with its values and row splits."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.lib.npyio
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.pieces import Integers, Piece, missing_feature

_VALUES, _SPLITS = ".values", ".row_splits"

_PIECES = 64
"""numpy reads a file at once; it is yielded in this many pieces, so that progress can be shown."""


def read_npz(path: Path, features: Sequence[str]) -> Iterator[Piece]:
    """Read a file and yield its samples piece by piece.

    Raises:
        SparseCoreError: as for `read_batches`.
    """
    values: dict[str, Integers] = {}
    splits: dict[str, Integers] = {}
    with open_npz(path) as file:
        for name in features:
            values[name], splits[name] = _feature(path, file, name)
    samples = {name: each.size - 1 for name, each in splits.items()}
    if len(set(samples.values())) > 1:
        counts = ", ".join(f"{name} {number}" for name, number in samples.items())
        raise SparseCoreError(
            f"{path}: error: the features have different numbers of samples ({counts}); "
            "expected one number"
        )
    number = next(iter(samples.values()))
    whole = Piece(number, values, splits, 1.0)
    for at in range(_PIECES):
        start, stop = at * number // _PIECES, (at + 1) * number // _PIECES
        if start < stop:
            part = whole.part(start, stop)
            yield Piece(part.samples, part.values, part.splits, (at + 1) / _PIECES)


def _feature(path: Path, file: Any, name: str) -> tuple[Integers, Integers]:
    if name in file.files:
        return _dense(path, name, read_array(path, file, name))
    ragged = (name + _VALUES, name + _SPLITS)
    if not set(ragged) & set(file.files):
        known = dict.fromkeys(key.removesuffix(_VALUES).removesuffix(_SPLITS) for key in file.files)
        raise missing_feature(path, name, "array", known)
    for key, other in (ragged, ragged[::-1]):
        if key not in file.files:
            raise SparseCoreError(f"{path}: error: there is an array {other}, but no {key}")
    values = _integers(path, name + _VALUES, read_array(path, file, name + _VALUES), (1,))
    splits = _integers(path, name + _SPLITS, read_array(path, file, name + _SPLITS), (1,))
    rises = splits.size and splits[0] == 0 and not (np.diff(splits) < 0).any()
    if not rises or splits[-1] != values.size:
        raise SparseCoreError(
            f"{path}: error: {name}{_SPLITS} go from {splits[:1].tolist()} to "
            f"{splits[-1:].tolist()}; expected them to rise from 0 to {values.size}, "
            "the number of values"
        )
    return values, splits


def _dense(path: Path, name: str, array: npt.NDArray[Any]) -> tuple[Integers, Integers]:
    """Return values and splits of `[samples, valency]`, or of `[samples]`: one id for each."""
    values = _integers(path, name, array, (1, 2))
    valency = values.shape[1] if values.ndim == 2 else 1
    return values.reshape(-1), np.arange(len(values) + 1, dtype=np.int64) * valency


def _integers(path: Path, name: str, array: npt.NDArray[Any], ranks: tuple[int, ...]) -> Integers:
    if array.dtype.kind not in "iu" or array.ndim not in ranks:
        wanted = " or ".join({1: "[n]", 2: "[samples, valency]"}[rank] for rank in ranks)
        raise SparseCoreError(
            f"{path}: error: {name} is {array.dtype}{list(array.shape)}; expected integers {wanted}"
        )
    if array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise SparseCoreError(
            f"{path}: error: {name} has {array.max()}; expected at most 2**63 - 1"
        )
    return array.astype(np.int64)


def open_npz(path: str | os.PathLike[str]) -> numpy.lib.npyio.NpzFile:
    """Open an npz file; its arrays are read one by one.

    Raises:
        SparseCoreError: it cannot be read, or is not an npz file.
    """
    name = os.fspath(path)
    try:
        # np.load reads any of numpy's formats: the first bytes decide, not the name.
        if not zipfile.is_zipfile(name) and Path(name).is_file():
            raise SparseCoreError(f"{name}: error: it is not an npz file")
        return np.load(name, allow_pickle=False)
    except SparseCoreError:  # It is a ValueError as well.
        raise
    except OSError as error:
        raise SparseCoreError(f"cannot read '{name}': {error.strerror or error}") from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise SparseCoreError(f"{name}: error: it is not an npz file: {error}") from None


def read_array(
    path: str | os.PathLike[str], file: numpy.lib.npyio.NpzFile, key: str
) -> npt.NDArray[np.generic]:
    """Read an array of an open npz file.

    Args:
        path: the name of the file, for errors.
        file: the file.
        key: the name of the array.

    Raises:
        SparseCoreError: the array is damaged, or has Python objects.
    """
    try:
        return file[key]
    except (ValueError, OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise SparseCoreError(
            f"{os.fspath(path)}: error: array {key} cannot be read: {error}"
        ) from None
