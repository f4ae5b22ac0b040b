"""What memory holds that was never written."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

POISON_BYTE = 0x7F
"""Each byte of an integer that was never written: large, and not 0."""


def poison(array: npt.NDArray[Any]) -> None:
    """Fill memory as if it was never written: floats are NaN, integers 0x7f in each byte."""
    try:
        array[...] = np.full((), np.nan, array.dtype)
    except (ValueError, TypeError):
        array[...] = np.full(array.dtype.itemsize, POISON_BYTE, np.uint8).view(array.dtype)[0]
