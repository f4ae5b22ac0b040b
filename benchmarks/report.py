"""Shared by the benchmarks: a stopwatch, the machine's name, and writing a part of a page."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that a call takes."""
    started = clock()
    call()
    return clock() - started


def machine() -> str:
    """Return a sentence that names the machine and the versions."""
    system = f"Python {platform.python_version()}, jaxlib {metadata.version('jaxlib')}"
    return f"Measured on {platform.machine()} {platform.system()} with {system}."


def write(page: Path, program: str, lines: Sequence[str]) -> None:
    """Replace the lines between the two marks of a program in a page."""
    begin, end = f"<!-- {program} writes from here -->", "<!-- to here -->"
    before, mark, rest = page.read_text(encoding="utf-8").partition(begin)
    if not mark:
        raise SystemExit(f"{page} has no line '{begin}'")
    _, _, after = rest.partition(end)
    text = "\n".join([before + begin, "", *lines, end + after])
    page.write_text(text, encoding="utf-8")
