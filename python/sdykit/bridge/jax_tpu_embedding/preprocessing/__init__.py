"""What the library's preprocessing hides: limits that end the process, ids that are dropped.

Its C++ functions are called as before, and what they give is given. Besides,

- too small a limit is an error that can be caught, not the end of the process;
- ids dropped because a buffer is too small, and ids that are misread, are warned of;
- a batch that is not of the size that lookups are compiled for is an error;
- an id outside its vocabulary is an error, but for `xla_sparse_core_enable_id_bound_check=false`;
- `statistics()` has the counts of all calls.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from sdykit.bridge.embedding.settings import current
from sdykit.bridge.jax_tpu_embedding.preprocessing import limits
from sdykit.bridge.jax_tpu_embedding.preprocessing.ids import check_ids
from sdykit.bridge.jax_tpu_embedding.preprocessing.samples import check_samples
from sdykit.sparsecore.limits.statistics import RunningStatistics, StackTotals
from sdykit.sparsecore.specs import System

__all__ = ["register", "statistics"]

_FIRST = {
    "preprocess_sparse_dense_matmul_input": ("features", "feature_weights"),
    "preprocess_sparse_dense_matmul_sparse_coo_input": ("indices", "values", "dense_shapes"),
}
"""The functions, and the names of their first arguments."""

_OTHERS = ("feature_specs", "local_device_count", "global_device_count", "num_sc_per_device")
"""The next arguments of both."""

_counted: dict[System, RunningStatistics] = {}
_lock = threading.Lock()  # Batches may be prepared by several threads.


def statistics() -> Mapping[System, RunningStatistics]:
    """Give what the stacks needed so far, and how many of their ids were dropped.

    Statistics are kept for each number of devices and SparseCores. They are those of
    `sdykit.sparsecore`: limits follow from them, and `save_statistics` writes them.
    """
    with _lock:
        return dict(_counted)


def register(module: ModuleType) -> None:
    """Watch over the functions of the library's `pybind_input_preprocessing`."""
    for name, first in _FIRST.items():
        function = getattr(module, name, None)
        if function is not None and not hasattr(function, "__wrapped__"):
            setattr(module, name, _watched(function, (*first, *_OTHERS)))


def _watched(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    @functools.wraps(function)
    def watched(*arguments: Any, **options: Any) -> Any:
        given = {**dict(zip(names, arguments, strict=False)), **options}
        if any(name not in given for name in names):
            return function(*arguments, **options)  # Which says what is missing.
        check_samples(given)
        check_ids(given, outside=current().config.xla_sparse_core_enable_id_bound_check)
        result = limits.call(function, arguments, options, given)
        _record(given, result)
        return result

    return watched


def _record(given: dict[str, Any], result: Any) -> None:
    devices, cores = int(given["global_device_count"]), int(given["num_sc_per_device"])
    if devices * cores & (devices * cores - 1):
        return  # Not a format that statistics are about; it is for the library to judge.
    _add(result[-1], int(given["local_device_count"]), System(devices, cores))


def _add(counts: Any, local_devices: int, system: System) -> None:
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
