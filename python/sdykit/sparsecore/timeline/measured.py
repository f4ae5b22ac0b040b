"""The timeline of a run as it was: calls of programs on the CPU, and the host's work."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from sdykit.sparsecore.run import Program, Run
from sdykit.sparsecore.timeline.cut import Cut
from sdykit.sparsecore.timeline.scopes import scope_spans, scopes_of_cut
from sdykit.sparsecore.timeline.spans import HOST, TENSOR_CORE, Place, Span, Value, in_lanes

SPARSE_CORES = "SparseCores"
"""The unit of calls: a call does the work of all SparseCores of a device."""
_ROWS = 4096
"""The number of last calls that tell whether steps are pipelined."""
NOT_WORK = ("wait for input", "compile")
"""What the host does besides preparing batches."""


def measured(run: Run, cut: Cut | None = None) -> list[Span]:
    """Return what was recorded of a run, as spans; the first begins at 0.

    A call of a program is one span on the track `TPU:0 SparseCores`: it does the work of all SparseCores
    of the device. `TPU:0 TensorCore` is the time from the end of a step's last lookup to the start of its
    first update. If steps are pipelined, it is all the time from a step's first update to the next one's,
    beside which SparseCores work: at most so long does the TensorCore. Calls or work of the host that
    overlap are on tracks beside each other. The scopes of a kernel are on the tracks of the subcores that
    ran it, such as `TPU:0 SparseCore 1 tile 3`, a scope within the one that it lies in; the argument
    `left out` says how many more executions of a loop there were after a span.

    Args:
        run: the run.
        cut: the part of it to return; None: the whole run. SparseCores and tiles choose scopes; of calls,
            those of their devices are returned. Steps that are too many for `cut.spans` are left out at
            the end; if the first alone is too much, so are the scopes of the last subcores.

    Raises:
        SparseCoreError: the run has no steps, or not those of the cut.
    """
    spans = of_recording(run, Cut() if cut is None else cut)
    begin = min((each.start for each in spans), default=0.0)
    return [replace(each, start=each.start - begin) for each in spans]


def of_recording(run: Run, cut: Cut) -> list[Span]:
    """Return what `measured` returns, with times since the recording began."""
    cut.check(run)
    steps = measured_steps(run, cut)
    spans = in_lanes([*_calls(run, steps, cut), *_host(run, steps)])
    return [*spans, *scope_spans(run, steps, cut, cut.spans - len(spans))]


def measured_steps(run: Run, cut: Cut) -> tuple[int, ...]:
    """Return the first steps of a cut, as many as its number of spans has room for; at least one."""
    steps = cut.steps(run.steps)
    # A call is a span, and so are a step and its TensorCore part on each device.
    calls = np.bincount(run.calls.step[run.calls.step >= 0], minlength=steps[-1] + 1)
    hosts = np.bincount(run.host.step[run.host.step >= 0], minlength=steps[-1] + 1)
    of_scopes = run.calls.step[scopes_of_cut(run, cut).call]
    scopes = np.bincount(of_scopes[of_scopes >= 0], minlength=steps[-1] + 1)
    numbers = np.array(steps)
    spans = np.cumsum(calls[numbers] + hosts[numbers] + scopes[numbers] + 2 * run.devices)
    return steps[: max(1, int(np.searchsorted(spans, cut.spans, side="right")))]


def tensor_core_seconds(run: Run, step: int) -> float:
    """Return the seconds of the TensorCore's part of a step, those of the slowest device; 0: unknown."""
    # The part of the step before says when this one can begin.
    spans = _calls(run, (step - 1, step), Cut())
    return max(
        (
            each.seconds
            for each in spans
            if each.name == TENSOR_CORE and each.arguments["step"] == step
        ),
        default=0.0,
    )


def host_seconds(run: Run, step: int) -> float:
    """Return the seconds in which the host prepared a batch during a step, those of its busiest thread."""
    chosen = np.flatnonzero((run.host.step == step) & ~np.isin(run.host.name, NOT_WORK))
    seconds = run.host.end[chosen] - run.host.start[chosen]
    return float(np.bincount(run.host.thread[chosen], weights=seconds, minlength=1).max())


def is_pipelined(run: Run) -> bool:
    """Return whether SparseCores looked up the next step while the TensorCore worked.

    Then an update precedes the lookup of the same table in one execution of a compiled JAX function,
    since its gradients are of an earlier batch.
    """
    calls = run.calls
    first: dict[tuple[int, int, str, str], float] = {}
    for row in range(len(calls) - 1, max(-1, len(calls) - 1 - _ROWS), -1):
        program = run.programs[int(calls.program[row])]
        place = (int(calls.execution[row]), int(calls.device[row]))
        first[*place, program.name, _what(program)] = float(calls.start[row])
    both = [
        first[*key[:3], "update"] < start
        for key, start in first.items()
        if key[3] == "lookup" and (*key[:3], "update") in first
    ]
    return sum(both) * 2 > len(both)


