"""Reading what programs have counted in this process."""

from __future__ import annotations

import json

from sdykit.bridge import _kernel_cache
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.spec import spec_from_json


def counters() -> list[Counters]:
    """Give what programs have counted since `reset_counters`: one entry a program and device.

    Programs count if they were traced behind `configure(counters=True)`. Wait for their results
    first, with `jax.block_until_ready`: what still runs is not in it.
    """
    found = []
    for spec, program, kernel in _kernel_cache.counting():
        found += make_counters(spec_from_json(json.dumps(spec)), program.module, kernel.counts())
    return found


def reset_counters() -> None:
    """Let all programs begin to count anew."""
    for _, _, kernel in _kernel_cache.counting():
        kernel.forget_counts()
