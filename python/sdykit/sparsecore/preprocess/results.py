"""What preprocessing gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore._kernels import ALIGNMENT

Int32s = npt.NDArray[np.int32]


@dataclasses.dataclass(frozen=True, eq=False)
class SampleIndex:
    """The entries of each SparseCore in the order of their samples, over all minibatches.

    Those of a sample are in the order of the buffers. It is what a lookup on one device reads.
    """

    splits: Int32s
    """`[devices, SparseCores, samples + 1]`: where the samples start in `rows` and `gains`."""
    rows: Int32s
    """`[devices, entries]`: rows of the sharded table, `partition * rows of a partition + id`;
    what `splits` leaves free is a pad, the largest int32."""
    gains: npt.NDArray[np.float32]
    """`[devices, entries]`: those of the entries; a pad is NaN."""


@dataclasses.dataclass(frozen=True, eq=False)
class StackBuffers:
    """The static buffers of a stack, device after device, as `docs/preprocessing.md` lays out."""

    row_pointers: Int32s
    """`[devices, pointers]`: where a segment's partitions end."""
    embedding_ids: Int32s
    """`[devices, entries]`: rows in their partition; a pad is the largest int32."""
    sample_ids: Int32s
    """`[devices, entries]`: rows of the stack's batch on the SparseCore; pads as above."""
    gains: npt.NDArray[np.float32]
    """`[devices, entries]`: weights with the combiner folded in; a pad is NaN."""
    index: SampleIndex | None
    """Only in the layout `sdykit`, of a system of one device."""


@dataclasses.dataclass(frozen=True, eq=False)
class StackStatistics:
    """What the ids of a stack need, before dropping and minibatching."""

    ids: Int32s
    """`[SparseCores, partitions]`: ids that a SparseCore of the batch sends to a partition."""
    unique_ids: Int32s
    """The same, each id counted once."""
    dropped: int = 0
    """Ids left out, duplicates in a sample included."""
    bucket_ids: Int32s | None = None
    """`[SparseCores, partitions, 64]`: `ids` by bucket, where minibatches were needed."""
    bucket_unique_ids: Int32s | None = None
    """`unique_ids` by bucket."""

    @property
    def max_ids(self) -> Int32s:
        """`[partitions]`: most ids that one SparseCore sends there."""
        return self.ids.max(axis=0)

    @property
    def max_unique_ids(self) -> Int32s:
        """`[partitions]`: most unique ids that one SparseCore sends there."""
        return self.unique_ids.max(axis=0)

    @property
    def required_buffer_size(self) -> Int32s:
        """`[SparseCores]`: entries that each needs in one pass, pads included."""
        padded = -(-self.ids // ALIGNMENT) * ALIGNMENT
        return padded.sum(axis=1, dtype=np.int32)


@dataclasses.dataclass(frozen=True, eq=False)
class Preprocessed:
    """Buffers and statistics of all stacks, by name."""

    buffers: Mapping[str, StackBuffers]
    statistics: Mapping[str, StackStatistics]
    num_minibatches: int
    """Segments of each SparseCore; one number for all stacks."""
