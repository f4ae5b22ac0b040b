"""A bound on the size of a directory of cached objects: what was used longest ago goes first."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import NamedTuple

SUFFIX = ".obj"
PART_SUFFIX = ".part"
"""Of a file that is being written."""

_SHARE = 16
"""Of the bound: a process looks at the directory again after it has written this part of it."""
_ABANDONED_S = 3600.0
"""A file that was not finished for so long was left by a process that ended."""

_written: dict[Path, int] = {}
"""Bytes written to a directory since this process last looked at all of it."""


class _File(NamedTuple):
    used: float
    size: int
    path: str


def mark_used(path: Path) -> None:
    """Set the time of last use; a directory that cannot be written is not pruned either."""
    with contextlib.suppress(OSError):
        os.utime(path)


def prune_after(directory: Path, written: int, max_bytes: int) -> None:
    """Remove files of a directory if they exceed a bound, now and then.

    Several processes may do it at a time: what is gone already is as good as removed, and who has
    opened a file reads it to its end.

    Args:
        directory: of cached objects.
        written: bytes that have just been written to it.
        max_bytes: of all files; a little more may be there until the next look.
    """
    total = _written.get(directory)
    if total is not None and total + written <= max_bytes // _SHARE:
        _written[directory] = total + written
        return
    _written[directory] = 0
    _prune(directory, max_bytes)


def _prune(directory: Path, max_bytes: int) -> None:
    files = sorted(_files(directory))
    total = sum(each.size for each in files)
    # Not only just below the bound, or each file that is written would remove one.
    aim = max_bytes if total <= max_bytes else max_bytes - max_bytes // _SHARE
    for each in files:
        if total <= aim:
            return
        with contextlib.suppress(OSError):
            Path(each.path).unlink(missing_ok=True)
        total -= each.size


def _files(directory: Path) -> list[_File]:
    """List the objects; remove what other processes left unfinished."""
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
