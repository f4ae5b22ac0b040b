"""The key of a chart: the names of its colours."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup


def keys(named: Iterable[tuple[str, str]]) -> Markup:
    """Return a line with the name and the colour of each series.

    Args:
        named: names and style classes.
    """
    pieces = Markup(" ").join(
        Markup('<span class="{}">{}</span>').format(style, name) for name, style in named
    )
    return Markup('<p class="keys">{}</p>').format(pieces)
