"""The results of preprocessing: static buffers and statistics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.loops import ALIGNMENT

Int32s = npt.NDArray[np.int32]


@dataclasses.dataclass(frozen=True, eq=False)
class SampleIndex:
    """The entries of each SparseCore ordered by sample, over all minibatches.

    The entries of a sample keep the order of the buffers. A lookup on one device reads this index.
    """

    splits: Int32s
    """`[devices, SparseCores, samples + 1]`: the position of each sample's first entry in `rows`
    and `gains`, and one past the last."""
    rows: Int32s
    """`[devices, entries]`: rows of the sharded table, `partition * rows of a partition + id`;
    elements outside of all samples are pads, the largest int32."""
    gains: npt.NDArray[np.float32]
    """`[devices, entries]`: the gains of the entries; a pad is NaN."""
    observed: Int32s
    """`[devices, 2, SparseCores, minibatches, partitions]`: the ids that a SparseCore sends to a
    partition in a minibatch, and the unique ids, as they are in the buffers. Minibatches are 64 if
    the buffers are laid out for them, else 1; those that are not used have 0."""
    tile_ids: Int32s
    """`[devices, SparseCores, minibatches, partitions, tiles]`: these ids by the tile that has their
    samples, if `preprocess` was called with `tiles`; else there are 0 tiles."""


@dataclasses.dataclass(frozen=True, eq=False)
class StackBuffers:
    """The static buffers of a stack, device after device; see `docs/preprocessing.md`."""

    row_pointers: Int32s
    """`[devices, pointers]`: the end of each partition of each segment."""
    embedding_ids: Int32s
    """`[devices, entries]`: rows in their partition; a pad is the largest int32."""
    sample_ids: Int32s
    """`[devices, entries]`: samples in the stack's batch on the SparseCore; a pad is the largest
    int32."""
    gains: npt.NDArray[np.float32]
    """`[devices, entries]`: weights with the combiner folded in; a pad is NaN."""
    index: SampleIndex | None
    """The entries by sample; only with the layout `sdykit`, for a system of one device."""


@dataclasses.dataclass(frozen=True, eq=False)
class StackStatistics:
    """Counts of the ids of a stack, before dropping and minibatching."""

    ids: Int32s
    """`[SparseCores, partitions]`: ids that a SparseCore of the batch sends to a partition."""
    unique_ids: Int32s
    """The same for unique ids."""
    dropped: int = 0
    """Dropped ids, duplicates in a sample included."""
    bucket_ids: Int32s | None = None
    """`[SparseCores, partitions, 64]`: `ids` by bucket, if minibatches were needed."""
    bucket_unique_ids: Int32s | None = None
    """`unique_ids` by bucket, if minibatches were needed."""

    @property
    def max_ids(self) -> Int32s:
        """`[partitions]`: the maximum number of ids that one SparseCore sends to a partition."""
        return self.ids.max(axis=0)

    @property
    def max_unique_ids(self) -> Int32s:
        """`[partitions]`: the same for unique ids."""
        return self.unique_ids.max(axis=0)

    @property
    def required_buffer_size(self) -> Int32s:
        """`[SparseCores]`: entries that each needs without minibatches, pads included."""
        padded = -(-self.ids // ALIGNMENT) * ALIGNMENT
        return padded.sum(axis=1, dtype=np.int32)


@dataclasses.dataclass(frozen=True, eq=False)
class Preprocessed:
    """Buffers and statistics of all stacks, by name."""

    buffers: Mapping[str, StackBuffers]
    statistics: Mapping[str, StackStatistics]
    num_minibatches: int
    """The number of minibatches, the same for all stacks; each is a segment of every SparseCore."""
