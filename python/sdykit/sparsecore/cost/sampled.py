"""The work of programs, from the statistics of their batches."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial

from sdykit.sparsecore.cost.computed import works_of_figures
from sdykit.sparsecore.cost.counted import tile_amounts, work_of
from sdykit.sparsecore.cost.figures import checked_minibatches, figures_of
from sdykit.sparsecore.cost.work import Floats, Work, joined_tiles
from sdykit.sparsecore.counts import Statistics, count
from sdykit.sparsecore.tile.counters import Counters
from sdykit.sparsecore.tile.spec import TileSpec


def works_of_statistics(
    specs: Sequence[TileSpec], statistics: Sequence[Sequence[Statistics]]
) -> list[Work]:
    """Return the work of programs, those of buffers from their figures, those of raw ids counted.

    What each tile does is counted when it is asked for.

    Args:
        specs: the specs of the programs, of one system.
        statistics: for each program those of each device, in order.

    Raises:
        SparseCoreError: all that `figures_of`, `works_of_figures` and `count` raise.
    """
    found, buffers = [], []
    for spec, devices in zip(specs, statistics, strict=True):
        minibatches = checked_minibatches(spec, devices)
        if spec.layout == "ids":
            found.append(work_of(_counted(spec, devices)))
        else:
            buffers.append((spec, devices, minibatches))
    if not buffers:
        return found
    figures = [figures_of(spec, devices) for spec, devices, _ in buffers]
    for work in works_of_figures([spec for spec, _, _ in buffers], figures):
        these = [partial(_of_tiles, *each) for each in buffers if each[0].kind == work.kind]
        found.append(dataclasses.replace(work, of_tiles=joined_tiles(these)))
    return found


def _of_tiles(
    spec: TileSpec, devices: Sequence[Statistics], minibatches: int
) -> Mapping[str, Floats]:
    return tile_amounts(_counted(spec, devices), minibatches)


def _counted(spec: TileSpec, devices: Sequence[Statistics]) -> list[Counters]:
    return [count(spec, each, device=device) for device, each in enumerate(devices)]
