"""The times of a run, for a program that is drawn as it ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from sdykit.errors import SdykitError
from sdykit.viz.mpmd_view.model import Program


class Span(Protocol):
    """When a step ran, such as a `sdykit.mpmd.Span`."""

    @property
    def step(self) -> int:
        """The number of the step in its function."""
        ...

    @property
    def start(self) -> float:
        """The seconds from the start of the run to that of the step."""
        ...

    @property
    def end(self) -> float:
        """The seconds from the start of the run to the end of the step."""
        ...


def with_times(programs: Sequence[Program], function: str, spans: Sequence[Span]) -> list[Program]:
    """Return programs, in which the steps of one function have the times of a run.

    Raises:
        SdykitError: there is no such function, or the spans are not those of its steps.
    """
    names = [program.name for program in programs]
    if function not in names:
        known = ", ".join(f"@{name}" for name in names)
        raise SdykitError(f"spans: there is no MPMD program @{function}, only {known}")
    at = names.index(function)
    return [*programs[:at], _timed(programs[at], spans), *programs[at + 1 :]]


def _timed(program: Program, spans: Sequence[Span]) -> Program:
    by_step = {span.step: span for span in spans}
    if program.loops or sorted(by_step) != list(range(len(program.steps))):
        raise SdykitError(
            f"spans: expected one for each of the {len(program.steps)} steps of"
            f" @{program.name}, found {len(spans)}; draw the program that ran, Executable.module"
        )
    steps = [
        replace(step, start=by_step[number].start, end=by_step[number].end)
        for number, step in enumerate(program.steps)
    ]
    return replace(program, steps=tuple(steps))
