"""A process of the embedding benchmark: one peer, which does what it is told line by line.

Commands are JSON on standard input, answers on standard output, one line each.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from embedding_cells import Cell, Peer, batches
from embedding_ours import Buffers, Ours, Packed, call_costs
from embedding_peers import Fbgemm, Jnp, Torch
from embedding_roofs import Empty, Roof, Sort
from report import seconds

PEERS: dict[str, Callable[[], Peer]] = {
    "ours": Ours,
    "buffers": Buffers,
    "packed": Packed,
    "torch": Torch,
    "fbgemm": Fbgemm,
    "jnp": Jnp,
    "roof": Roof,
    "sort": Sort,
    "empty": Empty,
}
FLUSH_BYTES = 128 << 20
"""Written between calls: four times the largest cache."""
SMALL = 64
"""Samples of a call that brings the code back into the caches, and next to no rows."""
FEW = 4096
"""Samples of a cell whose own batches serve for that: each names another part of the table."""


class Worker:
    """Holds the peer, its table, and the calls of a cell."""

    small: Callable[[], Any]

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.others = np.zeros(FLUSH_BYTES // 4, np.float32)
        self.calls: list[Callable[[], Any]] = []
        self.count = 0
        self.clock = time.perf_counter

    def use_one_core(self) -> None:
        """Stay on one core, and count processor time: what others do there is then left out."""
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        self.clock = time.process_time

    def load(self, width: int, task: Any) -> None:
        """Make the table."""
        self.calls = []
        self.peer.load(width, task)
        small = Cell(width, SMALL, 1, "uniform")
        self.small = self.peer.calls(small, batches(small))[0]

    def cell(self, **fields: Any) -> None:
        """Get ready for a cell."""
        cell = Cell(**fields)
        drawn = batches(cell)
        self.calls = self.peer.calls(cell, drawn)
        self.has_few = cell.batch <= FEW
        self.ids = np.unique(drawn[0].ids)

    def check(self, path: str) -> None:
        """Write the sums of the first batch, and the rows that it names as they are then."""
        np.savez(path, sums=np.asarray(self.calls[0]()), rows=self.peer.rows(self.ids))

    def time(self) -> float:
        """Time the call of the next batch, with cold caches."""
        before, call = (self.calls[(self.count + k) % len(self.calls)] for k in range(2))
        self.count += 1
        self._flush()
        (before if self.has_few else self.small)()
        kept: list[Any] = []  # Freeing the result is not part of it.
        return seconds(lambda: kept.append(call()), self.clock)

    def call_costs(self) -> dict[str, float]:
        """Time calls that do next to nothing."""
        return call_costs()

    def _flush(self) -> None:
        """Put other things into the caches of all cores that the process may run on."""
        cores = sorted(os.sched_getaffinity(0))
        parts = np.array_split(self.others, len(cores))
        threads = [
            threading.Thread(target=_write, args=each) for each in zip(parts, cores, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _write(part: np.ndarray, core: int) -> None:
    """Write memory on a core: cores that share no cache with it would keep theirs."""
    os.sched_setaffinity(0, [core])  # Of the calling thread.
    np.add(part, 1, out=part)


def main() -> None:
    """Work until the input ends."""
    # What libraries print must not be taken for answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    worker = Worker(PEERS[sys.argv[1]]())
    for line in sys.stdin:
        command = json.loads(line)
        found = getattr(worker, command.pop("do"))(**command)
        answers.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
