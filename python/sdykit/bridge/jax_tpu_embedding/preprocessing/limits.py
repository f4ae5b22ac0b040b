"""Limits that a batch exceeds: an error where the library would end the process."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sdykit.bridge.jax_tpu_embedding.warn import warn_once
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.loops import BUCKETS
from sdykit.sparsecore.tile.spec import POINTERS

_KINDS: Final = {"max_ids_per_partition": "ids", "max_unique_ids_per_partition": "unique ids"}
"""What each limit counts, by the name of the limit, which the statistics use too."""


def call(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    options: Mapping[str, Any],
    given: Mapping[str, Any],
) -> Any:
    """Call a function of the library's preprocessing, with errors for exceeded limits.

    Without `allow_id_dropping` the library ends the process when a limit is exceeded. So it is
    called with it, and its counts tell whether it dropped ids. If it did not, the result is the
    same as without.

    Args:
        function: the function of the library.
        arguments: the positional arguments of the call.
        options: the keyword arguments of the call.
        given: all arguments, by name.

    Returns:
        The result of the function.

    Raises:
        LimitExceeded: a limit is exceeded, and ids may not be dropped.
        SparseCoreError: a buffer is larger than all limits together can fill.

    Warns:
        UserWarning: ids were dropped without permission, since a buffer is too small.
    """
    minibatching = bool(given.get("enable_minibatching"))
    stacks = _stacks(given["feature_specs"])
    for spec in stacks.values():
        _check_buffer(spec, given, minibatching=minibatching)
    if given.get("allow_id_dropping"):
        return function(*arguments, **options)
    if minibatching and given.get("all_reduce_interface") is not None:
        # A second call may be needed to distinguish limits from buffers, and other processes would
        # not take part in it. So the library handles limits itself.
        result = function(*arguments, **options)
    else:
        result = function(*arguments, **{**options, "allow_id_dropping": True})
        _check_limits(function, given, result[-1], minibatching=minibatching)
    for name, spec in stacks.items():
        if result[-1].dropped_id_count[name]:
            _warn_of_buffer(spec, given, result)
    return result


def _check_limits(
    function: Callable[..., Any], given: Mapping[str, Any], counts: Any, *, minibatching: bool
) -> None:
    stacks = _stacks(given["feature_specs"])
    exceeding = sorted(name for name, spec in stacks.items() if _exceeded(name, spec, counts))
    if exceeding and not minibatching:
        _report(stacks[exceeding[0]], counts, int(given["local_device_count"]))
    if any(counts.dropped_id_count[name] for name in exceeding):
        _check_buckets(function, given, counts)


def _stacks(features: Sequence[Any]) -> dict[str, Any]:
    """Return the `StackedTableSpec`s by name."""
    specs = [feature.table_spec.stacked_table_spec for feature in features]
    return {spec.stack_name: spec for spec in specs}


def _check_buffer(spec: Any, given: Mapping[str, Any], *, minibatching: bool) -> None:
    size = spec.suggested_coo_buffer_size_per_device
    maximum = _max_entries(spec, given, BUCKETS if minibatching else 1)
    if size is not None and size > maximum:
        raise SparseCoreError(
            f"table {spec.stack_name!r}: suggested_coo_buffer_size_per_device is {size}; expected "
            f"at most {maximum}, as many as {spec.max_ids_per_partition} (max_ids_per_partition) "
            "can fill"
        )


def _max_entries(spec: Any, given: Mapping[str, Any], minibatches: int) -> int:
    """Return how many entries of a device all limits together can fill."""
    cores = int(given["num_sc_per_device"])
    partition = -(-int(spec.max_ids_per_partition) // POINTERS) * POINTERS
    return partition * cores * cores * int(given["global_device_count"]) * minibatches


def _exceeded(name: str, spec: Any, counts: Any) -> str | None:
    """Return the first limit that the ids of a stack exceed without minibatches, or None."""
    over = (kind for kind in _KINDS if getattr(counts, kind)[name].max() > getattr(spec, kind))
    return next(over, None)


def _report(spec: Any, counts: Any, devices: int) -> None:
    name = spec.stack_name
    kind = _exceeded(name, spec, counts)
    assert kind is not None
    by_device = getattr(counts, kind)[name].reshape(devices, -1)
    device, partition = divmod(int(by_device.argmax()), by_device.shape[1])
    raise LimitExceeded(
        f"table {name!r}: a SparseCore of device {device} sends {by_device.max()} {_KINDS[kind]} "
        f"to partition {partition}; compiled for {getattr(spec, kind)} ({kind})"
    )


def _check_buckets(function: Callable[..., Any], given: Mapping[str, Any], counts: Any) -> None:
    """Raise an error if ids were dropped for a limit: with larger buffers they still are.

    Raises:
        LimitExceeded: ids of a bucket exceed a limit.
    """
    grown = []
    for feature in given["feature_specs"]:
        table = copy.copy(feature.table_spec)
        stack = table.stacked_table_spec
        table.stacked_table_spec = dataclasses.replace(
            stack,
            suggested_coo_buffer_size_per_device=_sufficient_entries(stack, counts, given, BUCKETS),
        )
        own = copy.copy(feature)
        own.table_spec = table
        grown.append(own)
    again = function(**{**given, "feature_specs": grown, "allow_id_dropping": True})[-1]
    for name, spec in _stacks(given["feature_specs"]).items():
        if again.dropped_id_count[name]:
            over = {
                kind: int(getattr(counts, kind)[name].max())
                for kind in _KINDS
                if getattr(counts, kind)[name].max() > getattr(spec, kind)
            }
            limits = ", ".join(f"{kind} is {getattr(spec, kind)}" for kind in over)
            enough = " and ".join(f"{kind}={count}" for kind, count in over.items())
            raise LimitExceeded(
                f"table {name!r}: {again.dropped_id_count[name]} ids do not fit even in {BUCKETS} "
                f"minibatches, as {limits} for each. Raise that in the TableSpec ({enough} are "
                "enough without minibatches), or allow_id_dropping"
            )


def _sufficient_entries(stack: Any, counts: Any, given: Mapping[str, Any], minibatches: int) -> int:
    """Return a number of entries that is sufficient for the ids of a device.

    The library's count is sufficient without minibatches only: every list of a minibatch is padded
    to a multiple of 8 entries.
    """
    cores = int(given["num_sc_per_device"])
    partitions = int(given["global_device_count"]) * cores
    needed = int(counts.required_buffer_sizes[stack.stack_name].max())
    if minibatches > 1:
        needed += minibatches * POINTERS * (partitions + 1)
    return min(cores * needed, _max_entries(stack, given, minibatches))


def _warn_of_buffer(spec: Any, given: Mapping[str, Any], result: Any) -> None:
    name, minibatches, counts = spec.stack_name, int(result[-2]), result[-1]
    room = result[1][name].size // int(given["local_device_count"])
    warn_once(
        f"buffer of {name}",
        f"table {name!r}: jax-tpu-embedding drops {counts.dropped_id_count[name]} ids of this "
        f"batch, although allow_id_dropping is false: the buffer of a device has {room} entries; "
        f"expected {_sufficient_entries(spec, counts, given, minibatches)} "
        "(suggested_coo_buffer_size_per_device)",
    )
