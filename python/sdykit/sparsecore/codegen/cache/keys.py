"""The keys of compiled programs: all that machine code depends on."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator
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


def fingerprint() -> tuple[str, int]:
    """Return a digest of the compiler, and the time of its last change in ns.

    The compiler is all sources that build, change and translate programs; for MLIR the digest has the
    version of jaxlib, which contains it. It is computed from the contents, since files that differ may
    have equal times and sizes.
    """
    digest, last = hashlib.sha256(), 0
    for path in _sources():
        # Without files of Python and `Path`: there are hundreds of small ones.
        descriptor = os.open(path, os.O_RDONLY)
        status = os.fstat(descriptor)
        digest.update(f"\0{os.path.basename(path)}\0".encode())  # noqa: PTH119
        digest.update(os.read(descriptor, status.st_size))
        os.close(descriptor)
        last = max(last, status.st_mtime_ns)
    return digest.hexdigest(), last


def last_change() -> int:
    """Return the time of the last change of a source in ns; it is faster than `fingerprint`."""
    return max(os.stat(path).st_mtime_ns for path in _sources())  # noqa: PTH116


def _sources() -> list[str]:
    found = [path for folder in FOLDERS for path in _files(str(_ROOT / folder), is_deep=False)]
    found += [path for tree in TREES for path in _files(str(_ROOT / tree), is_deep=True)]
    jaxlib = importlib.util.find_spec("jaxlib")
    origin = jaxlib.origin if jaxlib else None
    assert origin, "sdykit depends on jaxlib"
    return [*sorted(found), str(Path(origin).with_name("version.py"))]


def _files(folder: str, *, is_deep: bool) -> Iterator[str]:
    """Yield the paths of the Python files in a folder, and in those inside it."""
    for entry in os.scandir(folder):
        if entry.name.endswith(".py"):
            yield entry.path
        elif is_deep and entry.name != "__pycache__" and entry.is_dir():
            yield from _files(entry.path, is_deep=True)


_COMPILER, _LAST_CHANGE = fingerprint()


def object_key(source: str) -> str:
    """Return the key of an object: a digest of the program, the compiler and the computer.

    Args:
        source: a text that determines the program.

    Raises:
        MissingExtra: the extra `sdykit[sparsecore]` is not installed.
    """
    require_llvm()
    # Imported with the first program: it is part of the extra.
    from sdykit.sparsecore.codegen.machine.host import host_key

    parts = (source, _COMPILER, host_key())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def have_sources_changed() -> bool:
    """Return whether a source was edited after this process had computed the fingerprint.

    Modules are imported when they are needed, so that edited ones may have compiled a program.
    """
    return last_change() != _LAST_CHANGE
