"""Comparing arrays of a partitioned program with those of the whole one."""

from __future__ import annotations

import numpy as np


def difference(
    found: np.ndarray, expected: np.ndarray, tolerance: float | None = None
) -> str | None:
    """Return how an array differs from the expected one, or None.

    Floats may differ by `tolerance` times the largest finite value of the expected array, by default
    by the root of their precision; all others are expected to be equal.
    """
    if not expected.size:
        return None
    wrong = _wrong(found, expected, tolerance)
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    at = tuple(int(each) for each in np.argwhere(wrong)[0])
    place = f" at {list(at)}" if at else ""
    more = f"; {count:,} of {expected.size:,} elements differ" if count > 1 else ""
    return f"{found[at]} instead of {expected[at]}{place}{more}"


def agree(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two arrays that are to be equal are, but for rounding."""
    return one.tobytes() == other.tobytes() or not np.any(_wrong(one, other, None))


def _wrong(found: np.ndarray, expected: np.ndarray, tolerance: float | None) -> np.ndarray:
    precision = _precision(expected.dtype)
    if precision is None:
        return np.asarray(found != expected)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    finite = np.abs(expected[np.isfinite(expected)])
    largest = float(finite.max()) if finite.size else 0.0
    allowed = largest * (tolerance if tolerance is not None else precision**0.5)
    with np.errstate(invalid="ignore"):
        near = np.abs(found - expected) <= allowed
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    return np.asarray(~(near | same))


def _precision(dtype: np.dtype) -> float | None:
    """Return the distance from 1 to the next number of a type of floats; None for another type."""
    if dtype.kind in "fc":
        return float(np.finfo(dtype).eps)
    if dtype.kind == "V" or "float" in dtype.name:
        import ml_dtypes

        return float(ml_dtypes.finfo(dtype).eps)
    return None
