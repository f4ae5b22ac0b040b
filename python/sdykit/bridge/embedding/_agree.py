"""Agreement of the processes that share a mesh."""

from __future__ import annotations

import functools
import operator

import numpy as np
from jax.experimental import multihost_utils

_HALF = 32


def agree_over_processes(bits: int) -> int:
    """Give the bitwise or of what all processes pass; each calls this equally often."""
    # JAX has no 64 bits unless it is told to.
    halves = np.array([bits & (2**_HALF - 1), bits >> _HALF], np.uint32)
    everyone = np.asarray(multihost_utils.process_allgather(halves)).reshape(-1, 2)
    low, high = (functools.reduce(operator.or_, map(int, each)) for each in everyone.T)
    return low | high << _HALF
