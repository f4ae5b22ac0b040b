"""Reading a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.chip import CHIPS
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.npz import open_npz, read_array
from sdykit.sparsecore.run.columns import Batches, Calls, Columns, HostSpans, ScopeSpans
from sdykit.sparsecore.run.figures import FigureColumns
from sdykit.sparsecore.run.keys import ARRAYS_FILE, CHIP_FILE, JSON_FILE, fields_of, parts_of
from sdykit.sparsecore.run.model import RawBatch, Run

COLUMNS: Final[Mapping[str, type[Columns]]] = {
    "calls": Calls,
    "host": HostSpans,
    "batches": Batches,
    "scopes": ScopeSpans,
}
"""The columns of a run, by the name of its field."""
FIGURES: Final = ("places", "names", "shapes", "values", "minibatches", "dropped")
"""The arrays of sampled figures."""


def is_run(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder that holds a run, of whichever version, damaged or not."""
    return (Path(path) / JSON_FILE).is_file()


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a run.

    Args:
        path: the folder that `sdykit.sparsecore.record` wrote.

    Raises:
        SparseCoreError: it is no run, of a newer version, or damaged.
    """
    folder = Path(path)
    if not is_run(folder):
        raise SparseCoreError(
            f"'{folder}' is not a run: "
            f"{'it has no ' + JSON_FILE if folder.is_dir() else 'there is no such folder'}; expected a "
            'folder that `with sdykit.sparsecore.record("run/"):` wrote'
        )
    file = folder / JSON_FILE
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise SparseCoreError(f"cannot read '{file}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise SparseCoreError(
            f"{file}: error: it is not UTF-8 text; record the run again"
        ) from None
    values = fields_of(file, text)
    _check_size(folder, values)
    try:
        parts = parts_of(values, _chip_of(folder, values["chip"]))
        ids = values["batches_with_ids"]
        arrays = _read_arrays(folder / ARRAYS_FILE)
        held = {name: _columns(kind, name, arrays) for name, kind in COLUMNS.items()}
        sampled = FigureColumns(**{name: arrays[f"sampled/{name}"] for name in FIGURES})
        batches = tuple(_raw_batch(number, each, arrays) for number, each in enumerate(ids))
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, error) from None
    except SparseCoreError as error:
        raise SparseCoreError(f"run '{folder}': {error}") from None
    except ValueError as error:
        raise _damaged(folder, error) from None
    return Run(path=folder, **parts, **held, sampled=sampled, ids=batches)


def _damaged(folder: Path, error: Exception) -> SparseCoreError:
    what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
    return SparseCoreError(f"run '{folder}': error: it is damaged: {what}; record it again")


def _check_size(folder: Path, values: Mapping[str, Any]) -> None:
    """Check that the arrays are there, whole.

    Raises:
        SparseCoreError: they are not, or cannot be read.
    """
    file, expected = folder / ARRAYS_FILE, values.get("arrays_bytes")
    try:
        found = file.stat().st_size
    except OSError as error:
        raise SparseCoreError(
            f"cannot read '{file}': {error.strerror}; the run is not whole: record it again"
        ) from None
    if found != expected:
        raise SparseCoreError(
            f"{file}: error: it has {found} bytes; expected {expected}: it is cut off, or of another "
            "run; record it again"
        )


def _chip_of(folder: Path, name: str) -> str:
    """Return the name of a run's chip, or the file in the run that describes it."""
    return name if name in CHIPS else str(folder.absolute() / f"{CHIP_FILE}{Path(name).suffix}")


def _read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    with open_npz(path) as file:
        return {key: read_array(path, file, key) for key in file.files}


def _columns(kind: type[Columns], name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Any:
    if kind is ScopeSpans and not any(key.startswith(f"{name}/") for key in arrays):
        return ScopeSpans.none()  # The run is older than these.
    return kind(**{column: np.asarray(arrays[f"{name}/{column}"]) for column in kind.kinds()})


def _raw_batch(
    number: int, values: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> RawBatch:
    ids = {
        feature: (arrays[f"ids/{number}/{at}/values"], arrays[f"ids/{number}/{at}/splits"])
        for at, feature in enumerate(values["features"])
    }
    return RawBatch(int(values["batch"]), ids)