def _host(run: Run, steps: tuple[int, ...]) -> Iterator[Span]:
    host = run.host
    for row in np.flatnonzero(np.isin(host.step, steps)).tolist():
        thread = int(host.thread[row])
        start, end = float(host.start[row]), float(host.end[row])
        track = f"{HOST} thread {thread}" if thread else HOST
        yield Span(track, str(host.name[row]), start, end - start, {"step": int(host.step[row])})


def _calls(run: Run, steps: tuple[int, ...], cut: Cut) -> Iterator[Span]:
    calls, by_device = run.calls, defaultdict(lambda: defaultdict(list))
    for row in np.flatnonzero(np.isin(calls.step, steps)).tolist():
        device = int(calls.device[row])
        if cut.has_device(device):
            by_device[device][int(calls.step[row])].append(_call(run, row))
    arrows = count(1)
    for device, of_steps in sorted(by_device.items()):
        yield from _of_device(device, of_steps, arrows, pipelined=is_pipelined(run))


def _call(run: Run, row: int) -> Span:
    calls = run.calls
    program = run.programs[int(calls.program[row])]
    kind = _what(program)
    start, end = float(calls.start[row]), float(calls.end[row])
    track = str(Place(int(calls.device[row]), unit=SPARSE_CORES))
    arguments = {"step": int(calls.step[row]), "what": kind, "table": program.name}
    return Span(track, f"{kind} {program.name}".rstrip(), start, end - start, arguments, "program")


def _what(program: Program) -> str:
    """Return what a program does: `lookup`, `update`, also if it is a user's own, or another kind."""
    kind = program.kind
    return "update" if kind.endswith("update") else kind


def _of_device(
    device: int, of_steps: dict[int, list[Span]], arrows: Iterator[int], *, pipelined: bool
) -> list[Span]:
    """Return the spans of a device: those of its calls, TensorCore and steps.

    Args:
        device: the number of the device.
        of_steps: the calls of each step, in the order of their starts.
        arrows: numbers that no arrow has.
        pipelined: whether SparseCores work beside the TensorCore.
    """
    found: list[Span] = []
    busy = 0.0  # Until then the TensorCore works for the step before.
    before: int | None = None  # The place of the last lookup of that step.
    starts = [*sorted(calls[0].start for calls in of_steps.values()), math.inf]
    for step, calls in sorted(of_steps.items()):
        start = calls[0].start
        # In pipelined steps, a lookup can begin before the updates of the step before have ended.
        following = starts[bisect_right(starts, start)]
        end = min(max(each.end for each in calls), following)
        known: dict[str, Value] = {"step": step}
        found.append(Span(str(Place(device)), str(step), start, end - start, known, "step"))
        last, first = _last_lookup(calls, len(found)), _first_update(calls, len(found))
        found += calls
        if last is not None and first is not None:
            begin, end = max(busy, found[last].end), found[first].start
            if pipelined:
                begin = busy or start
            if begin < end:
                track = str(Place(device, unit=TENSOR_CORE))
                bound = {"seconds": "at most"} if pipelined else {}
                found.append(Span(track, TENSOR_CORE, begin, end - begin, known | bound))
                _join(found, before if pipelined else last, first, arrows)
            busy = end
        before = last
    return found


def _last_lookup(calls: Sequence[Span], offset: int) -> int | None:
    """Return the place of the lookup that ends last, counted from an offset; None: there is none."""
    ends = [(each.end, at) for at, each in enumerate(calls) if each.arguments["what"] == "lookup"]
    return offset + max(ends)[1] if ends else None


def _first_update(calls: Sequence[Span], offset: int) -> int | None:
    """Return the place of the update that starts first, counted from an offset; None: there is none."""
    found = (at for at, each in enumerate(calls) if each.arguments["what"] == "update")
    return next((offset + at for at in found), None)


def _join(spans: list[Span], lookup: int | None, update: int, arrows: Iterator[int]) -> None:
    """Add arrows from a lookup to the last span, which is the TensorCore's, and from it to an update."""
    number = next(arrows)
    spans[update] = replace(spans[update], arrows_in=(number,))
    spans[-1] = replace(spans[-1], arrows_out=(number,))
    if lookup is not None:
        number = next(arrows)
        spans[lookup] = replace(spans[lookup], arrows_out=(number,))
        spans[-1] = replace(spans[-1], arrows_in=(number,))
