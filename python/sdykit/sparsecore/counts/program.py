"""The counters of a program, computed from the figures of a batch."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sdykit.mlir import ir, make_context
from sdykit.passes.sparsecore.count.places import Place, nests_of, places_in
from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.counts.cells import Cells, single_figures
from sdykit.sparsecore.counts.several import AXES, MINIBATCH, RUN, RunFigures, several
from sdykit.sparsecore.counts.statistics import Figures, Statistics
from sdykit.sparsecore.counts.times import reached, times_of
from sdykit.sparsecore.counts.values import values_of
from sdykit.sparsecore.tile.build import build_module
from sdykit.sparsecore.tile.compile import lay_out
from sdykit.sparsecore.tile.counters import CountedLoops, Counters
from sdykit.sparsecore.tile.spec import TileSpec


def count(spec: TileSpec, statistics: Statistics, *, device: int = 0) -> Counters:
    """Return what the chip reading of a program counts for a batch, without running it.

    Args:
        spec: the spec of a lookup or an update.
        statistics: the figures of the batch.
        device: the number of the device, for the result.

    Returns:
        The counters of one run, equal to those that the program counts when it runs.

    Raises:
        SparseCoreError: the figures are not those of a batch that the program accepts, there is no such
            chip, its memory is too small, the batch has no figure that the program asks for, or the
            program has a loop whose iterations do not follow from the figures.
    """
    statistics.check(spec)
    (counters,) = count_several(spec, several([statistics], {device: 1}))
    return counters


def count_several(spec: TileSpec, figures: RunFigures) -> list[Counters]:
    """Return what the chip reading of a program counts in several runs, see `count`, for each device.

    Args:
        spec: the spec of a lookup or an update.
        figures: the figures of runs that ended without an error.
    """
    chip = dataclasses.replace(spec, reading="chip", counters=False, label="")
    program = _program_of(chip, chip.hardware)
    loops = _counted(program, figures)
    return [
        Counters(
            spec,
            device,
            runs,
            program.names,
            tuple(CountedLoops(axes, counts[at]) for axes, counts in loops),
        )
        for at, (device, runs) in enumerate(figures.devices.items())
    ]


@dataclass(frozen=True, eq=False)
class _Program:
    """A chip's program, and what is counted in it.

    Attributes:
        module: the program, which the places are in.
        places: where it counts.
        names: the names of the counters.
        single: the figure that a place alone depends on, by the number of the place.
    """

    module: ir.Module
    places: Sequence[Place]
    names: tuple[str, ...]
    single: Mapping[int, str]


@lru_cache(maxsize=256)
def _program_of(spec: TileSpec, _hardware: Chip) -> _Program:
    """Return the program of a spec. A chip may be described by a file, which may change."""
    module = build_module(make_context(), spec)
    lay_out(module, "chip")
    places = places_in(module.body.operations[0].operation)
    names = tuple(sorted({name for place in places for name in place.amount}))
    return _Program(module, places, names, single_figures(places))


def _counted(program: _Program, figures: RunFigures) -> list[tuple[tuple[str, ...], Figures]]:
    """Return the axes and the counts of each nest, with an axis for devices in front of the counts."""
    nests, names, runs = nests_of(program.places), program.names, list(figures.devices.values())
    used = {AXES[MINIBATCH]: figures.minibatches}
    found = {
        key: np.zeros((len(runs), *(axis.size for axis in nest), len(names)), np.int64)
        for key, nest in nests.items()
    }
    values = values_of(program.places, figures)
    cells = {name: Cells(program.places, figures, name) for name in {*program.single.values()}}
    for at, place in enumerate(program.places):
        name = program.single.get(at)
        times = None if name is None else cells[name].times_of(place, values)
        if times is None:
            times = _by_device(times_of(place, values) * reached(place, values), runs)
        kept = (AXES.index(AXES[RUN]), *(AXES.index(axis.name) for axis in place.nest))
        others = tuple(at for at in range(len(AXES)) if at not in kept)
        times = np.transpose(times, (*others, *kept)).squeeze(tuple(range(len(others))))
        counted = (slice(None), *(slice(used.get(axis.name)) for axis in place.nest))
        for name, amount in place.amount.items():
            found[place.key][(*counted, names.index(name))] += amount * times
    return [(tuple(axis.name for axis in nest), found[key]) for key, nest in nests.items()]


def _by_device(times: Figures, runs: Sequence[int]) -> Figures:
    """Return the sum over the runs of each device, with devices in place of runs."""
    if times.shape[RUN] == 1:
        return times * np.array(runs).reshape(-1, *(1,) * (len(AXES) - 1))
    starts = np.cumsum([0, *runs[:-1]])
    return np.add.reduceat(times, starts, axis=RUN)
