"""Quantization of a table's rows: the range, and the number of values in it."""

from __future__ import annotations

import dataclasses
from numbers import Integral, Real

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError

MAX_BUCKETS = 2**24
"""float32 holds every integer up to here, so that bucket numbers stay exact."""


@dataclasses.dataclass(frozen=True)
class Quantization:
    """`num_buckets` values, evenly spaced from `low` to `high`, ends included.

    On lookup `x` becomes `low + step * round_half_even((clip(x) - low) / step)` with
    `step = (high - low) / (num_buckets - 1)`; every operation is rounded to float32. The stored
    table stays as it is, and the gradient passes straight through.

    Raises:
        SparseCoreError: fewer than two buckets, or bounds that are not an interval of float32.
    """

    low: float
    """`quantization_config_low`: smaller values are clipped to it."""
    high: float
    """`quantization_config_high`: larger values are clipped to it."""
    num_buckets: int = 256
    """`quantization_config_num_buckets`; 256 is 8 bits."""

    def __post_init__(self) -> None:
        buckets = self.num_buckets
        is_integer = isinstance(buckets, Integral) and not isinstance(buckets, bool)
        if not is_integer or not 2 <= buckets <= MAX_BUCKETS:
            raise SparseCoreError(
                f"quantization: num_buckets is {buckets!r}; "
                f"expected an integer from 2 to {MAX_BUCKETS}"
            )
        low, high = _bound("low", self.low), _bound("high", self.high)
        if not low < high:
            raise SparseCoreError(
                f"quantization: low is {self.low!r} and high is {self.high!r}; "
                "expected low < high (as float32)"
            )
        with np.errstate(over="ignore", under="ignore"):
            step = self.step
        if not np.isfinite(step) or step == 0:
            raise SparseCoreError(
                f"quantization: {buckets} buckets from {self.low!r} to {self.high!r} "
                f"are {step} apart; expected a distance that float32 holds"
            )

    @property
    def step(self) -> np.float32:
        """The distance between neighbouring values."""
        return (np.float32(self.high) - np.float32(self.low)) / np.float32(self.num_buckets - 1)


def _bound(name: str, value: object) -> np.float32:
    """Return a bound rounded to float32.

    Raises:
        SparseCoreError: it is not a finite number.
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        with np.errstate(over="ignore"):
            rounded = np.float32(value)
        if np.isfinite(rounded):
            return rounded
    raise SparseCoreError(f"quantization: {name} is {value!r}; expected a finite float32")
