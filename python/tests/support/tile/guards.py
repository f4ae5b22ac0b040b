"""Arrays with guards around them, which show writes out of bounds."""

from __future__ import annotations

import numpy as np

GUARD = 4096
"""The number of bytes before and after each array, which must not change."""


def guarded(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a copy of an array in the middle of larger memory, after that memory."""
    memory = np.full(array.nbytes + 2 * GUARD, 171, np.uint8)
    inside = memory[GUARD : GUARD + array.nbytes].view(array.dtype).reshape(array.shape)
    inside[...] = array
    return memory, inside
