"""What the user can send when a pass of sdykit raises what it should not."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence


def is_ours(error: BaseException, loaded: Sequence[str]) -> bool:
    """Return whether an exception comes from sdykit alone, not through a user's pass file."""
    files = {os.path.abspath(frame.filename) for frame in traceback.extract_tb(error.__traceback__)}  # noqa: PTH100
    return not files & {os.path.abspath(file) for file in loaded}  # noqa: PTH100


def write_report(reproducer: bytes) -> None:
    """Write a file that repeats a bug, and tell of it on stderr."""
    told = "note: this is a bug of sdykit, please report it"
    try:
        descriptor, path = tempfile.mkstemp(prefix="sdykit-", suffix=".mlir")
        with os.fdopen(descriptor, "wb") as file:
            file.write(reproducer)
        told += f", with '{path}', which --run-reproducer repeats"
    except OSError:  # Without a file, then: the error itself is told in any case.
        told += ", with the input and the command line"
    sys.stderr.write(f"{told}; --traceback prints the whole traceback\n")
