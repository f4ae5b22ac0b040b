"""The counters of runs, computed from the inputs that each run had."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts.batches import statistics_of
from sdykit.sparsecore.counts.inputs import (
    device_of,
    entries_of,
    entries_of_index,
    minibatches_of,
)
from sdykit.sparsecore.counts.program import count
from sdykit.sparsecore.counts.raw_ids import statistics_of_ids
from sdykit.sparsecore.counts.statistics import Statistics
from sdykit.sparsecore.tile.arguments import source_arguments
from sdykit.sparsecore.tile.counters import CountedLoops, Counters
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec

_NOT_COUNTED = ("gains",)
"""The inputs with entries that counts do not depend on."""
ROWS = "rows"
"""The name of the number of rows of the device's table, among the inputs."""


def inputs_of(spec: TileSpec) -> tuple[str, ...]:
    """Return the names of the inputs that the counters of a run follow from: int32, in this order.

    They are those that the program reads itself, which is what makes copies of them cheap. Only an index
    by sample does not tell of minibatches: then they are the buffers that it was made from.
    """
    if _has_whole_index(spec):
        return ("splits", "sample_rows", ROWS)
    names = (argument.name for argument in source_arguments(spec))
    return (*(name for name in names if name not in _NOT_COUNTED), ROWS)


def statistics_of_run(spec: TileSpec, inputs: Sequence[npt.NDArray[np.int32]]) -> Statistics:
    """Return the figures of a run on a device; see `count_run`."""
    return _statistics_of(spec, dict(zip(inputs_of(spec), inputs, strict=True)))


def count_run(spec: TileSpec, inputs: Sequence[npt.NDArray[np.int32]]) -> Counters:
    """Return what the chip reading of a program counts for its inputs, without running it.

    Args:
        spec: the spec of the program, of any reading.
        inputs: those that `inputs_of` names, as vectors.

    Raises:
        SparseCoreError: the row pointers are wrong, or the program has a loop whose iterations do not
            follow from the figures of a batch.
    """
    return count(spec, statistics_of_run(spec, inputs))


def _statistics_of(spec: TileSpec, inputs: Mapping[str, npt.NDArray[np.int32]]) -> Statistics:
    device = device_of(inputs)
    if spec.layout == "ids":
        ids = inputs["ids"].reshape(spec.samples, -1)
        return statistics_of_ids(spec, ids, int(inputs[ROWS][0]), device=device)
    minibatches = minibatches_of(spec, inputs)
    entries = (entries_of_index if _has_whole_index(spec) else entries_of)(spec, inputs)
    return statistics_of(spec, entries, device=device, minibatches=minibatches)


def _has_whole_index(spec: TileSpec) -> bool:
    """Return whether the program reads an index by sample, from which all entries follow."""
    return isinstance(spec, LookupSpec) and spec.has_index and not spec.minibatches


def add_runs(counters: Counters, others: Counters) -> Counters:
    """Return the sums of the counters of a program for some runs, and for others."""
    assert counters.names == others.names
    loops = tuple(
        CountedLoops(one.axes, one.counts + other.counts)
        for one, other in zip(counters.loops, others.loops, strict=True)
    )
    return dataclasses.replace(counters, runs=counters.runs + others.runs, loops=loops)
