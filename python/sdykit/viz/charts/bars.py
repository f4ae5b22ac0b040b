"""Charts of stacked horizontal bars, in HTML, whose labels keep their size on narrow pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sdykit.viz.charts.axis import Axis, Scale, scale_of
from sdykit.viz.charts.keys import keys


@dataclass(frozen=True)
class Part:
    """A part of a bar.

    Attributes:
        name: its name, for the key and on hover.
        length: its length, in the unit of the axis.
        style: its style class; "": a colour of its own, the same in all bars.
        title: more text, shown on hover; "": none.
    """

    name: str
    length: float
    style: str = ""
    title: str = ""


@dataclass(frozen=True)
class Bar:
    """A horizontal bar.

    Attributes:
        label: the label before it, cut by the browser if there is no room.
        parts: its parts, from left to right.
        text: the text after it.
        name: the full label, shown on hover; "": the label.
        range: the ends of its error bar, in the unit of the axis; None: it has none.
    """

    label: str
    parts: tuple[Part, ...]
    text: str
    name: str = ""
    range: tuple[float, float] | None = None


def bars(shown: Sequence[Bar], axis: Axis, title: str) -> Markup:
    """Return stacked horizontal bars, as wide as the page allows, with a key if there are several parts.

    Args:
        shown: the bars, from top to bottom.
        axis: what their lengths are; it is linear.
        title: what the chart shows, for those who do not see it.

    Raises:
        ValueError: a length is below 0, or the axis is logarithmic.
    """
    if axis.log:
        raise ValueError(f"{axis.label}: bars on a logarithmic axis; expected a linear one")
    styles: dict[str, str] = {}
    for part in (part for bar in shown for part in bar.parts):
        styles.setdefault(part.name, part.style or f"s{len(styles) % 10}")
    ends = [sum(part.length for part in bar.parts) for bar in shown]
    ends += [bar.range[1] for bar in shown if bar.range]
    lengths = [part.length for bar in shown for part in bar.parts]
    scale = scale_of(axis, [*ends, *lengths])
    rows = Markup("").join(_bar(bar, scale, styles) for bar in shown)
    chart = Markup('<div class="chart bars" role="img" aria-label="{}">{}{}</div>').format(
        title, rows, _ticks(scale)
    )
    return chart + keys(styles.items()) if len(styles) > 1 else chart


def _bar(bar: Bar, scale: Scale, styles: dict[str, str]) -> Markup:
    parts = Markup("").join(
        Markup('<i class="{}" style="--part:{:.4f}" title="{}"></i>').format(
            styles[part.name], scale.at(part.length), _title(bar, part, scale.axis)
        )
        for part in bar.parts
        if part.length
    )
    whisker = Markup("")
    if bar.range:
        low, high = bar.range
        whisker = Markup(
            '<i class="whisker" style="--from:{:.4f};--part:{:.4f}" title="{}"></i>'
        ).format(
            scale.at(low),
            scale.at(high) - scale.at(low),
            f"{bar.label}: {scale.axis.text(low)} to {scale.axis.text(high)}",
        )
    return Markup(
        '<span class="label" title="{}">{}</span>'
        '<span class="bar">{}{}<span class="value">{}</span></span>'
    ).format(bar.name or bar.label, bar.label, parts, whisker, bar.text)


def _title(bar: Bar, part: Part, axis: Axis) -> str:
    text = f"{bar.label}: {part.name} {axis.text(part.length)}"
    return f"{text}; {part.title}" if part.title else text


def _ticks(scale: Scale) -> Markup:
    ticks = Markup("").join(
        Markup('<span style="--from:{:.4f}">{}</span>').format(
            scale.at(tick), scale.axis.text(tick)
        )
        for tick in scale.ticks
    )
    return Markup('<span class="caption">{}</span><span class="ticks">{}</span>').format(
        scale.axis.label, ticks
    )
