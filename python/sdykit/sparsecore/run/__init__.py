"""Runs: what `with sc.record("run/"):` found out about a training loop, as a folder.

    run = read_run("run/")
    run.calls.end - run.calls.start    # the seconds of each execution of a program
    run.figures(run.sampled_steps[0])  # the figures of a step's batch, by program and device

`model` has the dataclasses and what follows from them, `columns` the long ones, `figures` those of sampled
steps; `reader` and `writer` are the format, `keys` its JSON. `sdykit.bridge.recording` records runs.
"""

from sdykit.sparsecore.run.columns import Batches, Calls, HostSpans, ScopeSpans
from sdykit.sparsecore.run.figures import FigureColumns
from sdykit.sparsecore.run.model import (
    Change,
    Feature,
    Program,
    RawBatch,
    Run,
    StackOfTables,
    Table,
)
from sdykit.sparsecore.run.reader import is_run, read_run
from sdykit.sparsecore.run.writer import write_run

__all__ = [
    "Batches",
    "Calls",
    "Change",
    "Feature",
    "FigureColumns",
    "HostSpans",
    "Program",
    "RawBatch",
    "Run",
    "ScopeSpans",
    "StackOfTables",
    "Table",
    "is_run",
    "read_run",
    "write_run",
]
