"""Charts as inline SVG, coloured by the style sheet around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_WIDTH, _LABEL, _VALUE, _ROW, _BAR = 720, 285, 110, 26, 16


@dataclass(frozen=True)
class Bar:
    """A horizontal bar: parts as pairs of style class and length, and a text at its end."""

    label: str
    parts: tuple[tuple[str, int], ...]
    text: str


def bar_chart(bars: Sequence[Bar], title: str) -> Markup:
    """Draw stacked horizontal bars to one scale that starts at zero."""
    longest = max((sum(length for _, length in bar.parts) for bar in bars), default=0)
    scale = (_WIDTH - _LABEL - _VALUE) / max(longest, 1)
    rows = Markup("").join(_bar(bar, at, scale) for at, bar in enumerate(bars))
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(_WIDTH, len(bars) * _ROW, title, rows)


def _bar(bar: Bar, at: int, scale: float) -> Markup:
    top = at * _ROW + (_ROW - _BAR) / 2
    middle = at * _ROW + _ROW / 2
    label = bar.label if len(bar.label) <= 44 else bar.label[:43] + "…"
    pieces = [
        Markup('<text class="label" x="{}" y="{}"><title>{}</title>{}</text>').format(
            _LABEL - 10, middle, bar.label, label
        )
    ]
    x = float(_LABEL)
    for style, length in bar.parts:
        width = length * scale
        if length:
            pieces.append(
                Markup(
                    '<rect class="{}" x="{:.1f}" y="{}" width="{:.1f}" height="{}">'
                    "<title>{}: {}</title></rect>"
                ).format(style, x, top, max(width, 1), _BAR, style, length)
            )
        x += width
    pieces.append(
        Markup('<text class="value" x="{:.1f}" y="{}">{}</text>').format(
            x + 8, middle, escape(bar.text)
        )
    )
    return Markup("").join(pieces)
