"""Rounding to any float type, by looking through all its numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

FLOATS: dict[str, type[Any]] = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}


@cache
def _numbers(element: str) -> list[float]:
    """Return all finite numbers of a narrow type that are not negative, in the order of their bits."""
    size = np.dtype(FLOATS[element]).itemsize
    half = np.arange(1 << (8 * size - 1)).astype(f"u{size}").view(FLOATS[element])
    return [number for number in half.astype(np.float64).tolist() if math.isfinite(number)]


@cache
def _overflow(element: str) -> float:
    infinite = np.array(np.inf).astype(FLOATS[element])
    return math.inf if np.isinf(infinite) else math.nan


def nearest(number: Fraction | float, element: str) -> float:
    """Return the number of a float type that is nearest; of two, the one whose last bit is 0."""
    if element == "f64":
        return float(number)
    if element == "f32":
        assert isinstance(number, float)
        with np.errstate(over="ignore"):
            return float(np.float32(number))
    if isinstance(number, float) and not math.isfinite(number):
        return number if math.isnan(number) else math.copysign(_overflow(element), number)
    sign = math.copysign(1.0, number)
    return math.copysign(_nearest_size(abs(Fraction(number)), element), sign)


def _nearest_size(size: Fraction, element: str) -> float:
    numbers = _numbers(element)
    at = bisect_left(numbers, size)
    if at < len(numbers) and numbers[at] == size:
        return numbers[at]
    low = Fraction(numbers[at - 1])
    # Above the largest number, as if there were one more.
    high = Fraction(numbers[at]) if at < len(numbers) else 2 * low - Fraction(numbers[-2])
    up = high - size < size - low or (high - size == size - low and (at - 1) % 2 == 1)
    if not up:
        return numbers[at - 1]
    return numbers[at] if at < len(numbers) else _overflow(element)
