"""Figures of sampled steps, computed from the inputs of their programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.bridge.kernels.build import SAMPLED
from sdykit.bridge.kernels.specs import COUNTERS, SCOPE_TIMES
from sdykit.bridge.recording.programs import Runs, SampledRun
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.counts.inputs import ROWS, statistics_of_inputs
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run.figures import FigureColumns, figure_columns

PLACE: Final = "place"
"""The argument with the numbers of the group of a device, and of the device."""
ENTRIES: Final = ("ids", "row_pointers", "embedding_ids", "sample_ids")
"""The arguments that hold the ids of a device: raw ones, or buffers."""
MAX_STEPS: Final = 3
"""The maximum number of steps whose figures are computed."""

Inputs = Mapping[str, npt.NDArray[np.int32]]


def figures_of(runs: Runs) -> tuple[FigureColumns, int]:
    """Return the figures of sampled steps, and for how many programs of these there are none.

    The steps are the last three all of whose programs were sampled, of those with most programs: a loop
    that evaluates has steps without updates. Without a step that was sampled whole, they are of all.
    """
    by_step: dict[int, list[SampledRun]] = defaultdict(list)
    for each in runs.samples:
        by_step[each.step].append(each)
    calls = np.bincount(runs.calls.step, minlength=1) if len(runs.calls) else np.zeros(1, int)
    whole = [step for step, found in by_step.items() if len(found) == calls[step]]
    programs = {step: len({each.program for each in by_step[step]}) for step in whole or by_step}
    most = max(programs.values(), default=0)
    steps = sorted(step for step, count in programs.items() if count == most)[-MAX_STEPS:]
    found: dict[tuple[int, int, int], Statistics] = {}
    failed = 0
    for step in steps:
        for each, inputs in _inputs(runs, by_step[step]):
            spec = runs.programs[each.program].tile
            try:
                found[step, each.program, each.device] = statistics_of_inputs(spec, inputs)
            except SparseCoreError:
                failed += 1
    return figure_columns(found), failed


def _inputs(runs: Runs, sampled: list[SampledRun]) -> list[tuple[SampledRun, Inputs]]:
    """Return the inputs of the sampled programs of a step.

    A lookup on one device reads an index, which does not tell of minibatches: it gets the buffers of
    the update of its table, which are those that the index was made from.
    """
    named = _with_entries_of_all(runs, [(each, _named(each)) for each in sampled])
    buffers = {
        (runs.programs[each.program].name, each.device): inputs
        for each, inputs in named
        if "row_pointers" in inputs
    }
    return [
        (each, {**buffers.get((runs.programs[each.program].name, each.device), {}), **inputs})
        for each, inputs in named
    ]


def _with_entries_of_all(
    runs: Runs, named: list[tuple[SampledRun, Inputs]]
) -> list[tuple[SampledRun, Inputs]]:
    """Return runs with their inputs; those for all devices of a process have the entries of all then.

    Such a run is left out if another device of its group has no sample.
    """
    groups: dict[tuple[int, int], dict[int, Inputs]] = defaultdict(dict)
    for each, inputs in named:
        if PLACE in inputs:
            group, device = inputs[PLACE].tolist()
            groups[each.program, group][device] = inputs
    found: list[tuple[SampledRun, Inputs]] = []
    for each, inputs in named:
        if PLACE not in inputs:
            found.append((each, inputs))
            continue
        group, device = inputs[PLACE].tolist()
        parts = groups[each.program, group]
        if len(parts) == runs.programs[each.program].tile.num_devices:
            of_all = {
                name: np.concatenate([parts[number][name] for number in sorted(parts)])
                for name in ENTRIES
                if name in inputs
            }
            found.append((each, {**inputs, "device": np.array([device], np.int32), **of_all}))
    return found


def _named(sampled: SampledRun) -> dict[str, npt.NDArray[np.int32]]:
    """Return the sampled arguments of a run by name, and the number of rows of its table."""
    program = sampled.compilation.program
    assert program is not None  # It has arguments that are sampled.
    arguments = program.interface.arguments
    dims, arrays = iter(sampled.dims), iter(sampled.arrays)
    found: dict[str, npt.NDArray[np.int32]] = {}
    for argument in arguments:
        if argument.is_status or argument.name in (COUNTERS, SCOPE_TIMES):
            continue
        shape = [next(dims) if size is None else size for size in argument.shape]
        if argument.name in SAMPLED and not argument.is_workspace:
            found[argument.name] = np.frombuffer(next(arrays), np.int32)
        if argument.name == "table":
            found[ROWS] = np.array([shape[0]], np.int32)
    return found
