"""The axes of charts: ticks, and numbers as text with their units."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_TICKS: Final = 5
"""The number of steps between ticks that an axis has at most."""
_SCALES: Final[dict[str, tuple[tuple[float, str], ...]]] = {
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")),
    "B/s": ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1, "B/s")),
    "": ((1e9, "G"), (1e6, "M"), (1, "")),
}
"""What numbers of a unit are shown in, the largest first."""


@dataclass(frozen=True)
class Axis:
    """What the numbers along an axis are.

    Attributes:
        label: what they measure.
        unit: `s`, `B` or `B/s`, which are shown as ms, MiB or GB/s where these fit; or any other, shown
            after each number; "": none.
        log: the base of a logarithmic axis: 2 or 10; 0: the axis is linear, and begins at 0.
    """

    label: str
    unit: str = ""
    log: int = 0

    def text(self, value: float) -> str:
        """Return a number with its unit, such as `1.25 ms`, to three digits; counts in full."""
        if self.unit not in _SCALES:
            return f"{value:,.3g} {self.unit}"
        scales = _SCALES[self.unit]
        factor, name = next((each for each in scales if abs(value) >= each[0]), scales[-1])
        if not value:
            return "0"
        if not self.unit and not name:
            return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"
        separator = " " if self.unit else ""
        return f"{_digits(value / factor)}{separator}{name}"


def _digits(value: float) -> str:
    """Return a number to three digits, without an exponent."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:g}"


@dataclass(frozen=True)
class Scale:
    """An axis of a chart, from its first tick or number to its last.

    Attributes:
        axis: what the numbers are.
        low: the number at its start.
        high: the number at its end.
        ticks: the numbers that have a tick, ascending.
    """

    axis: Axis
    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return the place of a number, from 0 at the start to 1 at the end."""
        if not self.axis.log:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low)


def scale_of(axis: Axis, values: Iterable[float]) -> Scale:
    """Return a scale that numbers fit on.

    Raises:
        ValueError: an axis is logarithmic, and a number is not above 0; or linear, and one is below.
    """
    found = [each for each in values if math.isfinite(each)]
    if axis.log and min(found, default=1) <= 0:
        raise ValueError(f"{axis.label}: {min(found)} on a logarithmic axis; expected more than 0")
    if min(found, default=0) < 0:
        raise ValueError(f"{axis.label}: {min(found)} on a linear axis; expected 0 or more")
    if axis.log:
        return _logarithmic(axis, min(found, default=1), max(found, default=1))
    step = _step(max(found, default=0) or 1, axis.unit)
    steps = math.ceil((max(found, default=0) or 1) / step * (1 - 1e-9))
    ticks = tuple(step * at for at in range(steps + 1))
    return Scale(axis, 0, ticks[-1], ticks)


def _step(high: float, unit: str) -> float:
    """Return a distance between ticks: 1, 2 or 5 times a power of ten, or for bytes a power of 2."""
    least = high / _TICKS
    if unit == "B":
        return 2.0 ** math.ceil(math.log2(least))
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= least * (1 - 1e-9))


def _logarithmic(axis: Axis, low: float, high: float) -> Scale:
    """Return a scale of powers, of which every few have a tick; from and to a power."""
    base = axis.log
    first = math.floor(math.log(low, base) + 1e-9)
    last = max(math.ceil(math.log(high, base) - 1e-9), first + 1)
    factors = (1, 2, 5) if base == 10 and last - first <= 2 else (1,)
    every = -(-(last - first) // 6)
    ticks = [
        factor * float(base) ** power
        for power in range(first, last + 1)
        for factor in factors
        if (power - first) % every == 0
    ]
    start = max((each for each in ticks if each <= low * (1 + 1e-9)), default=ticks[0])
    end = float(base) ** last
    if len(factors) > 1:
        end = min(each for each in ticks if each >= max(high, start * 2) * (1 - 1e-9))
    kept = tuple(each for each in ticks if start <= each <= end)
    return Scale(axis, start, end, kept)
