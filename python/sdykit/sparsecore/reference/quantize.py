"""Simulated quantization, and int8 tables for inference: one formula.

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
"""Buckets that an int8 can tell apart."""
INT8_OFFSET = 128
"""Bucket 0 is stored as -128."""


def buckets(values: Floats, quantization: Quantization) -> Floats:
    """Give the bucket of each value, `round_half_even((clip(x) - low) / step)`.

    A whole number in float32, since a NaN has no bucket and stays NaN.

    Raises:
        SparseCoreError: the values are no float32.
    """
    checks.check_float32("values", values)
    low, high = np.float32(quantization.low), np.float32(quantization.high)
    return np.rint((at_most(at_least(values, low), high) - low) / quantization.step)


def simulate(values: Floats, quantization: Quantization) -> Floats:
    """Quantize and dequantize: `low + step * bucket`.

    Raises:
        SparseCoreError: the values are no float32.
    """
    return _value(buckets(values, quantization), quantization)


def to_int8(table: Floats, quantization: Quantization) -> npt.NDArray[np.int8]:
    """Quantize a trained table: each value becomes its bucket's number, less 128.

    A lookup with the same quantization then gives the bits that simulated quantization gave.

    Raises:
        SparseCoreError: more buckets than an int8 has, or a value that has none.
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
    """Give the values of an int8 table.

    Raises:
        SparseCoreError: the table is no int8.
    """
    array = np.asarray(table)
    if array.dtype != np.int8:
        raise SparseCoreError(f"table: it is {checks.describe(array)}; expected int8")
    return _value(array.astype(np.float32) + INT8_OFFSET, quantization)


def _value(bucket: Floats, quantization: Quantization) -> Floats:
    return np.float32(quantization.low) + quantization.step * bucket
