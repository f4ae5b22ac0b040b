"""The plots of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from markupsafe import Markup

from sdykit.sparsecore.whatif.results import Comparison, Result, Times
from sdykit.viz.charts import Axis, Bar, Line, Mark, Part, bars, lines
from sdykit.viz.whatif_report.text import SECONDS, brief, named

_MAX_BARS = 40
_NOTHING = float("nan")


@dataclass(frozen=True)
class Plot:
    """A plot with its heading."""

    title: str
    drawn: Markup


def plots(found: Comparison, target: float | None) -> list[Plot]:
    """Return the plots of a comparison.

    Args:
        found: the results.
        target: the time that a step may take; None: none was asked.
    """
    drawn = []
    if len({each.choice.devices for each in found.results}) > 1:
        drawn += list(_by_devices(found, target))
    drawn.append(Plot("Parts of a step", _parts(found)))
    return drawn


def _by_devices(found: Comparison, target: float | None) -> Iterable[Plot]:
    """Yield plots over the number of chips, a line for all that is equal but for it."""
    marks = [Mark("target", target)] if target else []
    yield Plot(
        "Time of a step",
        lines(_step_lines(found), _CHIPS, Axis("step time", "s", log=10), "Time of a step", marks),
    )
    yield Plot(
        "Samples in a second",
        lines(
            _lines(found, lambda each: each.choice.batch / each.seconds if each.can_run else 0),
            _CHIPS,
            Axis("samples/s", log=10),
            "Samples in a second",
        ),
    )
    for title, axis, value in (
        ("HBM of a device", Axis("HBM", "B", log=2), _hbm),
        ("SPMEM of a tile", Axis("SPMEM", "B", log=2), _spmem),
        ("ICI of a chip, in a step", Axis("ICI", "B", log=2), lambda each: each.ici_bytes),
    ):
        yield Plot(title, lines(_lines(found, value), _CHIPS, axis, title))


_CHIPS = Axis("chips", log=2)


def _groups(found: Comparison) -> dict[str, list[Result]]:
    """Return the results by what they have in common besides the number of devices, ascending."""
    batches = {each.choice.batch for each in found.results}
    groups: dict[str, list[Result]] = {}
    for each in sorted(found.results, key=lambda each: each.choice.devices):
        choice = each.choice
        batch = f"batch {choice.batch:,}" if len(batches) > 1 else ""
        name = ", ".join(filter(None, (choice.hardware.name, batch, choice.label)))
        groups.setdefault(name, []).append(each)
    ordered = dict.fromkeys(
        name for each in found.results for name, group in groups.items() if each in group
    )
    return {name: groups[name] for name in ordered}


def _step_lines(found: Comparison) -> list[Line]:
    shown = []
    for name, results in _groups(found).items():
        steps = [each.times.step if each.can_run and each.times else None for each in results]
        shown.append(
            Line(
                name,
                [each.choice.chips for each in results],
                [each.seconds if each else _NOTHING for each in steps],
                [each.low if each else _NOTHING for each in steps],
                [each.high if each else _NOTHING for each in steps],
                [_title(each) for each in results],
                dashed=all(each.is_estimated for each in results),
            )
        )
    return shown


def _lines(found: Comparison, value: Callable[[Result], float]) -> list[Line]:
    return [
        Line(
            name,
            [each.choice.chips for each in results],
            [value(each) or _NOTHING for each in results],
            titles=[_title(each) for each in results],
            dashed=all(each.is_estimated for each in results),
        )
        for name, results in _groups(found).items()
    ]


def _title(result: Result) -> str:
    mark = "estimated, " if result.is_estimated else ""
    return f"{mark}{result.times.bottleneck}" if result.times else "cannot run"


def _hbm(result: Result) -> float:
    return result.memory.hbm if result.memory else 0


def _spmem(result: Result) -> float:
    return result.memory.spmem if result.memory else 0


def _parts(found: Comparison) -> Markup:
    """Return bars with the parts of steps, those of the fastest ones."""
    timed = [each for each in found.results if each.can_run and each.times]
    fastest = sorted(timed, key=lambda each: each.seconds)[:_MAX_BARS]
    shown = [_bar(found, each, each.times) for each in timed if each in fastest and each.times]
    highest = max((each.times.step.high for each in fastest if each.times), default=0)
    longest = max((sum(part.length for part in bar.parts) for bar in shown), default=0)
    if math.isfinite(highest) and highest > 4 * longest:  # Error bars would leave no room.
        shown = [Bar(bar.label, bar.parts, bar.text, bar.name) for bar in shown]
    return bars(shown, SECONDS, "Parts of a step")


def _bar(found: Comparison, result: Result, times: Times) -> Bar:
    parts = [Part("lookups", times.lookup.seconds), Part("updates", times.update.seconds)]
    if times.tensor_core.seconds:
        parts.append(Part("TensorCore", times.tensor_core.seconds))
    rest = times.step.seconds - sum(each.length for each in parts)
    if times.host.seconds and rest > 0:
        parts.append(Part("waiting for the host", rest))
    mark = "~" if result.is_estimated else ""
    text = f"{mark}{SECONDS.text(times.step.seconds)}"
    span = (times.step.low, times.step.high)
    return Bar(
        brief(result, found), tuple(parts), text, f"{named(result)}: {times.bottleneck}", span
    )
