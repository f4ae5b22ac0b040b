"""The counters of runs, computed from what each run recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from sdykit.sparsecore.counts.program import count_several
from sdykit.sparsecore.counts.records import Record, figures_of_records
from sdykit.sparsecore.tile.counters import CountedLoops, Counters
from sdykit.sparsecore.tile.spec import TileSpec


def count_records(spec: TileSpec, records: Mapping[int, Sequence[Record]]) -> list[Counters]:
    """Return what the chip reading of a program counts in some runs, without running it.

    Args:
        spec: the spec of the program, of any reading.
        records: what each run recorded, by the number of the device that ran the program.

    Returns:
        The counters of each device.

    Raises:
        SparseCoreError: the row pointers of a run were wrong, or the program has a loop whose iterations
            do not follow from the figures of a batch.
    """
    found: dict[int, Counters] = {}
    for figures in figures_of_records(spec, records):
        for each in count_several(spec, figures):
            known = found.get(each.device)
            found[each.device] = each if known is None else add_runs(known, each)
    return list(found.values())


def add_runs(counters: Counters, others: Counters) -> Counters:
    """Return the sums of the counters of a program for some runs, and for others."""
    assert counters.names == others.names
    loops = tuple(
        CountedLoops(one.axes, one.counts + other.counts)
        for one, other in zip(counters.loops, others.loops, strict=True)
    )
    return dataclasses.replace(counters, runs=counters.runs + others.runs, loops=loops)
