"""The sources that machine code depends on."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from io import FileIO
from pathlib import Path

_ROOT = Path(__file__).parents[2]
PARTS = (
    "",
    "core",
    "passes",
    "passes/sparsecore",
    "sparsecore",
    "sparsecore/chip",
    "sparsecore/codegen",
    "sparsecore/optimizers",
    "sparsecore/tile",
)
"""Directories in the package `sdykit`; files in them, and not below, are meant."""


def fingerprint() -> str:
    """Name this version of the compiler: of all that builds, changes and translates programs.

    It is a digest of contents: times and sizes of files may be equal where these differ. MLIR
    stands in it by the version of jaxlib, which brings it.
    """
    digest = hashlib.sha256()
    for path in _sources():
        # Unbuffered, and no `Path`: there are a hundred small files.
        with FileIO(path) as file:
            digest.update(f"\0{os.path.basename(path)}\0".encode())  # noqa: PTH119
            digest.update(file.read())
    return digest.hexdigest()


def last_change() -> int:
    """Give the time of the last change of a source, in ns; quicker than `fingerprint`."""
    return max(os.stat(path).st_mtime_ns for path in _sources())  # noqa: PTH116


def _sources() -> list[str]:
    found = [
        entry.path
        for part in PARTS
        for entry in os.scandir(_ROOT / part)
        if entry.name.endswith(".py")
    ]
    jaxlib = importlib.util.find_spec("jaxlib")
    origin = jaxlib.origin if jaxlib else None
    assert origin, "sdykit depends on it"
    return [*sorted(found), str(Path(origin).with_name("version.py"))]
