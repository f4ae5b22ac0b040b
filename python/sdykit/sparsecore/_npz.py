"""Reading npz files that somebody else wrote."""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path

import numpy as np
import numpy.lib.npyio
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError


def open_npz(path: str | os.PathLike[str]) -> numpy.lib.npyio.NpzFile:
    """Open an npz file; its arrays are read one by one.

    Raises:
        SparseCoreError: it cannot be read, or is no npz file.
    """
    name = os.fspath(path)
    try:
        # numpy would take any file of its own formats: the bytes decide, not the name.
        if not zipfile.is_zipfile(name) and Path(name).is_file():
            raise SparseCoreError(f"{name}: error: it is no npz file")
        return np.load(name, allow_pickle=False)
    except SparseCoreError:  # Which is a ValueError too.
        raise
    except OSError as error:
        raise SparseCoreError(f"cannot read '{name}': {error.strerror or error}") from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise SparseCoreError(f"{name}: error: it is no npz file: {error}") from None


def read_array(
    path: str | os.PathLike[str], file: numpy.lib.npyio.NpzFile, key: str
) -> npt.NDArray[np.generic]:
    """Read an array of an open npz file.

    Raises:
        SparseCoreError: the file is damaged there, or it has objects.
    """
    try:
        return file[key]
    except (ValueError, OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise SparseCoreError(
            f"{os.fspath(path)}: error: array {key} cannot be read: {error}"
        ) from None
