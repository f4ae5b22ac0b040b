"""Quantization after training: float32 tables as int8 tables, to be looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference.quantize import to_int8

Floats = npt.NDArray[np.float32]

_BLOCK: Final = 2**20
"""The number of elements that are converted at once: temporary arrays stay small."""


def int8_tables(
    tables: Mapping[str, npt.ArrayLike], quantization: Quantization | None = None
) -> tuple[dict[str, npt.NDArray[np.int8]], Quantization]:
    """Return tables as int8, and the quantization to look them up with.

    Each element becomes the number of its bucket, minus 128. All tables have one range, as the tables of
    a stack share a program, which contains it. A lookup with the quantization reads
    `low + step * (element + 128)`, which is at most `step / 2` (and its rounding) from an element
    within the range.

    Args:
        tables: the trained tables by name, float32 `[rows, width]`.
        quantization: the range and the number of buckets, at most 256; elements outside of the range
            are clipped to it. None: 256 buckets from the smallest to the largest element.

    Raises:
        SparseCoreError: there are no tables, or one is not float32 `[rows, width]` or holds NaN or an
            infinity; or there are more than 256 buckets.
    """
    if not tables:
        raise SparseCoreError("int8_tables: there are no tables; expected at least one")
    arrays = {name: _checked(name, table) for name, table in tables.items()}
    if quantization is None:
        quantization = _range_of(list(arrays.values()))
    elif not isinstance(quantization, Quantization):
        raise SparseCoreError(
            f"int8_tables: quantization is {shown(quantization)}; expected a Quantization or None"
        )
    return {name: _converted(array, quantization) for name, array in arrays.items()}, quantization


def _checked(name: str, table: npt.ArrayLike) -> Floats:
    """Return a table as an array.

    Raises:
        SparseCoreError: its dtype or rank is another, it is empty, or an element is not finite.
    """
    array = np.asarray(table)
    where = f"int8_tables: table {name!r}"
    if array.dtype != np.float32 or array.ndim != 2 or not array.size:
        raise SparseCoreError(
            f"{where} is {array.dtype}{list(array.shape)}; expected float32 [rows, width] with at least "
            "one row and column"
        )
    # Of both, NaN is the smallest and the largest.
    if np.isfinite(array.min()) and np.isfinite(array.max()):
        return array
    row, column = np.argwhere(~np.isfinite(array))[0].tolist()
    raise SparseCoreError(
        f"{where}: row {row} holds {array[row, column]} in column {column}; expected finite numbers"
    )


def _range_of(arrays: list[Floats]) -> Quantization:
    """Return 256 buckets from the smallest to the largest element of arrays."""
    low = min(float(each.min()) for each in arrays)
    high = max(float(each.max()) for each in arrays)
    if low == high:  # A range has two ends; 0 is the other one.
        low, high = (min(low, 0.0), max(high, 0.0)) if low else (0.0, 1.0)
    return Quantization(low, high)


def _converted(array: Floats, quantization: Quantization) -> npt.NDArray[np.int8]:
    """Return the elements as int8, block after block of rows."""
    result = np.empty(array.shape, np.int8)
    rows = max(1, _BLOCK // array.shape[1])
    for first in range(0, len(array), rows):
        block = slice(first, first + rows)
        result[block] = to_int8(array[block], quantization)
    return result
