"""The keys of compiled programs: what machine code depends on."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from io import FileIO
from pathlib import Path

from sdykit.sparsecore.extras import require_llvm

_ROOT = Path(__file__).parents[3]
FOLDERS = ("", "passes", "sparsecore")
"""Folders of the package `sdykit` whose own files are part of the compiler."""
TREES = (
    "core",
    "passes/sparsecore",
    "sparsecore/chip",
    "sparsecore/codegen",
    "sparsecore/optimizers",
    "sparsecore/tile",
)
"""Folders that are part of it with all folders in them."""


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
    assert origin, "sdykit depends on it"
    return [*sorted(found), str(Path(origin).with_name("version.py"))]


_LAST_CHANGE = last_change()
_COMPILER = fingerprint()


def object_key(source: str) -> str:
    """Name what an object depends on: program, compiler and machine."""
    require_llvm()
    # With the first program, since it imports llvmlite.
    from sdykit.sparsecore.codegen.machine import target

    parts = (source, _COMPILER, repr(target.host()))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def have_sources_changed() -> bool:
    """Tell whether a source was edited since this process began: modules are imported when needed."""
    return last_change() != _LAST_CHANGE
