"""Simulated quantization, and int8 tables for inference, by one formula.

`step`, differences, quotient, product and sum are each rounded to float32.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers.rounding import at_least, at_most
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import checks

Floats = npt.NDArray[np.float32]

INT8_BUCKETS = 256
"""The number of different int8 values."""
INT8_OFFSET = 128
"""The difference of a bucket's number and the int8 that stands for it: bucket 0 is -128."""


def buckets(values: Floats, quantization: Quantization) -> Floats:
    """Return the number of the bucket of each value, `round_half_even((clip(x) - low) / step)`.

    The numbers are float32, so that NaN, which has no bucket, can stay NaN.

    Raises:
        SparseCoreError: the values are not float32.
    """
    checks.check_float32("values", values)
    low, high = np.float32(quantization.low), np.float32(quantization.high)
    return np.rint((at_most(at_least(values, low), high) - low) / quantization.step)


def simulate(values: Floats, quantization: Quantization) -> Floats:
    """Return the values, quantized and dequantized: `low + step * bucket`.

    Raises:
        SparseCoreError: the values are not float32.
    """
    return _value(buckets(values, quantization), quantization)


def to_int8(table: Floats, quantization: Quantization) -> npt.NDArray[np.int8]:
    """Return a trained table quantized to int8: the number of each value's bucket, minus 128.

    Its lookup with the same quantization returns the bits of the lookup with simulated
    quantization.

    Raises:
        SparseCoreError: there are more than 256 buckets, or a value is NaN.
    """
    if quantization.num_buckets > INT8_BUCKETS:
        raise SparseCoreError(
            f"quantization: {quantization.num_buckets} buckets; "
            f"expected at most {INT8_BUCKETS} for int8"
        )
    found = buckets(table, quantization)
    missing = np.argwhere(np.isnan(found))
    if missing.size:
        raise SparseCoreError(
            f"values{missing[0].tolist()}: it is nan, which no bucket holds; expected numbers"
        )
    return (found - INT8_OFFSET).astype(np.int8)


def from_int8(table: npt.NDArray[np.int8], quantization: Quantization) -> Floats:
    """Return the float32 values of an int8 table.

    Raises:
        SparseCoreError: the table is not int8.
    """
    array = np.asarray(table)
    if array.dtype != np.int8:
        raise SparseCoreError(f"table: it is {checks.describe(array)}; expected int8")
    return _value(array.astype(np.float32) + INT8_OFFSET, quantization)


def _value(bucket: Floats, quantization: Quantization) -> Floats:
    return np.float32(quantization.low) + quantization.step * bucket
