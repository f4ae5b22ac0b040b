"""What was counted in data: how many ids go where, over any number of steps."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore._kernels import ALIGNMENT

Counts = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Observed:
    """Counts of a table or of a stack, by partition.

    A list is what one SparseCore sends to one partition in one step. An id counts once for each
    sample that has it; unique ids count once in a list.
    """

    max_ids: Counts
    """`[partitions]`: ids of the longest list."""
    max_unique_ids: Counts
    """`[partitions]`: unique ids of the list with most of them."""
    total_ids: Counts
    """`[partitions]`: ids of all lists."""
    total_unique_ids: Counts
    """`[partitions]`: unique ids, added up over the lists."""
    max_ids_of_core: int
    """Most ids that one SparseCore sends in one step, to all partitions together."""
    max_unique_ids_of_core: int
    """The same for unique ids."""
    max_ids_of_sample: int
    """Most ids of one sample of one feature in one partition."""
    required_buffer_size: int
    """Most entries of one SparseCore in one step: every list padded to a multiple of 8."""
    lists_by_ids: Counts
    """Element `k` is the number of lists with `k` ids, empty ones included."""
    lists_by_unique_ids: Counts
    """Element `k` is the number of lists with `k` unique ids."""

    @property
    def skew(self) -> float:
        """How much fuller than the average the fullest partition is; 1.0 is even."""
        return float(self.partition_skew.max())

    @property
    def partition_skew(self) -> npt.NDArray[np.float64]:
        """`[partitions]`: total ids, divided by the average over the partitions."""
        average = self.total_ids.mean()
        return self.total_ids / average if average else np.ones(self.total_ids.size)

    def merged(self, other: Observed) -> Observed:
        """Give the counts of both; they are of different lists."""
        return Observed(
            max_ids=np.maximum(self.max_ids, other.max_ids),
            max_unique_ids=np.maximum(self.max_unique_ids, other.max_unique_ids),
            total_ids=self.total_ids + other.total_ids,
            total_unique_ids=self.total_unique_ids + other.total_unique_ids,
            max_ids_of_core=max(self.max_ids_of_core, other.max_ids_of_core),
            max_unique_ids_of_core=max(self.max_unique_ids_of_core, other.max_unique_ids_of_core),
            max_ids_of_sample=max(self.max_ids_of_sample, other.max_ids_of_sample),
            required_buffer_size=max(self.required_buffer_size, other.required_buffer_size),
            lists_by_ids=_added(self.lists_by_ids, other.lists_by_ids),
            lists_by_unique_ids=_added(self.lists_by_unique_ids, other.lists_by_unique_ids),
        )


def observe(
    ids: npt.NDArray[np.integer], unique_ids: npt.NDArray[np.integer], of_sample: int
) -> Observed:
    """Sum up counts.

    Args:
        ids: `[SparseCores, partitions]`, of one step.
        unique_ids: the same for unique ids.
        of_sample: most ids of one sample in one partition.
    """
    padded = -(-ids // ALIGNMENT) * ALIGNMENT
    return Observed(
        max_ids=ids.max(axis=0).astype(np.int64),
        max_unique_ids=unique_ids.max(axis=0).astype(np.int64),
        total_ids=ids.sum(axis=0, dtype=np.int64),
        total_unique_ids=unique_ids.sum(axis=0, dtype=np.int64),
        max_ids_of_core=int(ids.sum(axis=1, dtype=np.int64).max()),
        max_unique_ids_of_core=int(unique_ids.sum(axis=1, dtype=np.int64).max()),
        max_ids_of_sample=of_sample,
        required_buffer_size=int(padded.sum(axis=1, dtype=np.int64).max()),
        lists_by_ids=np.bincount(ids.reshape(-1)),
        lists_by_unique_ids=np.bincount(unique_ids.reshape(-1)),
    )


def _added(left: Counts, right: Counts) -> Counts:
    if left.size < right.size:
        left, right = right, left
    result = left.copy()
    result[: right.size] += right
    return result
