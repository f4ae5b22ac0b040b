"""Where the time of a recorded step went, on the CPU that simulates the chip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.run.columns import Calls
from sdykit.sparsecore.run.model import Program, Run
from sdykit.sparsecore.timeline.measured import is_pipelined

Floats = npt.NDArray[np.floating]

PREPROCESS: Final = "preprocess"
WAIT: Final = "wait for input"
COMPILE: Final = "compile"
_BUSY: Final = 0.9
"""A thread that prepares batches for this share of the time, while devices wait, is what they wait for."""


@dataclass(frozen=True, eq=False)
class Breakdown:
    """What the steps of a run took, on the first device; all but `is_pipelined` in seconds, `[steps]`.

    Attributes:
        steps: the numbers of the steps.
        start: when each began: the start of its first call.
        total: until the next one began; of the last step, until its last call ended.
        lookups: when lookups ran.
        tensor_core: from the end of the last lookup to the start of the first update, without kernels
            that ran then; 0 if steps are pipelined, or have no updates.
        updates: when updates ran.
        kernels: when kernels of users ran.
        input: when nothing of these did, and the loop waited for its input, or prepared it.
        other: the rest.
        is_steady: whether nothing was compiled in a step, and it is not the last.
        is_pipelined: whether lookups run beside the TensorCore's work for the step before.
    """

    steps: npt.NDArray[np.int64]
    start: Floats
    total: Floats
    lookups: Floats
    tensor_core: Floats
    updates: Floats
    kernels: Floats
    input: Floats
    other: Floats
    is_steady: npt.NDArray[np.bool_]
    is_pipelined: bool

    @property
    def typical(self) -> npt.NDArray[np.bool_]:
        """The steps that say what the loop takes: the steady ones, or all if there are none."""
        return self.is_steady if self.is_steady.any() else np.ones_like(self.is_steady)

    def seconds(self) -> dict[str, float]:
        """Return the mean seconds of a typical step by part, in the order of a step; and `total`."""
        names = ("input", "lookups", "tensor_core", "updates", "kernels", "other", "total")
        if not len(self.steps):
            return dict.fromkeys(names, 0.0)
        return {name: float(getattr(self, name)[self.typical].mean()) for name in names}

    def share(self, name: str) -> float:
        """Return the part of the time of typical steps that one of its parts took, from 0 to 1."""
        seconds = self.seconds()
        return seconds[name] / seconds["total"] if seconds["total"] else 0.0


def breakdown_of(run: Run) -> Breakdown:
    """Return what the steps of a run took."""
    first_device = run.calls.device.min(initial=0)
    calls: Calls = run.calls.where((run.calls.step >= 0) & (run.calls.device == first_device))
    part = np.array([_part(each) for each in run.programs], np.int64)
    of_calls = part[calls.program] if len(calls) else np.zeros(0, np.int64)
    steps = np.unique(calls.step)
    found = [
        _bounds(calls.where(at), of_calls[at]) for at in (calls.step == each for each in steps)
    ]
    bounds = np.array(found, np.float64).reshape(-1, 10)
    start, end, first_lookup, last_lookup, lookups, first_update, _, updates, *own = bounds.T
    kernels, between = own
    until = np.append(start[1:], end[-1:])
    has_both = np.isfinite(first_lookup) & np.isfinite(first_update)
    pipelined = is_pipelined(run)
    has_gap = has_both & (first_update >= first_lookup) & (not pipelined)
    tensor_core = np.where(has_gap, np.maximum(first_update - last_lookup - between, 0), 0.0)
    waits = _waits(run)
    waited = np.array([_overlap(waits, *gap) for gap in zip(end, until, strict=True)])
    total = until - start
    # Kernels may run beside lookups and updates.
    other = np.maximum(total - lookups - tensor_core - updates - kernels - waited, 0)
    return Breakdown(
        steps,
        start,
        total,
        lookups,
        tensor_core,
        updates,
        kernels,
        waited.reshape(-1),
        other,
        _is_steady(run, start, until),
        pipelined,
    )


def _part(program: Program) -> int:
    """Return 0 for a lookup, 1 for an update, 2 for a kernel."""
    return 0 if program.is_lookup else 1 if program.is_update else 2


def _bounds(calls: Calls, part: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """Return start and end of a step, and of its lookups and updates with the seconds that these ran.

    Last come the seconds that kernels ran, and how many of them between lookups and updates.
    """
    parts = []
    for chosen in (part == 0, part == 1):
        starts, ends = calls.start[chosen], calls.end[chosen]
        parts += [starts.min(initial=np.inf), ends.max(initial=-np.inf), _union(starts, ends)]
    kernels = np.stack([calls.start[part == 2], calls.end[part == 2]], axis=1)
    _, last_lookup, _, first_update, _, _ = parts
    has_gap = last_lookup < first_update < np.inf and last_lookup > -np.inf
    between = _overlap(kernels, last_lookup, first_update) if has_gap else 0.0
    return (
        calls.start.min(),
        calls.end.max(),
        *parts,
        _union(kernels[:, 0], kernels[:, 1]),
        between,
    )


def _union(starts: Floats, ends: Floats) -> float:
    """Return how long at least one of some intervals, ordered by their starts, lasts."""
    if not len(starts):
        return 0.0
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    until = np.maximum.accumulate(ends)
    before = np.append(-np.inf, until[:-1])
    return float(np.maximum(until - np.maximum(starts, before), 0).sum())


def _waits(run: Run) -> Floats:
    """Return when the loop waited for its input or prepared it itself: start and end, `[waits, 2]`."""
    host = run.host
    chosen = (host.name == WAIT) | ((host.name == PREPROCESS) & (host.thread == 0))
    prepares = (host.name == PREPROCESS) & (host.thread != 0)
    for thread in np.unique(host.thread[prepares]):
        own = prepares & (host.thread == thread)
        busy = _union(host.start[own], host.end[own])
        if busy > _BUSY * (host.end[own].max() - host.start[own].min()):
            chosen = chosen | own
    found = np.stack([host.start[chosen], host.end[chosen]], axis=1)
    return found[np.argsort(found[:, 0], kind="stable")]


def _overlap(waits: Floats, start: float, end: float) -> float:
    starts, ends = np.clip(waits, start, end).T
    return _union(starts, ends)


def _is_steady(run: Run, start: Floats, until: Floats) -> npt.NDArray[np.bool_]:
    compiles = run.host.where(run.host.name == COMPILE)
    is_steady = np.ones(len(start), bool)
    for begin, end in zip(compiles.start, compiles.end, strict=True):
        is_steady &= (until <= begin) | (start >= end)
    if len(is_steady):
        is_steady[-1] = False
    return is_steady
