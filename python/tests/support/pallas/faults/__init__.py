"""Kernels with a fault each, and the same without it.

A line that an error is to name ends in a comment with its label: `line_of("label")` is its text.
"""

from __future__ import annotations

from pathlib import Path

from support.pallas.faults.bounds import (
    agent,
    check,
    gather,
    input_,
    load,
    multiple,
    offset,
    scatter,
    slice_,
    store,
)
from support.pallas.faults.races import (
    additions,
    iterations,
    race,
    race_in_hbm,
    read_early,
    read_early_in_region,
    two_copies,
    word,
    write_early,
)
from support.pallas.faults.waits import barrier, bytes_, never_waited, never_waited_in_region

__all__ = [
    "additions",
    "agent",
    "barrier",
    "bytes_",
    "check",
    "gather",
    "input_",
    "iterations",
    "line_of",
    "load",
    "multiple",
    "never_waited",
    "never_waited_in_region",
    "offset",
    "race",
    "race_in_hbm",
    "read_early",
    "read_early_in_region",
    "scatter",
    "slice_",
    "store",
    "two_copies",
    "word",
    "write_early",
]


def line_of(label: str) -> str:
    """Return the file's name and the line that ends in a label: "races.py:42"."""
    (found,) = (
        f"{path.name}:{number}"
        for path in Path(__file__).parent.glob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.endswith(f"# {label}")
    )
    return found
