"""What is published on the speed of SparseCores, beside what the model says.

    print(table())

Three constants of the model follow from published points: the latency of a DMA, how many of them a
tile has in flight, and the rate of a stream. Each has a range that is assumed, wide, and even on a
logarithmic scale. A point makes those values more likely that agree with it; `fit` weighs all of
them on a grid. The prediction for a point is made without it: from the other points and the assumed
ranges alone. Its error bar holds 90% of the weight.

`points` has what is published. Some of it says too little to follow from it, and is checked only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost.points import CHECKS, POINTS, Point
from sdykit.sparsecore.cost.work import Floats

PRIORS: Final[Mapping[str, tuple[float, float]]] = {
    "latency": (2e-8, 2e-6),
    "in_flight": (1.0, 64.0),
    "stream_bytes_per_second": (2e9, 6.4e10),
}
"""The assumed range of each constant: the latency of a DMA in seconds, the DMAs that a tile has in
flight, and the bytes that a stream moves in a second."""
_GRID: Final = 48
_MODEL_ERROR: Final = log(1.3)
"""The error of the model itself that is assumed, on a logarithmic scale: a factor of 1.3."""
_BAR: Final = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class Fit:
    """Values of the constants and their weights.

    Attributes:
        constants: the values of each constant, by name, all of shape `[values]`.
        weights: the weight of each; their sum is 1.
    """

    constants: Mapping[str, Floats]
    weights: Floats = field(repr=False)

    def range_of(self, values: npt.ArrayLike) -> tuple[float, float, float]:
        """Return what 5%, 50% and 95% of the weight are below.

        Args:
            values: a value for each of the constants' values, `[values]`.
        """
        flat = np.broadcast_to(values, self.weights.shape)
        order = np.argsort(flat)
        places = np.searchsorted(np.cumsum(self.weights[order]), _BAR)
        low, middle, high = flat[order][np.minimum(places, len(flat) - 1)].tolist()
        return low, middle, high


def fit(points: Sequence[Point]) -> Fit:
    """Return the constants that agree with points, weighed."""
    axes = [np.geomspace(low, high, _GRID) for low, high in PRIORS.values()]
    grids = (each.ravel() for each in np.meshgrid(*axes, indexing="ij"))
    constants: dict[str, Floats] = dict(zip(PRIORS, grids, strict=True))
    errors = sum(
        (np.log(each.predicted(constants) / each.seconds) / _MODEL_ERROR) ** 2 for each in points
    )
    weights = np.exp(-errors / 2) * np.ones(_GRID ** len(PRIORS))
    return Fit(constants, weights / weights.sum())


def fitted_numbers() -> dict[str, tuple[float, float, float]]:
    """Return the numbers of the model that follow from all points: low, expected and high."""
    found = fit(POINTS)
    latency, in_flight, rate = found.constants.values()
    return {
        "dma_seconds": found.range_of(latency / in_flight),
        "dma_latency_seconds": found.range_of(latency),
        "tile_bytes_per_second": found.range_of(rate * in_flight),
    }


@dataclass(frozen=True)
class Comparison:
    """A published point beside the prediction that is made without it.

    Attributes:
        point: the point.
        low: the low end of the error bar, in seconds.
        predicted: the prediction.
        high: the high end.
    """

    point: Point
    low: float
    predicted: float
    high: float

    @property
    def factor(self) -> float:
        """The prediction over what is published."""
        return self.predicted / self.point.seconds


def compare(points: Sequence[Point] = POINTS) -> list[Comparison]:
    """Return each point beside the prediction from all others."""
    found = []
    for each in points:
        others = fit([other for other in points if other is not each])
        found.append(Comparison(each, *others.range_of(each.predicted(others.constants))))
    return found


def table() -> str:
    """Return all comparisons as tables in Markdown."""
    lines = [
        "| Published | Chip | Time | Predicted without it | Error | Bandwidth alone | Source; assumed |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in compare():
        point = each.point
        lines.append(
            f"| {point.name} | {point.chip} | {_ms(point.seconds)} ms | {_ms(each.predicted)} ms "
            f"({_ms(each.low)} to {_ms(each.high)}) | {each.factor - 1:+.0%} "
            f"| {_ms(point.bandwidth_seconds)} ms, {point.seconds / point.bandwidth_seconds:.1f} times "
            f"too fast | {point.source}; {point.assumed} |"
        )
    lines += [
        "",
        "| Checked only | Published | Model | Why no number follows |",
        "|---|---|---|---|",
    ]
    numbers = fitted_numbers()
    for check in CHECKS:
        low, high = check.range_of(numbers)
        lines.append(
            f"| {check.name} | {check.published} {check.unit} "
            f"| {low:.3g} to {high:.3g} {check.unit} | {check.reason} |"
        )
    return "\n".join(lines)


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g}"
