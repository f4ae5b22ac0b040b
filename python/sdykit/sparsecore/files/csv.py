"""Ids in csv, a line for each: `sample,feature,id`, and optionally `gain`."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.files.pieces import Integers, Piece, missing_feature
from sdykit.sparsecore.specs import INT32_MAX

_HEADERS: Final = (["sample", "feature", "id"], ["sample", "feature", "id", "gain"])

_LINES: Final = 1 << 16
"""A piece ends with the sample in which it reaches this many lines or samples."""

_JUMP: Final = 1_000_000
"""The maximum number of samples without ids between two lines; more are taken for a mistake."""


def read_csv(path: Path, features: Sequence[str]) -> Iterator[Piece]:
    """Read a file and yield its samples piece by piece.

    Raises:
        SparseCoreError: as for `read_batches`, with the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _Reader(path, file, features).pieces()
    except OSError as error:
        raise SparseCoreError(f"cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SparseCoreError(f"{path}: error: it is not UTF-8 text: {error.reason}") from None


class _Reader:
    def __init__(self, path: Path, file: IO[str], features: Sequence[str]) -> None:
        self._path, self._file = path, file
        self._lines = csv.reader(file, strict=True)
        self._size = max(1, path.stat().st_size)
        self._numbers = {name: number for number, name in enumerate(features)}
        self._others: set[str] = set()
        self._seen: set[int] = set()
        self._first = 0
        """The number of the piece's first sample."""

    def pieces(self) -> Iterator[Piece]:
        self._read_header()
        samples: list[int] = []
        features: list[int] = []
        ids: list[int] = []
        last: int | None = None
        try:
            for line in self._lines:
                if not line:
                    continue
                sample = self._sample(line, last)
                if last is None:
                    self._first = sample
                full = max(len(samples), sample - self._first) >= _LINES
                if full and sample != last:
                    yield self._piece(samples, features, ids, sample)
                    samples, features, ids = [], [], []
                last = sample
                samples.append(sample)
                features.append(self._feature(line[1]))
                ids.append(self._number("id", line[2]))
        except csv.Error as error:
            raise self._wrong(str(error)) from None
        if last is not None:
            yield self._piece(samples, features, ids, last + 1)
        for name, number in self._numbers.items():
            if number not in self._seen:
                raise missing_feature(self._path, name, "line", sorted(self._others))

    def _read_header(self) -> None:
        try:
            header = next(self._lines, [])
        except csv.Error as error:
            raise self._wrong(str(error)) from None
        if header not in _HEADERS:
            raise self._wrong(f"found {shown(header)}; expected sample,feature,id or with ,gain")
        self._width = len(header)

    def _sample(self, line: list[str], last: int | None) -> int:
        """Return the sample of a line, after that of the line before it."""
        if len(line) != self._width:
            raise self._wrong(f"found {len(line)} fields; expected {self._width}")
        sample = self._number("sample", line[0])
        if last is None:
            return sample
        if sample < last:
            raise self._wrong(f"sample {sample} follows {last}; expected samples in their order")
        if sample - last > _JUMP:
            raise self._wrong(
                f"sample {sample} follows {last}; expected samples numbered one by one, "
                f"of which no more than {_JUMP} are without ids"
            )
        return sample

    def _feature(self, name: str) -> int:
        """Return the number of a feature, or -1 if it is not read."""
        number = self._numbers.get(name, -1)
        if number < 0:
            self._others.add(name)
        else:
            self._seen.add(number)
        return number

    def _number(self, what: str, text: str) -> int:
        # int() also takes 1_000 and digits of other scripts.
        if text.isascii() and text.isdigit() and len(text) <= 10:
            number = int(text)
            if number <= INT32_MAX:
                return number
        raise self._wrong(f"{what} is {shown(text)}; expected an integer from 0 to {INT32_MAX}")

    def _piece(self, samples: list[int], features: list[int], ids: list[int], stop: int) -> Piece:
        """Return the piece of the samples from the first to `stop`, and make `stop` the first."""
        rows = np.array(samples, np.int64) - self._first
        columns, numbers = np.array(features, np.int64), np.array(ids, np.int64)
        count = stop - self._first
        values: dict[str, Integers] = {}
        splits: dict[str, Integers] = {}
        for name, number in self._numbers.items():
            chosen = columns == number
            values[name] = numbers[chosen]
            splits[name] = np.zeros(count + 1, np.int64)
            np.cumsum(np.bincount(rows[chosen], minlength=count), out=splits[name][1:])
        self._first = stop
        # The file is read ahead of the decoded lines: the share is a little too large, and never
        # falls.
        done = min(1.0, self._file.buffer.tell() / self._size)  # pyright: ignore[reportAttributeAccessIssue]
        return Piece(count, values, splits, done)

    def _wrong(self, message: str) -> SparseCoreError:
        line = max(1, self._lines.line_num)  # An empty file has none.
        return SparseCoreError(f"{self._path}:{line}: error: {message}")
