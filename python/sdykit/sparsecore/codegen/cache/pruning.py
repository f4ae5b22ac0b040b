"""A bound on the size of a directory of cached objects: the least recently used go first."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import NamedTuple

SUFFIX = ".obj"
PART_SUFFIX = ".part"
"""Suffix of a file that is being written."""

_FRACTION = 16
"""A process lists the directory again after it has written this fraction of the bound."""
_ABANDONED_S = 3600.0
"""Age in seconds at which an unfinished file counts as left by a process that has ended."""

_written: dict[Path, int] = {}
"""Bytes that this process has written to a directory since it last listed it."""


class _File(NamedTuple):
    used: float
    size: int
    path: str


def mark_used(path: Path) -> None:
    """Set the time of last use; a directory that cannot be written is not pruned either."""
    with contextlib.suppress(OSError):
        os.utime(path)


def prune_after(directory: Path, written: int, max_bytes: int) -> None:
    """Remove files if they exceed a bound; the directory is listed now and then only.

    Several processes may do so at the same time: a file that is gone already counts as removed, and
    a process that has opened a file can read it to its end.

    Args:
        directory: the directory of cached objects.
        written: the number of bytes that have just been written to it.
        max_bytes: the maximum size of all files together; it may be exceeded until the directory is
            listed again.
    """
    total = _written.get(directory)
    if total is not None and total + written <= max_bytes // _FRACTION:
        _written[directory] = total + written
        return
    _written[directory] = 0
    _prune(directory, max_bytes)


def _prune(directory: Path, max_bytes: int) -> None:
    files = sorted(_files(directory))
    total = sum(each.size for each in files)
    # Well below the bound: otherwise each file that is written would remove another.
    target = max_bytes if total <= max_bytes else max_bytes - max_bytes // _FRACTION
    for each in files:
        if total <= target:
            return
        with contextlib.suppress(OSError):
            Path(each.path).unlink(missing_ok=True)
        total -= each.size


def _files(directory: Path) -> list[_File]:
    """Return the objects; remove files that other processes left unfinished."""
    files: list[_File] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if not entry.name.endswith((SUFFIX, PART_SUFFIX)):
                continue
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(SUFFIX):
                    files.append(_File(status.st_mtime, status.st_size, entry.path))
                elif time.time() - status.st_mtime > _ABANDONED_S:
                    Path(entry.path).unlink(missing_ok=True)
    return files
