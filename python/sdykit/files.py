"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step, or write to a device or pipe.

    Raises:
        OSError: it cannot be written; a file that was there is unchanged.
    """
    target = path.resolve()  # What a link points to is replaced, not the link.
    if target.exists() and not is_regular(target):
        target.write_bytes(data)  # There is nothing to replace.
        return
    part = target.with_name(f".sdykit-{os.getpid()}.part")
    try:
        part.write_bytes(data)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def is_regular(path: Path) -> bool:
    """Return whether an existing path is a regular file, not a device or pipe."""
    return stat.S_ISREG(path.stat().st_mode)
