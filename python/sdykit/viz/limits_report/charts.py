"""Charts of counted ids as inline SVG, coloured by the style sheet of the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

_WIDTH, _HEIGHT = 420, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 10, 22, 34
_MAX_BARS = 40

Integers = npt.NDArray[np.int64]


def histogram(frequencies: Integers, limit: tuple[str, int], unique: bool) -> Markup:
    """Return a histogram of lists by their number of ids, with a line at the limit.

    Args:
        frequencies: `[ids + 1]`: element `k` is the number of lists with `k` ids.
        limit: the name and the value of the limit.
        unique: whether the ids are unique ids.
    """
    what, style = ("unique ids", "unique") if unique else ("ids", "bar")
    limit_name, limit_value = limit
    largest = max(frequencies.size - 1, limit_value)
    width = -(-(largest + 1) // _MAX_BARS)  # Each bar covers a whole number of ids.
    bars = -(-(largest + 1) // width)
    heights = np.zeros(bars * width, np.int64)
    heights[: frequencies.size] = frequencies
    heights = heights.reshape(bars, width).sum(axis=1)
    labels = [
        f"{_numbers(at * width, (at + 1) * width - 1)} {what}: {height:,} lists"
        for at, height in enumerate(heights.tolist())
    ]
    x = _LEFT + (limit_value + 0.5) / (bars * width) * _inner_width()
    line = Markup(
        '<line class="limit" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>'
        '<text class="limit" x="{0:.1f}" y="{3}" text-anchor="{4}">{5} {6:,}</text>'
    ).format(
        x,
        _TOP,
        _HEIGHT - _BOTTOM,
        _TOP - 8,
        "end" if x > _WIDTH / 2 else "start",
        limit_name,
        limit_value,
    )
    top = int(heights.max(initial=0))
    bodies = _bars(heights, labels, style, top)
    ends = (0, bars * width - 1)
    return _chart(bodies + line, f"lists by {what}", top, (ends, what))


def by_partition(max_ids: Integers, max_unique_ids: Integers, limit: int) -> Markup:
    """Return bars for the longest list of each partition: its ids, and over them its unique ids."""
    top = max(int(max_ids.max()), limit)
    ids = [f"partition {at}: {number:,} ids" for at, number in enumerate(max_ids.tolist())]
    unique_ids = [
        f"partition {at}: {number:,} unique ids"
        for at, number in enumerate(max_unique_ids.tolist())
    ]
    y = _y(limit, top)
    line = Markup('<line class="limit" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
        _LEFT, _WIDTH - _RIGHT, y, y
    )
    bodies = _bars(max_ids, ids, "bar", top) + _bars(max_unique_ids, unique_ids, "unique", top)
    ends = (0, max_ids.size - 1)
    return _chart(bodies + line, "ids of the longest list", top, (ends, "partition"))


def _inner_width() -> int:
    return _WIDTH - _LEFT - _RIGHT


def _y(value: float, top: int) -> float:
    return _HEIGHT - _BOTTOM - value / max(top, 1) * (_HEIGHT - _BOTTOM - _TOP)


def _numbers(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def _short(number: int) -> str:
    """Return a number as text that fits beside the chart."""
    if number < 1_000_000:
        return f"{number:,}"
    return f"{number / 1e6:,.1f}M" if number < 1_000_000_000 else f"{number / 1e9:,.1f}G"


def _bars(heights: Integers, labels: Sequence[str], style: str, top: int) -> Markup:
    step = _inner_width() / max(1, heights.size)
    gap = min(1.5, step * 0.15)
    pieces = []
    for at, (height, label) in enumerate(zip(heights.tolist(), labels, strict=True)):
        if not height:
            continue
        # A bar is at least one unit high, so that it can be seen.
        y = min(_y(height, top), _HEIGHT - _BOTTOM - 1)
        pieces.append(
            Markup(
                '<rect class="{}" x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}">'
                "<title>{}</title></rect>"
            ).format(style, _LEFT + at * step, y, step - gap, _HEIGHT - _BOTTOM - y, label)
        )
    return Markup("").join(pieces)


def _chart(bodies: Markup, title: str, top: int, axis: tuple[tuple[int, int], str]) -> Markup:
    (first, last), name = axis
    base = _HEIGHT - _BOTTOM
    return Markup(
        '<svg class="chart" viewBox="0 0 {w} {h}" role="img" aria-label="{title}">'
        '<text class="axis" x="{left}" y="{head}" text-anchor="end">{top}</text>'
        '<text class="axis" x="{left}" y="{base}" text-anchor="end">0</text>'
        "{bodies}"
        '<line class="base" x1="{x1}" x2="{x2}" y1="{base}" y2="{base}"/>'
        '<text class="axis" x="{x1}" y="{foot}">{first:,}</text>'
        '<text class="axis" x="{middle}" y="{foot}" text-anchor="middle">{name}</text>'
        '<text class="axis" x="{x2}" y="{foot}" text-anchor="end">{last:,}</text></svg>'
    ).format(
        w=_WIDTH,
        h=_HEIGHT,
        title=title,
        left=_LEFT - 6,
        head=_TOP + 4,
        base=base,
        bodies=bodies,
        x1=_LEFT,
        x2=_WIDTH - _RIGHT,
        middle=(_LEFT + _WIDTH - _RIGHT) / 2,
        foot=_HEIGHT - _BOTTOM + 16,
        top=_short(top),
        first=first,
        last=last,
        name=name,
    )
