"""What preprocessing tells others of a batch: log lines, and events for recordings."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore import events
from sdykit.sparsecore.inputs import Ids
from sdykit.sparsecore.preprocess.results import Preprocessed
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

_logger = logging.getLogger("sdykit.preprocess")


def report(
    start: int,
    ids: Mapping[str, Ids],
    stacks: Sequence[Stack],
    system: System,
    *,
    settings: Mapping[str, Any],
    done: Preprocessed,
) -> None:
    """Log what a batch lost, and tell the listener of events about it.

    Args:
        start: when its preprocessing began.
        ids: the ids of each feature, as they were passed.
        stacks: the stacks.
        system: the devices of all hosts.
        settings: the settings of this call, for recordings.
        done: the result.
    """
    dropped = {name: each.dropped for name, each in done.statistics.items()}
    log_batch(done.num_minibatches, dropped)
    listener = events.listener()
    if listener is None:
        return
    counts = {
        name: events.StackCounts(each.max_ids, each.max_unique_ids, each.dropped)
        for name, each in done.statistics.items()
    }
    key = (tuple(each.name for each in stacks), tuple(map(id, stacks)), system)
    listener.batch(
        events.PreparedBatch(
            start,
            time.perf_counter_ns(),
            done.num_minibatches,
            counts,
            lambda: {name: _csr(each) for name, each in ids.items()},
            key,
            (tuple(stacks), system),
            settings,
        )
    )


def log_batch(minibatches: int, dropped: Mapping[str, int]) -> None:
    """Log, at level INFO, that a batch needed minibatches or lost ids.

    Args:
        minibatches: the number of its minibatches.
        dropped: the number of dropped ids, by the name of the stack.
    """
    if not _logger.isEnabledFor(logging.INFO):
        return
    if minibatches > 1:
        _logger.info("a batch exceeds the limits of its tables: %d minibatches", minibatches)
    for name, count in dropped.items():
        if count:
            _logger.info(
                "table %r: %d ids of a batch exceed its limits, and are dropped", name, count
            )


def _csr(ids: Ids) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return copies of a feature's ids, and its splits."""
    if ids.valency < 0:
        return np.array(ids.values), np.array(ids.splits)
    return np.array(ids.values), np.arange(ids.samples + 1) * ids.valency
