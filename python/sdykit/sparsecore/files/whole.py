"""Writing files, with errors that name them."""

from __future__ import annotations

import os
from pathlib import Path

from sdykit import files
from sdykit.sparsecore.errors import SparseCoreError


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file by replacing it in one step; a device or pipe is written to.

    Raises:
        SparseCoreError: the file cannot be written; the old one is still there.
    """
    name = os.fspath(path)
    try:
        files.write_whole(Path(name), data)
    except OSError as error:
        raise SparseCoreError(f"cannot write '{name}': {error.strerror}") from None
    except ValueError as error:  # A null character in the name.
        raise SparseCoreError(f"cannot write {name!r}: {error}") from None
