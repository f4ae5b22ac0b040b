"""The maximum of many counts whose means are known."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sdykit.sparsecore.whatif.frequencies import Floats

LEVELS: Final = (0.5, 0.03, 0.97)
"""The probabilities that the maximum is at most the expected value, the lower and the upper end."""
_DIGITS: Final = 3
"""The digits to which means are told apart."""

_SMALL: Final = 5.0
"""Up to this mean, the probabilities of a Poisson variable are added up."""
_TERMS: Final = 60
"""The number of them: what is left is less than 1e-30."""


def maxima(
    means: Floats, variances: Floats, errors: tuple[Floats, Floats], copies: int
) -> tuple[int, int, int]:
    """Return the maximum of independent counts: what is expected, and the ends of a range.

    A count is taken to be a multiple of a Poisson variable; if its mean is not small, with the
    distribution of Wilson and Hilferty (1931).

    Args:
        means: the means of the counts.
        variances: their variances.
        errors: how much lower, and how much higher, the means may be.
        copies: how many counts there are of each mean.
    """
    dispersion = np.maximum(variances / np.maximum(means, 1e-300), 0.01)
    lower, upper = errors
    shifts = (np.zeros_like(means), -lower, upper)
    value, low, high = (
        _quantile(np.maximum(means + shift, 0), dispersion, copies, level)
        for level, shift in zip(LEVELS, shifts, strict=True)
    )
    return value, low, high


def _quantile(means: Floats, dispersion: Floats, copies: int, level: float) -> int:
    """Return the least number that is at least the maximum, with a probability."""
    pairs = np.stack([means, dispersion])[:, means > 0]
    if not pairs.size:
        return 0
    scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(pairs)))
    groups, sizes = np.unique(np.round(pairs * scale) / scale, axis=1, return_counts=True)
    spread = np.sqrt(groups[0] * groups[1])
    low, high = 0, math.ceil(float((10 + 2 * groups[0] + 40 * spread + 40 * groups[1]).max()))
    target = math.log(level)
    while low < high:
        middle = (low + high) // 2
        log = copies * float((sizes * _log_at_most(middle, groups[0], groups[1])).sum())
        low, high = (middle + 1, high) if log < target else (low, middle)
    return low


def _log_at_most(count: int, means: Floats, dispersion: Floats) -> Floats:
    """Return the logarithm of the probability that each count is at most a number."""
    is_small = means / dispersion <= _SMALL
    above = np.empty_like(means)
    above[is_small] = _small_above(count / dispersion[is_small], (means / dispersion)[is_small])
    above[~is_small] = _large_above(count, means[~is_small], dispersion[~is_small])
    return np.log1p(-np.clip(above, 0, 1 - 1e-15))


def _small_above(count: Floats, means: Floats) -> Floats:
    """Return the probabilities that Poisson variables of small means are above counts."""
    term, total = np.exp(-means), np.zeros_like(means)
    for number in range(_TERMS):
        total += np.where(number > count, term, 0)
        term = term * means / (number + 1)
    return total


def _large_above(count: int, means: Floats, dispersion: Floats) -> Floats:
    """Return the same for multiples of Poisson variables of larger means."""
    ends = (count + 0.5) / dispersion + 0.5  # k + 1, in the middle between two counts.
    # P(Poisson(m) <= k) = P(chi^2 with 2 (k + 1) degrees of freedom > 2 m).
    deviation = np.sqrt(1 / (9 * ends))
    z = ((means / dispersion / ends) ** (1 / 3) - (1 - 1 / (9 * ends))) / deviation
    return np.array([0.5 * math.erfc(-each / math.sqrt(2)) for each in z.tolist()])
