"""Combiners: `mean` and `sqrtn` are folded into the gains of the entries."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import checks
from sdykit.sparsecore.specs import Combiner

Vector = npt.NDArray[np.float32]


def fold_gains(combiner: Combiner, row_ids: npt.ArrayLike, weights: npt.ArrayLike) -> Vector:
    """Return the gain of each entry, `[n]` float32.

    `sum`: the weight `w`. `mean`: `w / sum(w)` over the sample, duplicates of an id included;
    the sum is sequential, in the order of the list. `sqrtn`: `w / sqrt(sum(w * w))`, in which
    each square is added by a fused multiply-add, rounded once (as in jax-tpu-embedding's
    preprocessing). It is the only fused operation.

    Args:
        combiner: `sum`, `mean` or `sqrtn`.
        row_ids: the sample of each entry, `[n]` integers.
        weights: `[n]` float32.

    Raises:
        SparseCoreError: the combiner is unknown, lengths or types are wrong, or the weights of a
            sample sum to 0.
    """
    if combiner not in get_args(Combiner):
        raise SparseCoreError(
            f"combiner: it is {combiner!r}; expected one of {', '.join(get_args(Combiner))}"
        )
    rows = checks.checked_vector("row_ids", row_ids, integers=True)
    factors = checks.checked_vector("weights", weights, integers=False)
    checks.check_same_length(row_ids=rows, weights=factors)
    if combiner == "sum":
        return factors
    totals: dict[int, np.float32] = {}
    for row, weight in zip(rows.tolist(), factors, strict=True):
        total = totals.get(row, np.float32(0))
        totals[row] = total + weight if combiner == "mean" else add_square(total, weight)
    for row, total in totals.items():
        if total == 0:
            what = "weights" if combiner == "mean" else "squared weights"
            raise SparseCoreError(
                f"weights: the {what} of sample {row} sum to 0; expected another sum, as "
                f"{combiner} divides by it"
            )
    if combiner == "sqrtn":
        totals = {row: np.sqrt(total) for row, total in totals.items()}
    divisors = np.array([totals[row] for row in rows.tolist()], np.float32)
    return np.divide(factors, divisors, dtype=np.float32)


def add_square(total: np.float32, x: np.float32) -> np.float32:
    """Return `total + x * x`, rounded once.

    The square is exact in float64. The sum is rounded to odd there: if it is inexact, its last
    bit is set to 1, so that the second rounding, to float32, does not take it for a tie.
    """
    a, square = float(total), float(x) * float(x)
    rounded = a + square
    if not math.isfinite(rounded):
        return np.float32(rounded)
    # Knuth's two-sum: the error of the addition.
    part = rounded - a
    lost = (a - (rounded - part)) + (square - part)
    last_bit = int(np.float64(rounded).view(np.uint64)) & 1
    if lost and not last_bit:
        rounded = math.nextafter(rounded, math.copysign(math.inf, lost))
    with np.errstate(over="ignore"):
        return np.float32(rounded)
