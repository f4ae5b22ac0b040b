"""The memory of this machine and of this process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

GIB = 2**30


def available_bytes() -> int | None:
    """Return how many bytes a process can still allocate before the machine swaps; None: unknown."""
    info = Path("/proc/meminfo")
    if not info.exists():
        return None
    for line in info.read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return None


def peak_bytes() -> int:
    """Return the maximum number of bytes that this process has held at once."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
