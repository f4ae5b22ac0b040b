"""The counters of kernels, as those of lookups and updates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from sdykit.sparsecore.mosaic.counting import Axes, Counting
from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.tile.counters import Counters, split_by_loops


def counters_of_kernel(
    spec: MosaicSpec, counted: Mapping[int, tuple[int, Sequence[int]]]
) -> list[Counters]:
    """Return the counters of a kernel on each device.

    Args:
        spec: the kernel.
        counted: for each device, the number of runs, and the sums of the counters, subcore by subcore.
    """
    names, nests = _names(spec.module, spec.name)
    result = []
    for device, (runs, sums) in sorted(counted.items()):
        rows = np.array(sums, np.int64).reshape(-1, len(names))
        result.append(Counters(spec, device, runs, names, split_by_loops(rows, nests)))
    return result


@lru_cache(maxsize=256)
def _names(module: str, name: str) -> tuple[tuple[str, ...], tuple[Axes, ...]]:
    counting = Counting(read_kernel(module, name))
    return counting.names, counting.nests
