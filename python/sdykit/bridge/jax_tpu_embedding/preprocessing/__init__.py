"""Checks around the library's preprocessing, which ends the process at limits and drops ids.

Its C++ functions are called as before, and their results are returned. In addition,

- an exceeded limit is an error that can be caught, and does not end the process;
- ids that are dropped because a buffer is too small, and ids that are misread, cause a warning;
- a batch of another size than lookups are compiled for is an error;
- an id outside its vocabulary is an error, unless the flag
  `xla_sparse_core_enable_id_bound_check` is false;
- batches that need minibatches or lose ids are logged, and recorded if a recording is on;
- `statistics()` returns the counts of all calls.

Read `_watched` below first, then `limits`, `ids` and `samples`.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from sdykit.bridge.jax_tpu_embedding.preprocessing import limits
from sdykit.bridge.jax_tpu_embedding.preprocessing.ids import check_ids
from sdykit.bridge.jax_tpu_embedding.preprocessing.reports import report
from sdykit.bridge.jax_tpu_embedding.preprocessing.samples import check_samples
from sdykit.bridge.jax_tpu_embedding.warn import warn_once
from sdykit.bridge.settings import current
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.limits.statistics import RunningStatistics, StackTotals
from sdykit.sparsecore.specs import System

__all__ = ["register", "statistics"]

_FIRST_ARGUMENTS = {
    "preprocess_sparse_dense_matmul_input": ("features", "feature_weights"),
    "preprocess_sparse_dense_matmul_sparse_coo_input": ("indices", "values", "dense_shapes"),
}
"""The names of the first arguments of each function."""

_NEXT_ARGUMENTS = (
    "feature_specs",
    "local_device_count",
    "global_device_count",
    "num_sc_per_device",
)
"""The names of the next arguments of both functions."""

_OTHERS = {
    "disable_table_stacking": "stack tables with its functions, or do not",
    "max_ids_per_chip_per_sample": "set the limits of its tables",
    "allow_id_dropping": "pass allow_id_dropping to its preprocessing",
    "initialize_tables_on_host": "initialize its tables where they are to be",
    "enable_fast_table_initialization": "initialize its tables where they are to be",
}
"""Settings that the library has no use for, and what to do instead."""

_counted: dict[System, RunningStatistics] = {}
_lock = threading.Lock()  # Several threads may prepare batches.


def statistics() -> Mapping[System, RunningStatistics]:
    """Return what the stacks have needed so far, and how many of their ids were dropped.

    Returns:
        The statistics by number of devices and SparseCores. They are those of `sdykit.sparsecore`:
        limits can be computed from them, and `save_statistics` writes them.
    """
    with _lock:
        return dict(_counted)


def register(module: ModuleType) -> None:
    """Add the checks to the functions of the library's `pybind_input_preprocessing`."""
    for name, first in _FIRST_ARGUMENTS.items():
        function = getattr(module, name, None)
        if function is not None and not hasattr(function, "__wrapped__"):
            setattr(module, name, _watched(function, (*first, *_NEXT_ARGUMENTS)))


def _watched(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    @functools.wraps(function)
    def watched(*arguments: Any, **options: Any) -> Any:
        given = {**dict(zip(names, arguments, strict=False)), **options}
        if any(name not in given for name in names):
            return function(*arguments, **options)  # It reports what is missing.
        start = time.perf_counter_ns()
        config = current().config
        _warn_of_settings(config)
        check_samples(given)
        check_ids(given, outside=config.xla_sparse_core_enable_id_bound_check)
        result = limits.call(function, arguments, options, given)
        _record(start, given, result)
        return result

    return watched


def _warn_of_settings(config: SparsecoreConfig) -> None:
    """Warn once of each setting that has no effect on programs of the library."""
    for name, instead in _OTHERS.items():
        value = getattr(config, name)
        if value != getattr(SparsecoreConfig, name):
            text = f"{name} is {value!r}, but has no effect on jax-tpu-embedding: {instead}"
            warn_once(name, text)


def _record(start: int, given: dict[str, Any], result: Any) -> None:
    devices, cores = int(given["global_device_count"]), int(given["num_sc_per_device"])
    if devices * cores & (devices * cores - 1):
        return  # Statistics have no such format; the library judges whether it is valid.
    system = System(devices, cores)
    _add(result[-1], int(given["local_device_count"]), system)
    report(start, given, result, system)


def _add(counts: Any, local_devices: int, system: System) -> None:
    """Add the counts of a call to the statistics.

    Args:
        counts: the library's `SparseDenseMatmulInputStats` of this process.
        local_devices: the number of devices of this process.
        system: the devices of all processes.
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
