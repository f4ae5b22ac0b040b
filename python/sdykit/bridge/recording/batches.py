"""What preprocessing counts, and what else the host does, collected while a recording is on."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from typing import Any, Final

import numpy as np

from sdykit.sparsecore.events import PreparedBatch, StackCounts
from sdykit.sparsecore.run import Batches, RawBatch

MAX_BATCH_BYTES: Final = 64 << 20
"""The maximum size of the counts of batches."""
MAX_SPANS: Final = 1_000_000
"""The maximum number of spans of the host."""
MAX_BATCHES_WITH_IDS: Final = 4
"""The maximum number of batches whose ids are kept: 0, 1, 2 and 4."""
MAX_ID_BYTES: Final = 64 << 20
"""The maximum size of the ids that are kept."""

Span = tuple[str, int, int, int]
"""Name, start, end in nanoseconds, number of the thread."""


class Collected:
    """The events of a recording; a listener of `sdykit.sparsecore.events`.

    Attributes:
        begin: when the recording began, in nanoseconds of `time.perf_counter_ns`.
        spans: what the host did.
        ids: the ids of a few batches.
        tables: the descriptions of tables that batches were prepared with, by their keys.
        settings: those of the last batch that was prepared.
        left_out_spans: how many spans there was no room for.
    """

    def __init__(self) -> None:
        self.begin = time.perf_counter_ns()
        self.spans: list[Span] = []
        self.ids: list[RawBatch] = []
        self.tables: dict[Hashable, Any] = {}
        self.settings: dict[str, Any] = {}
        self.left_out_spans = 0
        self._rows: list[tuple[int, str, int, StackCounts, int]] = []
        self._batches = 0
        self._row_bytes = 0
        self._id_bytes = 0
        self._left_out = 0
        self._lock = threading.Lock()
        self._threads: dict[int, int] = {threading.get_ident(): 0}

    def span(self, name: str, start: int, end: int) -> None:
        """Take what the host did from `start` to `end`."""
        with self._lock:
            if len(self.spans) >= MAX_SPANS:
                self.left_out_spans += 1
                return
            thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
            self.spans.append((name, start, end, thread))

    def batch(self, batch: PreparedBatch) -> None:
        """Take a batch that was prepared."""
        self.span("preprocess", batch.start, batch.end)
        with self._lock:
            number = self._batches
            self._batches += 1
            self.tables.setdefault(batch.key, batch.tables)
            self.settings = dict(batch.settings)
            size = sum(2 * each.max_ids.nbytes for each in batch.stacks.values())
            if self._row_bytes + size > MAX_BATCH_BYTES:
                self._left_out += 1
            else:
                self._row_bytes += size
                self._rows += [
                    (number, name, batch.end, each, batch.minibatches)
                    for name, each in batch.stacks.items()
                ]
            if number & (number - 1) == 0 and len(self.ids) < MAX_BATCHES_WITH_IDS:
                self._keep_ids(number, batch)

    def _keep_ids(self, number: int, batch: PreparedBatch) -> None:
        ids = batch.ids()
        size = sum(values.nbytes + splits.nbytes for values, splits in ids.values())
        if self._id_bytes + size <= MAX_ID_BYTES:
            self._id_bytes += size
            self.ids.append(RawBatch(number, ids))

    def columns(self) -> tuple[Batches, int]:
        """Return what was counted as columns, and how many batches there was no room for."""
        rows = len(self._rows)
        partitions = max((each[3].max_ids.size for each in self._rows), default=0)
        max_ids = np.zeros((rows, partitions), np.int64)
        max_unique_ids = np.zeros((rows, partitions), np.int64)
        for row, (_, _, _, counts, _) in enumerate(self._rows):
            max_ids[row, : counts.max_ids.size] = counts.max_ids
            max_unique_ids[row, : counts.max_ids.size] = counts.max_unique_ids
        found = Batches(
            np.array([row[0] for row in self._rows], np.int64),
            np.array([row[1] for row in self._rows], np.str_),
            np.array([(row[2] - self.begin) / 1e9 for row in self._rows], np.float64),
            max_ids,
            max_unique_ids,
            np.array([row[3].dropped for row in self._rows], np.int64),
            np.array([row[4] for row in self._rows], np.int64),
        )
        return found, self._left_out
