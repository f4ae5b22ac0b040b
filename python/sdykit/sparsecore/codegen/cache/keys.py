"""The keys of compiled programs: all that machine code depends on."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from io import FileIO
from pathlib import Path

from sdykit.sparsecore.extras import require_llvm

_ROOT = Path(__file__).parents[3]
FOLDERS = ("", "passes", "sparsecore", "sparsecore/mosaic")
"""Folders of the package `sdykit` whose own files are part of the compiler."""
TREES = (
    "core",
    "passes/sparsecore",
    "sparsecore/chip",
    "sparsecore/codegen",
    "sparsecore/mosaic/lowering",
    "sparsecore/optimizers",
    "sparsecore/tile",
)
"""Folders that are part of the compiler with all that is in them."""


def fingerprint() -> str:
    """Return a digest of the compiler: of all sources that build, change and translate programs.

    It is computed from the contents, since files that differ may have equal times and sizes. For
    MLIR it has the version of jaxlib, which contains it.
    """
    digest = hashlib.sha256()
    for path in _sources():
        # Unbuffered, and without `Path`: there are a hundred small files.
        with FileIO(path) as file:
            digest.update(f"\0{os.path.basename(path)}\0".encode())  # noqa: PTH119
            digest.update(file.read())
    return digest.hexdigest()


def last_change() -> int:
    """Return the time of the last change of a source in ns; it is faster than `fingerprint`."""
    return max(os.stat(path).st_mtime_ns for path in _sources())  # noqa: PTH116


def _sources() -> list[str]:
    folders = [str(_ROOT / folder) for folder in FOLDERS]
    for tree in TREES:
        folders += [folder for folder, _, _ in os.walk(_ROOT / tree)]
    found = [
        entry.path
        for folder in folders
        for entry in os.scandir(folder)
        if entry.name.endswith(".py")
    ]
    jaxlib = importlib.util.find_spec("jaxlib")
    origin = jaxlib.origin if jaxlib else None
    assert origin, "sdykit depends on jaxlib"
    return [*sorted(found), str(Path(origin).with_name("version.py"))]


_LAST_CHANGE = last_change()
_COMPILER = fingerprint()


def object_key(source: str) -> str:
    """Return the key of an object: a digest of the program, the compiler and the computer.

    Args:
        source: a text that determines the program.

    Raises:
        MissingExtra: the extra `sdykit[sparsecore]` is not installed.
    """
    require_llvm()
    # Imported with the first program, since it imports llvmlite.
    from sdykit.sparsecore.codegen.machine import target

    parts = (source, _COMPILER, repr(target.host()))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def have_sources_changed() -> bool:
    """Return whether a source was edited after this process had computed the fingerprint.

    Modules are imported when they are needed, so that edited ones may have compiled a program.
    """
    return last_change() != _LAST_CHANGE
