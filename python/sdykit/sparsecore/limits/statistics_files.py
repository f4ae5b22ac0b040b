"""Statistics as files that processes exchange, npz or csv.

Names and contents are those of jax-tpu-embedding's clients for feedback-directed optimization:
each reads the other's files. A process writes `fdo_stats_<process>_<nanoseconds>.npz`; only its
latest file is read. A stack has four arrays, with one row for each step or, in the files written
here, one row for all steps:

- `<stack>_max_ids`, `<stack>_max_unique_ids`: `[devices * partitions]`,
- `<stack>_required_buffer_size`: `[SparseCores]`,
- `<stack>_id_drop_counters`: `[1]`.

In csv, a line has an array's name and its elements, separated by blanks.
"""

from __future__ import annotations

import csv
import io
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.files.npz import open_npz, read_array
from sdykit.sparsecore.files.whole import write_whole
from sdykit.sparsecore.limits.figures import described
from sdykit.sparsecore.limits.statistics import RunningStatistics, StackTotals
from sdykit.sparsecore.specs import System

Form = Literal["npz", "csv"]

_NAME: Final = re.compile(r"fdo_stats_(\d+)_(\d+)\.(npz|csv)")
_HEADER: Final = ["key", "values"]
_IDS, _UNIQUE_IDS, _BUFFER, _DROPPED = (
    "_max_ids",
    "_max_unique_ids",
    "_required_buffer_size",
    "_id_drop_counters",
)
_SUFFIXES: Final = (_IDS, _UNIQUE_IDS, _BUFFER, _DROPPED)

Arrays = dict[str, npt.NDArray[np.int64]]
"""The arrays of a file by name, `[rows, elements]`."""


def save_statistics(
    directory: str | os.PathLike[str],
    statistics: RunningStatistics,
    process: int = 0,
    form: Form = "npz",
) -> Path:
    """Write a process's statistics to a new file of a directory, whole or not at all.

    Args:
        directory: the directory that all processes share.
        statistics: the statistics of the process since it started.
        process: the number of the process.
        form: the format of the file.

    Returns:
        The path of the file.

    Raises:
        SparseCoreError: the file cannot be written, or there is no such form or process.
    """
    if form not in get_args(Form):
        raise SparseCoreError(
            f"statistics: form is {shown(form)}; expected one of {', '.join(get_args(Form))}"
        )
    if not isinstance(process, int) or isinstance(process, bool) or process < 0:
        raise SparseCoreError(f"statistics: process is {shown(process)}; expected 0 or more")
    arrays = _arrays(statistics)
    path = Path(directory) / f"fdo_stats_{process}_{time.time_ns()}.{form}"
    if form == "npz":
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        write_whole(path, buffer.getvalue())
        return path
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(_HEADER)
    writer.writerows([key, " ".join(map(str, array.tolist()))] for key, array in arrays.items())
    write_whole(path, text.getvalue().encode())
    return path


def load_statistics(directory: str | os.PathLike[str], system: System) -> RunningStatistics:
    """Return the merged statistics of all processes, each from its latest file.

    Args:
        directory: the directory that all processes share.
        system: the devices of all processes.

    Raises:
        SparseCoreError: there are no files, or one is not as this module describes, or is of
            another system.
    """
    result = RunningStatistics(system)
    for path in _latest(directory):
        arrays = _from_npz(path) if path.suffix == ".npz" else _from_csv(path)
        result = result.merged(_statistics(path, arrays, system))
    return result


def _arrays(statistics: RunningStatistics) -> Arrays:
    arrays: Arrays = {}
    for name, totals in statistics.stacks.items():
        arrays[name + _IDS] = totals.max_ids.reshape(-1)
        arrays[name + _UNIQUE_IDS] = totals.max_unique_ids.reshape(-1)
        arrays[name + _BUFFER] = totals.required_buffer_size
        arrays[name + _DROPPED] = np.array([totals.dropped], np.int64)
    return arrays


