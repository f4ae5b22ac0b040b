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
from collections.abc import Callable
from types import ModuleType
from typing import Any

from sdykit.bridge.embedding._settings import current
from sdykit.bridge.jax_tpu_embedding import _ids, _limits, _samples
from sdykit.bridge.jax_tpu_embedding._statistics import record, statistics
from sdykit.sparsecore.specs import System

__all__ = ["register", "statistics"]

_FIRST = {
    "preprocess_sparse_dense_matmul_input": ("features", "feature_weights"),
    "preprocess_sparse_dense_matmul_sparse_coo_input": ("indices", "values", "dense_shapes"),
}
"""The functions, and the names of their first arguments."""

_OTHERS = ("feature_specs", "local_device_count", "global_device_count", "num_sc_per_device")
"""The next arguments of both."""


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
        _samples.check_samples(given)
        _ids.check_ids(given, outside=current().config.xla_sparse_core_enable_id_bound_check)
        result = _limits.call(function, arguments, options, given)
        _record(given, result)
        return result

    return watched


def _record(given: dict[str, Any], result: Any) -> None:
    devices, cores = int(given["global_device_count"]), int(given["num_sc_per_device"])
    if devices * cores & (devices * cores - 1):
        return  # Not a format that statistics are about; it is for the library to judge.
    record(result[-1], int(given["local_device_count"]), System(devices, cores))
