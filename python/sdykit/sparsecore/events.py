"""What the host does, for whoever listens: recordings.

    with span("wait for input"):
        batch = next(batches)

Without a listener, an event costs a comparison. Times are nanoseconds of `time.perf_counter_ns`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

RawIds = Mapping[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]]
"""By feature, the ids `[n]`, and the splits `[samples + 1]`: the position of each sample's first id,
and `n`."""


@dataclass(frozen=True, eq=False)
class StackCounts:
    """What preprocessing counted for a stack, before dropping and minibatching.

    Attributes:
        max_ids: the maximum number of ids that one SparseCore sends to each partition, `[partitions]`.
        max_unique_ids: the same for distinct ids.
        dropped: the number of dropped ids.
    """

    max_ids: npt.NDArray[np.integer]
    max_unique_ids: npt.NDArray[np.integer]
    dropped: int


@dataclass(frozen=True, eq=False)
class PreparedBatch:
    """A batch that preprocessing has prepared.

    Attributes:
        start: when that began.
        end: when it ended.
        minibatches: the number of minibatches.
        stacks: what was counted, by the name of the stack.
        ids: a function that copies the ids of the batch; it is called before the caller has the batch,
            or never.
        key: batches with equal keys are of the same tables.
        tables: what describes the tables: a tuple of stacks of `sdykit.sparsecore.stacking` and their
            system, or the feature specs of another library with theirs.
        settings: the settings of its preprocessing.
    """

    start: int
    end: int
    minibatches: int
    stacks: Mapping[str, StackCounts]
    ids: Callable[[], RawIds]
    key: Hashable
    tables: Any
    settings: Mapping[str, Any]


class Listener(Protocol):
    """Who listens to events; its functions are called by several threads."""

    def span(self, name: str, start: int, end: int) -> None:
        """Take what the host did from `start` to `end`."""

    def batch(self, batch: PreparedBatch) -> None:
        """Take a batch that was prepared."""


_listeners: list[Listener] = []


def listener() -> Listener | None:
    """Return who listens; None: nobody."""
    return _listeners[0] if _listeners else None


@contextmanager
def listening(new: Listener) -> Iterator[None]:
    """Pass events to a listener until the end of the context. There is one at a time."""
    assert not _listeners
    _listeners.append(new)
    try:
        yield
    finally:
        _listeners.remove(new)


@contextmanager
def span(name: str) -> Iterator[None]:
    """Tell the listener, if there is one, how long the body took, and that it was `name`."""
    if not _listeners:
        yield
        return
    start = time.perf_counter_ns()
    try:
        yield
    finally:
        found = listener()
        if found is not None:
            found.span(name, start, time.perf_counter_ns())
