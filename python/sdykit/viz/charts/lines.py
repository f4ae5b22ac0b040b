"""Charts of lines with error bands, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from sdykit.viz.charts.axis import Axis, Scale, scale_of
from sdykit.viz.charts.keys import keys

_WIDTH, _HEIGHT = 410, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 10, 24, 42


@dataclass(frozen=True)
class Line:
    """A line through points; it is interrupted where a number is not finite.

    Attributes:
        name: its name, for the key and on hover.
        x: the numbers along the horizontal axis, ascending.
        y: the numbers along the vertical axis, as many.
        low: the lower end of the error band at each point; (): there is no band.
        high: the upper end.
        titles: more text for each point, shown on hover; (): none.
        dashed: whether the line is dashed.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    titles: Sequence[str] = ()
    dashed: bool = False


@dataclass(frozen=True)
class Mark:
    """A dashed horizontal line, such as a limit.

    Attributes:
        name: its name, written at it.
        value: its place on the vertical axis.
    """

    name: str
    value: float


def lines(
    shown: Sequence[Line], x: Axis, y: Axis, title: str, marks: Sequence[Mark] = ()
) -> Markup:
    """Return a chart of lines, with a key if there are several.

    Args:
        shown: the lines.
        x: the horizontal axis.
        y: the vertical axis; it holds all bands and marks.
        title: what the chart shows, for those who do not see it.
        marks: horizontal lines.

    Raises:
        ValueError: a line has not as many numbers of each kind; or an axis is logarithmic, and a number
            is not above 0.
    """
    for each in shown:
        _check(each)
    values = (each.y for each in shown), (each.low for each in shown), (each.high for each in shown)
    across = scale_of(x, (number for each in shown for number in each.x))
    up = scale_of(y, [*_flat(_flat(values)), *(each.value for each in marks)])
    frame = _Frame(across, up)
    body = Markup("").join(
        [
            *(frame.band(each, number) for number, each in enumerate(shown)),
            *(frame.mark(each) for each in marks),
            *(frame.line(each, number) for number, each in enumerate(shown)),
        ]
    )
    svg = Markup(
        '<svg class="chart lines" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}</svg>'
    ).format(_WIDTH, _HEIGHT, title, frame.axes(), body)
    named = [(each.name, f"s{at % 10}") for at, each in enumerate(shown)]
    return svg + keys(named) if len(shown) > 1 else svg


def _flat(groups: Iterable[Iterable]) -> Iterator:
    return (each for group in groups for each in group)


def _check(line: Line) -> None:
    for name in ("y", "low", "high", "titles"):
        count = len(getattr(line, name))
        if count != len(line.x) and (count or name == "y"):
            raise ValueError(
                f"line {line.name!r}: {name} has {count} elements; expected {len(line.x)}, as x"
            )


@dataclass(frozen=True)
class _Frame:
    """The scales of a chart, and what is drawn on them."""

    across: Scale
    up: Scale

    def x(self, value: float) -> float:
        return _LEFT + self.across.at(value) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - self.up.at(value) * (_HEIGHT - _BOTTOM - _TOP)

    def axes(self) -> Markup:
        label = '<text class="axis" x="{}" y="{}" text-anchor="{}">{}</text>'
        middle = (_LEFT + _WIDTH - _RIGHT) / 2
        labels = [
            Markup(label).format(4, 12, "start", self.up.axis.label),
            Markup(label).format(middle, _HEIGHT - 6, "middle", self.across.axis.label),
        ]
        ticks = [*map(self._tick_up, self.up.ticks), *map(self._tick_across, self.across.ticks)]
        return Markup("").join([*labels, *ticks])

    def _tick_up(self, tick: float) -> Markup:
        y, text = self.y(tick), self.up.axis.text(tick)
        return Markup(
            '<line class="base" x1="{}" x2="{}" y1="{y:.1f}" y2="{y:.1f}"/>'
            '<text class="axis" x="{}" y="{:.1f}" text-anchor="end">{}</text>'
        ).format(_LEFT, _WIDTH - _RIGHT, _LEFT - 6, y + 4, text, y=y)

    def _tick_across(self, tick: float) -> Markup:
        x, base, text = self.x(tick), _HEIGHT - _BOTTOM, self.across.axis.text(tick)
        anchor = "end" if x > _WIDTH - _RIGHT - 12 else "middle"
        return Markup(
            '<line class="base" x1="{x:.1f}" x2="{x:.1f}" y1="{}" y2="{}"/>'
            '<text class="axis" x="{x:.1f}" y="{}" text-anchor="{}">{}</text>'
        ).format(base, base + 4, base + 17, anchor, text, x=x)

    def mark(self, mark: Mark) -> Markup:
        y = self.y(mark.value)
        return Markup(
            '<line class="mark" x1="{}" x2="{}" y1="{y:.1f}" y2="{y:.1f}"/>'
            '<text class="mark" x="{}" y="{:.1f}" text-anchor="end">{} {}</text>'
        ).format(
            _LEFT,
            _WIDTH - _RIGHT,
            _WIDTH - _RIGHT,
            y - 4,
            mark.name,
            self.up.axis.text(mark.value),
            y=y,
        )

    def band(self, line: Line, number: int) -> Markup:
        if not line.low:
            return Markup("")
        return Markup("").join(
            Markup('<polygon class="band s{}" points="{}"/>').format(
                number % 10,
                " ".join(
                    [f"{self.x(line.x[at]):.1f},{self.y(line.high[at]):.1f}" for at in run]
                    + [f"{self.x(line.x[at]):.1f},{self.y(line.low[at]):.1f}" for at in run[::-1]]
                ),
            )
            for run in _runs(line)
        )

    def line(self, line: Line, number: int) -> Markup:
        style = f"s{number % 10}{' dashed' if line.dashed else ''}"
        pieces = []
        for run in _runs(line):
            points = [(self.x(line.x[at]), self.y(line.y[at])) for at in run]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            pieces.append(Markup('<polyline class="{}" points="{}"/>').format(style, path))
            pieces += [
                Markup(
                    '<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}</title></circle>'
                ).format(style, x, y, self._title(line, at))
                for at, (x, y) in zip(run, points, strict=True)
            ]
        return Markup("").join(pieces)

    def _title(self, line: Line, at: int) -> str:
        x, y = self.across.axis, self.up.axis
        text = f"{line.name}: {x.label} {x.text(line.x[at])}, {y.label} {y.text(line.y[at])}"
        if line.low:
            text += f" ({y.text(line.low[at])} to {y.text(line.high[at])})"
        return f"{text}; {line.titles[at]}" if line.titles else text


def _runs(line: Line) -> list[list[int]]:
    """Return the numbers of the points of each piece of a line without interruptions."""
    rows = zip(*(each for each in (line.x, line.y, line.low, line.high) if each), strict=True)
    finite = [all(map(math.isfinite, row)) for row in rows]
    groups = groupby(range(len(finite)), key=lambda at: finite[at])
    return [list(run) for is_finite, run in groups if is_finite]
