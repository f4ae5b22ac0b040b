"""Limits of tables: counted in data, collected from running programs, stored in files.

    limits = compute_limits(batches, stacks, system)
    stacks = limits.applied(stacks, system)
    config = limits.configured(config)

`docs/limits.md` describes each figure. Read `figures` first, and `program`, which applies them;
`counter` counts the ids of batches (`observed`), `statistics` collects the statistics of
preprocessing, `file` (with `keys`) and `statistics_files` write and read limits and statistics, and
`setup` does what the flags ask for.
"""

from sdykit.sparsecore.limits.checks import LimitsMisfit
from sdykit.sparsecore.limits.counter import LimitCounter, StackObserved, compute_limits
from sdykit.sparsecore.limits.figures import (
    StackFigures,
    TableFigures,
    check_headroom,
    described,
    with_headroom,
)
from sdykit.sparsecore.limits.file import read_limits, write_limits
from sdykit.sparsecore.limits.observed import Observed
from sdykit.sparsecore.limits.program import Limits
from sdykit.sparsecore.limits.setup import with_limits
from sdykit.sparsecore.limits.statistics import RunningStatistics, StackTotals
from sdykit.sparsecore.limits.statistics_files import load_statistics, save_statistics

__all__ = [
    "LimitCounter",
    "Limits",
    "LimitsMisfit",
    "Observed",
    "RunningStatistics",
    "StackFigures",
    "StackObserved",
    "StackTotals",
    "TableFigures",
    "check_headroom",
    "compute_limits",
    "described",
    "load_statistics",
    "read_limits",
    "save_statistics",
    "with_headroom",
    "with_limits",
    "write_limits",
]
