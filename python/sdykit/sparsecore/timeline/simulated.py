"""The timeline of a run as it would be on the chip: seconds of the cost model, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from sdykit.sparsecore.cost import Numbers
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Run
from sdykit.sparsecore.timeline.costs import StepCosts, step_costs
from sdykit.sparsecore.timeline.cut import Cut
from sdykit.sparsecore.timeline.measured import host_seconds, is_pipelined, tensor_core_seconds
from sdykit.sparsecore.timeline.schedule import StepStarts, StepTimes, schedule
from sdykit.sparsecore.timeline.spans import HOST, TENSOR_CORE, Place, Span, place_of
from sdykit.sparsecore.timeline.units import Units


def simulated(
    run: Run,
    cut: Cut | None = None,
    *,
    tensor_core: float | None = None,
    host: float | None = None,
    pipelined: bool | None = None,
    numbers: Numbers | None = None,
) -> list[Span]:
    """Return what a chip would do in the sampled steps of a run, as spans; the first begins at 0.

    Steps of programs are on the tracks of their SparseCores, such as `TPU:0 SparseCore 1`, each as long
    as this one works itself; all begin together, and the next when the slowest is done. Sequencers and
    tiles have tracks of their own. Training steps follow each other as `schedule` says.

    Args:
        run: the run.
        cut: the part of it to return; None: all. Steps that are too many for `cut.spans` are left out
            at the end, and all tiles if those of the first step are too many and the cut names none.
        tensor_core: the seconds of the TensorCore's part; None: what was measured in the run.
        host: the seconds in which the host prepares a batch; None: what was measured.
        pipelined: whether SparseCores look up the next step while the TensorCore works; None: if they
            did in the run.
        numbers: the numbers of the cost model; None: those of the run's chip.

    Raises:
        SparseCoreError: the run has no steps, or not those of the cut, or none that was sampled; or
            one step has more spans than the cut may have.
    """
    cut = Cut() if cut is None else cut
    units, steps = _fitting(Units.of(run, cut), run, cut, step_costs(run, cut, numbers))
    times = [
        StepTimes(
            host_seconds(run, each.step) if host is None else host,
            each.seconds_of("lookup"),
            tensor_core_seconds(run, each.step) if tensor_core is None else tensor_core,
            each.seconds_of("update"),
        )
        for each in steps
    ]
    starts = schedule(times, pipelined=is_pipelined(run) if pipelined is None else pipelined)
    sources = _source(host), _source(tensor_core)
    arrows = count(1)
    spans = list(_steps(units, steps, starts, times))
    for step, start, seconds in zip(steps, starts, times, strict=True):
        spans += _step(units, _Placed(step, start, seconds, *sources), arrows)
    begin = min((each.start for each in spans), default=0.0)
    return [replace(each, start=each.start - begin) for each in spans]


@dataclass(frozen=True)
class _Placed:
    """A training step, and when its parts run.

    Attributes:
        costs: what its programs take.
        start: when its parts begin.
        seconds: how long they take.
        of_host: where the host's seconds are from.
        of_tensor_core: where the TensorCore's are from.
    """

    costs: StepCosts
    start: StepStarts
    seconds: StepTimes
    of_host: str
    of_tensor_core: str


def _source(given: float | None) -> str:
    return "measured on the CPU" if given is None else "given"


def _fitting(
    units: Units, run: Run, cut: Cut, steps: Iterator[StepCosts]
) -> tuple[Units, list[StepCosts]]:
    """Return what of the units and steps there is room for; steps are computed only so far."""
    found: list[StepCosts] = []
    total = 0
    for step in steps:
        if not found and not cut.tiles and units.count(step) > cut.spans:
            units = replace(units, tiles=np.empty(0, np.int64))
        total += units.count(step)
        if total > cut.spans:
            break
        found.append(step)
    if not found:
        raise SparseCoreError(
            f"run '{run.path}': one step has {total} spans on {len(units.cores)} SparseCores; expected "
            f"at most {cut.spans}; choose some of the SparseCores and tiles, or allow more spans"
        )
    return units, found


def _steps(
    units: Units, steps: Sequence[StepCosts], starts: Sequence[StepStarts], times: list[StepTimes]
) -> Iterator[Span]:
    """Yield the spans of training steps: from a lookup to that of the next step."""
    ends = [each.lookup for each in starts[1:]] + [starts[-1].update + times[-1].update]
    for step, start, end in zip(steps, starts, ends, strict=True):
        for device in units.devices:
            yield Span(
                str(Place(device)),
                str(step.step),
                start.lookup,
                end - start.lookup,
                {"step": step.step},
                "step",
            )


def _step(units: Units, step: _Placed, arrows: Iterator[int]) -> Iterator[Span]:
    """Yield the spans of a step on the host, TensorCores and SparseCores.

    Args:
        units: the SparseCores that are shown.
        step: the step.
        arrows: numbers that no arrow has.
    """
    costs, start, seconds = step.costs, step.start, step.seconds
    if seconds.host:
        known = {"step": costs.step, "seconds": step.of_host}
        yield Span(HOST, "prepare batch", start.host, seconds.host, known)
    lookups = list(units.spans(costs, "lookup", start.lookup))
    updates = list(units.spans(costs, "update", start.update))
    if not seconds.tensor_core:
        yield from (*lookups, *updates)
        return
    arrows_in = _join(lookups, arrows, at_end=True)
    arrows_out = _join(updates, arrows, at_end=False)
    yield from (*lookups, *updates)
    for device in units.devices:
        yield Span(
            str(Place(device, unit=TENSOR_CORE)),
            TENSOR_CORE,
            start.tensor_core,
            seconds.tensor_core,
            {"step": costs.step, "seconds": step.of_tensor_core},
            arrows_in=tuple(arrows_in.get(device, ())),
            arrows_out=tuple(arrows_out.get(device, ())),
        )


def _join(spans: list[Span], arrows: Iterator[int], *, at_end: bool) -> dict[int, list[int]]:
    """Add an arrow to the last, or to the first, program of each SparseCore; return those of each device.

    Args:
        spans: the spans of lookups, or of updates, which are changed.
        arrows: numbers that no arrow has.
        at_end: whether arrows begin at the ends of the last programs, or end at the starts of the first.
    """
    chosen: dict[str, int] = {}
    for at, span in enumerate(spans):
        if span.kind == "program" and (at_end or span.track not in chosen):
            chosen[span.track] = at
    found: dict[int, list[int]] = {}
    for track, at in chosen.items():
        place, arrow = place_of(track), next(arrows)
        if place is not None:
            found.setdefault(place.device, []).append(arrow)
        changed = {"arrows_out": (arrow,)} if at_end else {"arrows_in": (arrow,)}
        spans[at] = replace(spans[at], **changed)
    return found
