"""Counts of ids by partition, over any number of steps."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.loops import ALIGNMENT

Counts = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Observed:
    """Counts of the ids of a table or of a stack, by partition.

    A list is the ids that one SparseCore sends to one partition in one step. An id counts once for
    each sample that has it; a unique id counts once in a list.
    """

    max_ids: Counts
    """`[partitions]`: the maximum number of ids in a list."""
    max_unique_ids: Counts
    """`[partitions]`: the maximum number of unique ids in a list."""
    total_ids: Counts
    """`[partitions]`: the ids of all lists."""
    total_unique_ids: Counts
    """`[partitions]`: the sum of the unique ids of each list."""
    max_ids_of_step: int
    """The maximum number of ids in all lists of one step."""
    max_unique_ids_of_step: int
    """The maximum of the sum of the unique ids of each list of one step."""
    max_ids_of_sample: int
    """The maximum number of ids that one sample of one feature has in one partition."""
    required_buffer_size: int
    """The maximum number of entries that one SparseCore needs in one step, with every list padded
    to a multiple of 8."""
    lists_by_ids: Counts
    """Element `k` is the number of lists with `k` ids, empty ones included."""
    lists_by_unique_ids: Counts
    """Element `k` is the number of lists with `k` unique ids."""

    @property
    def skew(self) -> float:
        """The ids of the fullest partition, divided by the average; 1.0 is even."""
        return float(self.partition_skew.max())

    @property
    def partition_skew(self) -> npt.NDArray[np.float64]:
        """`[partitions]`: the ids of each partition, divided by the average."""
        average = self.total_ids.mean()
        return self.total_ids / average if average else np.ones(self.total_ids.size)

    def joined(self, other: Observed) -> Observed:
        """Return the counts of both, which must be of different SparseCores in the same step."""
        return dataclasses.replace(
            self.merged(other),
            max_ids_of_step=self.max_ids_of_step + other.max_ids_of_step,
            max_unique_ids_of_step=self.max_unique_ids_of_step + other.max_unique_ids_of_step,
        )

    def merged(self, other: Observed) -> Observed:
        """Return the counts of both, which must be of different steps."""
        return Observed(
            max_ids=np.maximum(self.max_ids, other.max_ids),
            max_unique_ids=np.maximum(self.max_unique_ids, other.max_unique_ids),
            total_ids=self.total_ids + other.total_ids,
            total_unique_ids=self.total_unique_ids + other.total_unique_ids,
            max_ids_of_step=max(self.max_ids_of_step, other.max_ids_of_step),
            max_unique_ids_of_step=max(self.max_unique_ids_of_step, other.max_unique_ids_of_step),
            max_ids_of_sample=max(self.max_ids_of_sample, other.max_ids_of_sample),
            required_buffer_size=max(self.required_buffer_size, other.required_buffer_size),
            lists_by_ids=_added(self.lists_by_ids, other.lists_by_ids),
            lists_by_unique_ids=_added(self.lists_by_unique_ids, other.lists_by_unique_ids),
        )


def observe(
    ids: npt.NDArray[np.integer], unique_ids: npt.NDArray[np.integer], of_sample: int
) -> Observed:
    """Return the counts of one step.

    Args:
        ids: `[SparseCores, partitions]`: the number of ids in each list.
        unique_ids: the same for unique ids.
        of_sample: the maximum number of ids that one sample of one feature has in one partition.
    """
    padded = -(-ids // ALIGNMENT) * ALIGNMENT
    return Observed(
        max_ids=ids.max(axis=0).astype(np.int64),
        max_unique_ids=unique_ids.max(axis=0).astype(np.int64),
        total_ids=ids.sum(axis=0, dtype=np.int64),
        total_unique_ids=unique_ids.sum(axis=0, dtype=np.int64),
        max_ids_of_step=int(ids.sum(dtype=np.int64)),
        max_unique_ids_of_step=int(unique_ids.sum(dtype=np.int64)),
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
