"""How much of what only repeats is run: a third in the tests, all of it in `make soak`."""

from __future__ import annotations

import os

_IS_SOAK = os.environ.get("SDYKIT_SOAK") == "1"


def examples(count: int) -> int:
    """Return how many of `count` random examples are tried: all in a soak, else a third, 10 at least."""
    return count if _IS_SOAK else max(count // 3, min(count, 10))