def _latest(directory: str | os.PathLike[str]) -> list[Path]:
    """Find the latest file of each process, in the order of the processes."""
    try:
        paths = list(Path(directory).iterdir())
    except OSError as error:
        raise SparseCoreError(f"cannot read '{os.fspath(directory)}': {error.strerror}") from None
    found: dict[int, tuple[int, Path]] = {}
    for path in paths:
        match = _NAME.fullmatch(path.name)
        if match:
            process, when = int(match[1]), int(match[2])
            found[process] = max(found.get(process, (0, path)), (when, path))
    if not found:
        raise SparseCoreError(
            f"{os.fspath(directory)}: error: there are no statistics; expected files as "
            "fdo_stats_<process>_<nanoseconds>.npz or .csv"
        )
    return [path for _, (_, path) in sorted(found.items())]


def _from_npz(path: Path) -> Arrays:
    with open_npz(path) as file:
        return {key: _rows(path, key, read_array(path, file, key)) for key in file.files}


def _from_csv(path: Path) -> Arrays:
    rows: dict[str, list[npt.NDArray[np.int64]]] = {}
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SparseCoreError(f"cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SparseCoreError(f"{path}: error: it is not UTF-8 text: {error.reason}") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    for row in reader:
        if reader.line_num == 1 and row != _HEADER:
            raise SparseCoreError(f"{path}:1: error: found {shown(row)}; expected key,values")
        if reader.line_num == 1 or not row:
            continue
        words = row[1].split() if len(row) == 2 else [""]
        if not all(re.fullmatch(r"[0-9]{1,18}", word) for word in words):
            raise SparseCoreError(
                f"{path}:{reader.line_num}: error: found {shown(row)}; "
                "expected a name and numbers separated by blanks"
            )
        rows.setdefault(row[0], []).append(np.array(words, np.int64))
    for key, arrays in rows.items():
        sizes = sorted({array.size for array in arrays})
        if len(sizes) > 1:
            raise SparseCoreError(
                f"{path}: error: lines of {key} have {sizes[0]} and {sizes[-1]} numbers; "
                "expected as many in each"
            )
    return {key: np.stack(arrays) for key, arrays in rows.items()}


def _rows(path: Path, key: str, array: npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
    """Return an array of a file as `[rows, elements]`."""
    if array.dtype.kind not in "iu" or array.ndim > 2 or array.shape[:-1] == (0,):
        raise SparseCoreError(
            f"{path}: error: {key} is {array.dtype}{list(array.shape)}; "
            "expected integers of one row or several"
        )
    if array.size and array.min() < 0:
        raise SparseCoreError(f"{path}: error: {key} has {array.min()}; expected 0 or more")
    # A counter may have been written as a scalar.
    return np.atleast_2d(array).astype(np.int64)


def _statistics(path: Path, arrays: Arrays, system: System) -> RunningStatistics:
    found: dict[str, Arrays] = {}
    for key, array in arrays.items():
        # No ending is an ending of another: `_max_unique_ids` does not end in `_max_ids`.
        suffix = next((each for each in _SUFFIXES if key.endswith(each)), None)
        if suffix is None:
            raise SparseCoreError(
                f"{path}: error: unknown array {key!r}; expected names that end in "
                f"{', '.join(_SUFFIXES)}"
            )
        found.setdefault(key.removesuffix(suffix), {})[suffix] = array
    return RunningStatistics(
        system, {name: _totals(path, name, each, system) for name, each in found.items()}
    )


def _totals(path: Path, name: str, arrays: Mapping[str, np.ndarray], system: System) -> StackTotals:
    local, partitions = system.sparse_cores_per_device, system.num_sparse_cores
    for suffix in (_IDS, _UNIQUE_IDS):
        if suffix not in arrays:
            raise SparseCoreError(f"{path}: error: there is no array {name + suffix}")
    for suffix, multiple in ((_IDS, partitions), (_UNIQUE_IDS, partitions), (_BUFFER, local)):
        size = arrays[suffix].shape[1] if suffix in arrays else multiple
        if not size or size % multiple:
            raise SparseCoreError(
                f"{path}: error: {name + suffix} has {size} elements; expected a multiple of "
                f"{multiple}, for {described(system)}"
            )
    none = np.zeros((1, local), np.int64)
    return StackTotals(
        max_ids=arrays[_IDS].max(axis=0).reshape(-1, partitions),
        max_unique_ids=arrays[_UNIQUE_IDS].max(axis=0).reshape(-1, partitions),
        required_buffer_size=arrays.get(_BUFFER, none).max(axis=0),
        dropped=int(arrays.get(_DROPPED, none).sum()),
    )
