"""The scopes of kernels as spans: what each subcore did within a call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from sdykit.sparsecore.run import Run, ScopeSpans
from sdykit.sparsecore.timeline.cut import Cut
from sdykit.sparsecore.timeline.spans import SEQUENCER, TILE, Place, Span, Value, by_track


def scope_spans(run: Run, steps: Sequence[int], cut: Cut, room: int) -> list[Span]:
    """Return the scopes of the calls of some steps.

    Calls of kernels that overlap on a device have tracks beside each other, as calls have.

    Args:
        run: the run.
        steps: the steps.
        cut: the SparseCores and tiles.
        room: how many spans there may be; the last subcores are left out if there are more.
    """
    tracks = by_track(_spans(run, steps, cut))
    ends = itertools.accumulate(map(len, tracks.values()))
    fitting = [spans for spans, end in zip(tracks.values(), ends, strict=True) if end <= room]
    return [span for spans in fitting for span in spans]


def left_out_subcores(run: Run, cut: Cut, spans: Sequence[Span]) -> int:
    """Return of how many subcores the scopes are not in a timeline of a cut, for lack of room."""
    steps = sorted({int(span.name) for span in spans if span.kind == "step"})
    wanted = {span.track for span in _spans(run, steps, cut)}
    return len(wanted - {span.track for span in spans})


def scopes_of_cut(run: Run, cut: Cut) -> ScopeSpans:
    """Return the scopes of the SparseCores and tiles of a cut, in all steps."""
    scopes = run.scopes
    devices = run.calls.device[scopes.call]
    chosen = np.full(len(scopes), not cut.cores)
    for device, core in cut.cores:
        chosen |= (devices == device) & (scopes.core == core)
    if cut.tiles:
        chosen &= (scopes.tile < 0) | np.isin(scopes.tile, cut.tiles)
    return scopes.where(chosen)


def _spans(run: Run, steps: Sequence[int], cut: Cut) -> Iterator[Span]:
    scopes, calls = scopes_of_cut(run, cut), run.calls
    lanes = _lanes(run)
    for row in np.flatnonzero(np.isin(calls.step[scopes.call], steps)).tolist():
        call, core, tile = (int(column[row]) for column in (scopes.call, scopes.core, scopes.tile))
        device = int(calls.device[call])
        unit = SEQUENCER if tile < 0 else f"{TILE} {tile}"
        lane = f" ({lanes[call] + 1})" if lanes.get(call) else ""
        name, start = str(scopes.name[row]), float(scopes.start[row])
        arguments: dict[str, Value] = {
            "step": int(calls.step[call]),
            "kernel": run.programs[int(calls.program[call])].name,
            "scope": name,
        }
        if scopes.left_out[row]:
            arguments["left out"] = int(scopes.left_out[row])
            arguments["seconds left out"] = float(scopes.left_out_seconds[row])
        yield Span(
            str(Place(device, core, unit)) + lane,
            name.rpartition("/")[2],
            start,
            float(scopes.end[row]) - start,
            arguments,
        )


def _lanes(run: Run) -> dict[int, int]:
    """Return the lane of each call with scopes: 0, or a number that no call which overlaps it has."""
    found: dict[int, int] = {}
    ends: dict[int, list[float]] = {}
    calls = run.calls
    for call in np.unique(run.scopes.call).tolist():
        lanes = ends.setdefault(int(calls.device[call]), [])
        start = float(calls.start[call])
        lane = next((at for at, end in enumerate(lanes) if end <= start), len(lanes))
        lanes[lane : lane + 1] = [float(calls.end[call])]
        found[call] = lane
    return found
