"""Whether time grows with the size of the input, and no faster."""

from __future__ import annotations

import time
from collections.abc import Callable

ATTEMPTS = 4
"""What is linear may look otherwise on a busy machine; what is quadratic never looks linear."""


def is_linear(call: Callable[[int], object], size: int) -> bool:
    """Compare the time of a size and its eightfold; quadratic would be 64 times as long."""
    call(max(1, size // 8))  # The first call has more to do.
    return any(_times(call, 8 * size) < 24 * _times(call, size) + 0.1 for _ in range(ATTEMPTS))


def _times(call: Callable[[int], object], size: int) -> float:
    """Give the processor time of a call in seconds, whatever else the machine does."""
    started = time.process_time()
    call(size)
    return time.process_time() - started
