"""Two runs beside each other: what was changed, and what that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sdykit.viz.run_report.model import BYTES, SECONDS, Report

_MISSING = "none"


@dataclass(frozen=True)
class Difference:
    """A setting, limit or figure of two runs.

    Attributes:
        name: what it is.
        before: its value in the first run, as text.
        after: that in the second run.
        change: the second number divided by the first; None: they are not numbers, or the first is 0.
    """

    name: str
    before: str
    after: str
    change: float | None = None


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs.

    Attributes:
        settings: flags, fields and limits that differ.
        figures: the figures of both, those that are equal too.
    """

    settings: tuple[Difference, ...]
    figures: tuple[Difference, ...]


def compare(before: Report, after: Report) -> Comparison:
    """Return what differs between two runs."""
    return Comparison(
        (*_settings(before, after), *_limits(before, after)), tuple(_figures(before, after))
    )


def _settings(before: Report, after: Report) -> Iterator[Difference]:
    pairs = [
        (_plain(before), _plain(after)),
        (before.run.versions, after.run.versions),
    ]
    for one, other in pairs:
        yield from _differing(one, other)


def _plain(report: Report) -> dict[str, Any]:
    run = report.run
    return {
        **run.settings,
        "devices": run.devices,
        "tables": len(run.tables),
        "stacks": len(run.stacks),
    }


def _differing(
    one: Mapping[str, Any], other: Mapping[str, Any], of: str = ""
) -> Iterator[Difference]:
    for name in dict.fromkeys((*one, *other)):
        before, after = one.get(name, _MISSING), other.get(name, _MISSING)
        if before != after:
            yield Difference(f"{of}{name}", str(before), str(after))


def _limits(before: Report, after: Report) -> Iterator[Difference]:
    old = {each.name: each for each in before.run.stacks}
    for stack in after.run.stacks:
        if stack.name in old:
            yield from _differing(old[stack.name].limits, stack.limits, f"stack {stack.name}: ")


def _figures(before: Report, after: Report) -> Iterator[Difference]:
    yield _number("step time", before.measured["total"], after.measured["total"], SECONDS.text)
    for part, name in (before.parts | after.parts).items():
        yield _number(
            f"step time: {name}", before.measured[part], after.measured[part], SECONDS.text
        )
    for kind in dict.fromkeys((*before.simulated, *after.simulated)):
        one, other = (report.simulated.get(kind) for report in (before, after))
        yield Difference(
            f"simulated: {kind}s",
            str(one or "unknown"),
            str(other or "unknown"),
            other.seconds / one.seconds if one and other and one.seconds else None,
        )
    ledgers = (before.run.ledger, after.run.ledger)
    if ledgers[0] is not None and ledgers[1] is not None:
        yield _number("HBM at the peak", ledgers[0].bytes, ledgers[1].bytes, BYTES.text)
    yield _number("compilation", before.compile_seconds, after.compile_seconds, SECONDS.text)
    for one, other in zip(before.checks, after.checks, strict=True):
        change = other.figure / one.figure if one.figure and other.figure is not None else None
        yield Difference(
            one.kind,
            one.amount(one.figure) + _mark(one.is_found),
            other.amount(other.figure) + _mark(other.is_found),
            change,
        )


def _mark(is_found: bool) -> str:
    return " (bottleneck)" if is_found else ""


def _number(name: str, before: float, after: float, text: Any) -> Difference:
    return Difference(name, text(before), text(after), after / before if before else None)
