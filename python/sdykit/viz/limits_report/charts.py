"""Charts of counted ids, coloured by the style sheet of the page."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from sdykit.viz.charts import Axis, Columns, columns
from sdykit.viz.charts.keys import keys

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
    heights = heights.reshape(bars, width).sum(axis=1).tolist()
    titles = [
        f"{_numbers(at * width, (at + 1) * width - 1)} {what}: {height:,} lists"
        for at, height in enumerate(heights)
    ]
    return columns(
        [Columns(style, heights, titles)],
        (Axis(what), 0, bars * width - 1),
        Axis(f"lists by {what}"),
        across=(f"{limit_name} {limit_value:,}", (limit_value + 0.5) / (bars * width)),
    )


def by_partition(max_ids: Integers, max_unique_ids: Integers, limit: int) -> Markup:
    """Return bars for the longest list of each partition: its ids, and over them its unique ids."""
    series = [
        Columns(
            style,
            found.tolist(),
            [f"partition {at}: {number:,} {what}" for at, number in enumerate(found.tolist())],
        )
        for style, what, found in (
            ("bar", "ids", max_ids),
            ("unique", "unique ids", max_unique_ids),
        )
    ]
    return columns(
        series,
        (Axis("partition"), 0, max_ids.size - 1),
        Axis("ids of the longest list"),
        up=limit,
    )


def chart_keys() -> Markup:
    """Return the key of both charts."""
    limit = "limit, or the ids that a table of a stack needs"
    return keys([("ids", "bar"), ("unique ids", "unique"), (limit, "line")])


def _numbers(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"
