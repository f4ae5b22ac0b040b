"""Arithmetic in float32: what is rounded, and how often.

`+ - * /` and `sqrt` are numpy's on float32, which IEEE 754 rounds once each. `power` and the
selections are here, because libraries differ in them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ROW_LANES = 8
"""The number of partial sums of a row: the float32 elements in 32 bytes, on all chips."""

Float32s = npt.NDArray[np.float32] | np.float32
"""An array of float32, or one number of that type."""


def power(base: npt.ArrayLike, exponent: npt.ArrayLike) -> Float32s:
    """Return `base ** exponent`, computed in float64 and rounded to float32 once.

    `powf` of C libraries and of vector units disagree in the last bit. float64 has 29 more
    bits than the result needs, so that this is the correctly rounded power (except for a value
    within 2^-29 of half an ulp), on every machine. It follows that `power(x, 0.5)` has the bits
    of `sqrt(x)` and `power(x, 2)` those of `x * x`, for finite `x >= +0`. Special values are
    those of IEEE 754's `pow`: `power(-0, 0.5)` is `+0` and `power(-inf, 0.5)` is `+inf`, unlike
    square roots.

    Args:
        base: float32 numbers.
        exponent: float32 numbers; broadcast against `base`.
    """
    wide, exponents = np.asarray(base, np.float64), np.asarray(exponent, np.float64)
    # numpy computes a square root where a scalar exponent is 0.5: it must not see -0 or -inf.
    rooted = np.where(np.isneginf(wide), np.inf, wide) + 0.0
    wide = np.where(exponents == 0.5, rooted, wide)
    with np.errstate(all="ignore"):
        return np.power(wide, exponents).astype(np.float32)


def row_sum(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the sums of rows, added in the order of the chip.

    Columns are added 8 at a time: the first 8 to eight zeros, the next 8 to these sums, and so on;
    the last 8 are padded with +0. Then the last four of the eight sums are added to the first
    four, the last two of these to the first two, and the last one to the first.

    Args:
        x: float32 `[rows, dim]`.

    Returns:
        float32 `[rows, 1]`.
    """
    rows, dim = x.shape
    total = np.zeros((rows, ROW_LANES), np.float32)
    for start in range(0, dim, ROW_LANES):
        block = x[:, start : start + ROW_LANES]
        total = total + np.pad(block, ((0, 0), (0, ROW_LANES - block.shape[1])))
    while total.shape[1] > 1:
        half = total.shape[1] // 2
        total = total[:, :half] + total[:, half:]
    return total


def at_least(x: npt.ArrayLike, low: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return `low` where `x < low`, else `x`; NaN and the sign of a zero are kept."""
    return np.where(np.less(x, low), low, x).astype(np.float32, copy=False)


def at_most(x: npt.ArrayLike, high: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return `high` where `x > high`, else `x`; NaN and the sign of a zero are kept."""
    return np.where(np.greater(x, high), high, x).astype(np.float32, copy=False)


def sign(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return 1 or -1 with the sign of `x`; zeros and NaN are kept."""
    return np.where(x == 0, x, np.sign(x)).astype(np.float32, copy=False)
