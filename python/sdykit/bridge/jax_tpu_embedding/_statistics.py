"""What the preprocessing of jax-tpu-embedding counted in this process, over all its calls."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from sdykit.sparsecore.limits.statistics import RunningStatistics, StackTotals
from sdykit.sparsecore.specs import System

_counted: dict[System, RunningStatistics] = {}
_lock = threading.Lock()  # Batches may be prepared by several threads.


def statistics() -> Mapping[System, RunningStatistics]:
    """Give what the stacks needed so far, and how many of their ids were dropped.

    Statistics are kept for each number of devices and SparseCores. They are those of
    `sdykit.sparsecore`: limits follow from them, and `save_statistics` writes them.
    """
    with _lock:
        return dict(_counted)


def record(counts: Any, local_devices: int, system: System) -> None:
    """Add what one call counted.

    Args:
        counts: the library's `SparseDenseMatmulInputStats`, of this process.
        local_devices: devices of this process.
        system: all devices.
    """
    stacks = {
        name: StackTotals(
            _by_device(ids, local_devices),
            _by_device(counts.max_unique_ids_per_partition[name], local_devices),
            np.array(counts.required_buffer_sizes[name], np.int64),
            int(counts.dropped_id_count[name]),
        )
        for name, ids in counts.max_ids_per_partition.items()
    }
    step = RunningStatistics(system, stacks)
    with _lock:
        before = _counted.get(system)
        _counted[system] = step if before is None else before.merged(step)


def _by_device(counts: Any, devices: int) -> Any:
    return np.array(counts, np.int64).reshape(devices, -1)
