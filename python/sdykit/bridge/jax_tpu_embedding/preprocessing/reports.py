"""What the library's preprocessing did: log lines, and events for recordings."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from sdykit.bridge.jax_tpu_embedding.preprocessing.ids import ids_of
from sdykit.sparsecore import events
from sdykit.sparsecore.preprocess.reports import log_batch
from sdykit.sparsecore.specs import System

_OPTIONS = ("allow_id_dropping", "enable_minibatching", "sharding_strategy")
"""The options of the library that change what a batch becomes."""


def report(start: int, given: Mapping[str, Any], result: Any, system: System) -> None:
    """Log what a batch lost, and tell the listener of events about it.

    Args:
        start: when its preprocessing began.
        given: the arguments of the library's function, by name.
        result: what it returned: the buffers, the number of minibatches, and what it counted.
        system: the devices of all processes.
    """
    counts, minibatches = result[-1], max(int(result[-2]), 1)
    dropped = {name: int(count) for name, count in counts.dropped_id_count.items()}
    log_batch(minibatches, dropped)
    listener = events.listener()
    if listener is None:
        return
    devices = int(given["local_device_count"])
    stacks = {
        name: events.StackCounts(
            np.reshape(ids, (devices, -1)).max(axis=0),
            np.reshape(counts.max_unique_ids_per_partition[name], (devices, -1)).max(axis=0),
            dropped[name],
        )
        for name, ids in counts.max_ids_per_partition.items()
    }
    specs = tuple(given["feature_specs"])
    listener.batch(
        events.PreparedBatch(
            start,
            time.perf_counter_ns(),
            minibatches,
            stacks,
            lambda: ids_of(given),
            (tuple(map(id, specs)), system),
            (specs, system),
            {name: given[name] for name in _OPTIONS if name in given},
        )
    )
