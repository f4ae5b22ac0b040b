"""A check that time is linear in the size of the input."""

from __future__ import annotations

import time
from collections.abc import Callable

ATTEMPTS = 4
"""Linear time may look otherwise on a busy machine; quadratic time never looks linear."""


def is_linear(call: Callable[[int], object], size: int) -> bool:
    """Whether eight times the size takes less than 24 times as long; quadratic time takes 64."""
    call(max(1, size // 8))  # To warm up.
    return any(_times(call, 8 * size) < 24 * _times(call, size) + 0.1 for _ in range(ATTEMPTS))


def _times(call: Callable[[int], object], size: int) -> float:
    """Return the processor time of a call in seconds, which other processes hardly change."""
    started = time.process_time()
    call(size)
    return time.process_time() - started
