"""Arrays in npz files: arguments `arg0`, `arg1`, ... and results `result0`, `result1`, ..."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.spmd.errors import SpmdError
from sdykit.spmd.partitioning import Partitioned
from sdykit.spmd.values import dtype_of


def read_inputs(path: str, program: Partitioned) -> list[np.ndarray]:
    """Return the arguments of a program from an npz file, named `arg0`, ... or as `np.savez` does, `arr_0`, ...

    Raises:
        SpmdError: it cannot be read, or its arrays are not those of the arguments.
    """
    arrays = _read(path)
    count = len(program.arguments)
    schemes = [[f"{word}{number}" for number in range(count)] for word in ("arg", "arr_")]
    names = next((each for each in schemes if set(each) == set(arrays)), None)
    if names is None:
        found = ", ".join(arrays) or "no arrays"
        raise SpmdError(f"{path}: found {found}; expected {', '.join(schemes[0]) or 'no arrays'}")
    return [
        _as_stored(arrays[name], value.type)
        for name, value in zip(names, program.arguments, strict=True)
    ]


def _read(path: str) -> dict[str, np.ndarray]:
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as found:
            if not isinstance(found, np.lib.npyio.NpzFile):
                raise SpmdError(f"{path}: expected an npz file, found an npy file")
            return {name: found[name] for name in found.files}
    except OSError as error:
        raise SpmdError(f"cannot read '{path}': {error.strerror or error}") from None
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        # numpy takes what it does not know for a pickle, and says how to load it unsafely.
        why = "found something else" if "pickled" in str(error) else str(error)
        raise SpmdError(f"{path}: expected an npz file of arrays: {why}") from None


def _as_stored(array: np.ndarray, type_: ir.Type) -> np.ndarray:
    """Return an array with the dtype of a type that npz files know only the size of, such as bf16."""
    if array.dtype.kind != "V" or not isinstance(type_, ir.RankedTensorType):
        return array
    dtype = dtype_of(type_.element_type)
    if dtype is None or dtype.itemsize != array.dtype.itemsize:
        return array
    return array.view(dtype)


def results_npz(results: Sequence[np.ndarray]) -> bytes:
    """Return an npz file with results."""
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {f"result{number}": each for number, each in enumerate(results)}
    np.savez(buffer, **arrays)
    return buffer.getvalue()
