"""Elements as bits: put together of narrower ones, and taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.mosaic.reference.memory import Array
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of


def unsigned(array: Array, bits: int) -> Array:
    """Return the bits of each element, as uint64."""
    raw = array.view(f"u{array.itemsize}").astype(np.uint64)
    return raw & np.uint64((1 << bits) - 1)


def joined(parts: Array, element: str) -> Array:
    """Return elements that are put together of parts, along the last dimension."""
    width = bits_of(element) // parts.shape[-1]
    raw = unsigned(parts, width)
    wide = np.zeros(parts.shape[:-1], np.uint64)
    for j in range(parts.shape[-1]):
        wide |= raw[..., j] << np.uint64(j * width)
    dtype = dtype_of(element)
    return wide.astype(f"u{dtype.itemsize}").view(dtype)


def split(values: Array, narrow: npt.DTypeLike, element: str) -> Array:
    """Return the parts of elements, along a new last dimension."""
    narrow = np.dtype(narrow)
    count = _parts_of(element, narrow)
    width = bits_of(element) // count
    raw = unsigned(np.ascontiguousarray(values), bits_of(element))
    shifts = np.arange(count, dtype=np.uint64) * np.uint64(width)
    parts = (raw[..., None] >> shifts) & np.uint64((1 << width) - 1)
    return parts.astype(f"u{narrow.itemsize}").view(narrow)


def _parts_of(element: str, narrow: np.dtype[Any]) -> int:
    bits = {"int4": 4, "int2": 2, "uint4": 4}.get(narrow.name, 8 * narrow.itemsize)
    return bits_of(element) // bits
