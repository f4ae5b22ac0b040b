"""Charts in HTML, coloured by the style sheet around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True)
class Bar:
    """A horizontal bar: parts as pairs of style class and length, and a text at its end."""

    label: str
    """May be cut where there is no room."""
    parts: tuple[tuple[str, int], ...]
    text: str
    name: str
    """The whole of the label, shown on hover."""


def bar_chart(bars: Sequence[Bar], title: str) -> Markup:
    """Draw stacked horizontal bars to one scale that starts at zero, as wide as there is room."""
    longest = max((sum(length for _, length in bar.parts) for bar in bars), default=0)
    rows = Markup("").join(_bar(bar, max(longest, 1)) for bar in bars)
    return Markup('<div class="chart" role="img" aria-label="{}">{}</div>').format(title, rows)


def _bar(bar: Bar, longest: int) -> Markup:
    parts = Markup("").join(
        Markup('<i class="{}" style="--part:{:.4f}" title="{}: {}"></i>').format(
            style, length / longest, style, length
        )
        for style, length in bar.parts
        if length
    )
    return Markup(
        '<span class="label" title="{}">{}</span>'
        '<span class="bar">{}<span class="value">{}</span></span>'
    ).format(bar.name, bar.label, parts, bar.text)
