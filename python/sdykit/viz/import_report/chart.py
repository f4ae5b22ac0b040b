"""Bar charts in HTML, coloured by the style sheet of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True)
class Bar:
    """A horizontal bar."""

    label: str
    """The label, cut by the browser if there is no room."""
    parts: tuple[tuple[str, int], ...]
    """The style class and the length of each part."""
    text: str
    """The text at the end of the bar."""
    name: str
    """The full label, shown on hover."""


def bar_chart(bars: Sequence[Bar], title: str) -> Markup:
    """Return stacked horizontal bars on one scale from zero, as wide as the page allows."""
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
