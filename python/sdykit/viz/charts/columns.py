"""Charts of vertical columns over a range of whole numbers, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sdykit.viz.charts.axis import Axis

_WIDTH, _HEIGHT = 420, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 10, 22, 34
_BASE = _HEIGHT - _BOTTOM
_ACROSS = _WIDTH - _LEFT - _RIGHT


@dataclass(frozen=True)
class Columns:
    """A series of columns of one style.

    Attributes:
        style: the style class.
        heights: the height of each column, 0 or more.
        titles: the text of each column, shown on hover.
    """

    style: str
    heights: Sequence[int]
    titles: Sequence[str]


def columns(
    series: Sequence[Columns],
    x: tuple[Axis, int, int],
    y: Axis,
    *,
    across: tuple[str, float] | None = None,
    up: int | None = None,
) -> Markup:
    """Return columns, those of later series in front of earlier ones.

    Args:
        series: the series, all with as many columns.
        x: the horizontal axis, with the numbers of the first column and the last.
        y: the vertical axis.
        across: a mark on the horizontal axis: its text, and its place from 0 to 1.
        up: the value of a mark on the vertical axis.
    """
    top = max([*(max(each.heights, default=0) for each in series), up or 0])
    bodies = [_series(each, top) for each in series]
    if across:
        bodies.append(_across(*across))
    if up is not None:
        bodies.append(_up(up, top))
    return _chart(Markup("").join(bodies), y, top, x)


def _series(series: Columns, top: int) -> Markup:
    step = _ACROSS / max(1, len(series.heights))
    gap = min(1.5, step * 0.15)
    pieces = []
    for at, (height, title) in enumerate(zip(series.heights, series.titles, strict=True)):
        if not height:
            continue
        # A column is at least one unit high, so that it can be seen.
        y = min(_y(height, top), _BASE - 1)
        pieces.append(
            Markup(
                '<rect class="{}" x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}">'
                "<title>{}</title></rect>"
            ).format(series.style, _LEFT + at * step, y, step - gap, _BASE - y, title)
        )
    return Markup("").join(pieces)


def _y(value: float, top: int) -> float:
    return _BASE - value / max(top, 1) * (_BASE - _TOP)


def _across(text: str, place: float) -> Markup:
    x = _LEFT + place * _ACROSS
    return Markup(
        '<line class="mark" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>'
        '<text class="mark" x="{0:.1f}" y="{3}" text-anchor="{4}">{5}</text>'
    ).format(x, _TOP, _BASE, _TOP - 8, "end" if x > _WIDTH / 2 else "start", text)


def _up(value: int, top: int) -> Markup:
    y = _y(value, top)
    return Markup('<line class="mark" x1="{}" x2="{}" y1="{y:.1f}" y2="{y:.1f}"/>').format(
        _LEFT, _WIDTH - _RIGHT, y=y
    )


def _chart(bodies: Markup, y: Axis, top: int, x: tuple[Axis, int, int]) -> Markup:
    axis, first, last = x
    return Markup(
        '<svg class="chart" viewBox="0 0 {w} {h}" role="img" aria-label="{title}">'
        '<text class="axis" x="{left}" y="{head}" text-anchor="end">{top}</text>'
        '<text class="axis" x="{left}" y="{base}" text-anchor="end">0</text>'
        "{bodies}"
        '<line class="base" x1="{x1}" x2="{x2}" y1="{base}" y2="{base}"/>'
        '<text class="axis" x="{x1}" y="{foot}">{first}</text>'
        '<text class="axis" x="{middle}" y="{foot}" text-anchor="middle">{name}</text>'
        '<text class="axis" x="{x2}" y="{foot}" text-anchor="end">{last}</text></svg>'
    ).format(
        w=_WIDTH,
        h=_HEIGHT,
        title=y.label,
        left=_LEFT - 6,
        head=_TOP + 4,
        base=_BASE,
        bodies=bodies,
        x1=_LEFT,
        x2=_WIDTH - _RIGHT,
        middle=(_LEFT + _WIDTH - _RIGHT) / 2,
        foot=_BASE + 16,
        top=y.text(top),
        first=axis.text(first),
        last=axis.text(last),
        name=axis.label,
    )
