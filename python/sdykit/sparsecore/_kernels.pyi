"""The compiled loops of preprocessing.

They release the GIL, and check their arguments: contiguous arrays of the dtype
that is named, with at least as many elements as are written or read. A word is uint64: the key (the
partition in its upper bits, the id's row in the partition in its lower) in the upper half, the
sample's row in the lower. The words of a list are in the order of its samples.

Each raises a ValueError that names function, argument, and what was expected.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

INTERFACE: str
"""The digest of this file as it was when the module was built."""

BUCKETS: int
"""The number of buckets of the vocabulary, or of a SparseCore's samples: 64."""
ALIGNMENT: int
"""The entries of a partition start at a multiple of it, as in jax-tpu-embedding's format: 8."""

SUM: int
MEAN: int
SQRTN: int
"""The combiners."""

BAD_ID: int
"""The bit of a code: an id is out of bounds, and what follows it is garbage."""
DOUBTFUL: int
"""The bit of a code: a weight is not finite, a divisor is 0 or infinite, or the gains of duplicates may have
an infinite sum. A thorough check is needed; the gains are complete."""

_Ids = npt.NDArray[np.int32] | npt.NDArray[np.int64]
_Int32 = npt.NDArray[np.int32]
_Int64 = npt.NDArray[np.int64]
_Words = npt.NDArray[np.uint64]
_Gains = npt.NDArray[np.float32]
_Codes = npt.NDArray[np.uint8]
_Lists = tuple[_Int64, _Words, _Gains, np.float32]
_Pair = tuple[int, int]
_Feature = tuple[_Ids, _Int64, int, int, int, tuple[int, int, int, int, int], int, _Gains]
_Limits = tuple[_Int64, _Int64, _Int64, int, int]
_Source = tuple[tuple[_Feature, ...], int, np.float32 | None, _Limits | None]
_Index = tuple[_Int32, _Int32, _Gains, _Int32, _Int32, int]

def fill_lists(
    cores: _Pair,
    source: _Source,
    starts: _Int64,
    words: _Words,
    gains: _Gains,
    codes: _Codes,
) -> int:
    """Write the lists of some SparseCores.

    Gains of weights are computed in float32, in the order of the ids; squares are added by fused
    multiply-adds, and a gain is one division, as in jax-tpu-embedding.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        source: `(features, combiner, gain, limits)`: the features, in the order of their rows; the
            gain of all ids, or None if each has its own; and limits of tables, or None.
            A feature is `(ids, splits, valency, rows, first row, mapping, bound, weights)`: int32 or
            int64 `[n]`, sample after sample; int64 `[samples + 1]`, the position of each sample's
            first id, and `n`, not read if `valency >= 0`; ids in every sample, or -1 if the samples
            differ; the number of its samples on one SparseCore; the row of the first of them;
            `(mask, shift, log2 of partitions, first row in a partition, bits of a row in it)`; one
            past the largest id; and float32 `[n]`, or empty: every weight is 1.
            Limits are `(ends, maxima, observed, bits of a key, bits of a row in a partition)`: int64
            `[tables]`, one past the last row of each in a partition; int64 `[SparseCores, tables,
            2]`, the maximum ids and unique ids that a SparseCore takes from a table; and the same of
            ids before dropping, overwritten. Ids are taken in the order of the buffers; a dropped id
            counts towards both limits, and its duplicates in the sample are dropped with it.
        starts: int64 `[last - first + 1]`, the position of each list in `words`, and their end;
            overwritten.
        words: uint64, the lists; overwritten.
        gains: float32, the gains of `words`; not written if all have one.
        codes: uint8 `[features]`, to which `BAD_ID` and `DOUBTFUL` are added.

    Returns:
        The number of dropped ids, duplicates included.
    """

def pack_stacks(
    stacks: tuple[tuple[Any, ...], ...],
    parts: _Int64,
    lost: _Int64,
    codes: npt.NDArray[np.uint8],
    threads: int,
) -> None:
    """Make lists of features, sort them and pack them into buffers, without minibatches.

    Args:
        stacks: `(source, shape, (absolute, defined), buffers, pointers, counts, limits, index)` each:
            the features, as for `fill_lists`;
            `(partitions, bits of a key, bits of a row in a partition, SparseCores of a device)`;
            whether the SparseCores of a device are packed one after the other, as with minibatches
            (otherwise each has its share of the buffers, and positions count from there), and
            whether the rest of the buffers is filled with pads;
            `(ids, samples, gains)`, each `[devices, entries]`;
            int32 `[devices, SparseCores * max(partitions, 8)]`, or longer if `absolute`;
            `(ids, unique ids)`, int32 `[SparseCores, partitions]`, before dropping;
            `(ids, unique ids)`, int64 `[partitions]`: the maxima of each partition, more are
            dropped;
            and the arrays of `index_samples`, or None.
        parts: int64 `[n, 3]`, rising: the number of a stack, the first of some of its SparseCores, and
            one past the last; whole devices if `absolute`.
        lost: int64 `[n, 3]`: for each part, the number of ids over a limit of their partition, of
            those without room, and of those over a limit of their table are added, duplicates
            included.
        codes: uint8 `[n, features]`, to which the codes of each part's features are added. After
            `BAD_ID` the part is not complete.
        threads: the maximum number of threads, the caller's included.
    """

def buckets_of(columns: npt.NDArray[np.uint64], buckets: _Int32) -> None:
    """Compute the buckets of columns of a stack, from 0 to 63.

    The hash is HighwayHash (https://arxiv.org/abs/1612.06257) of 4 bytes, with the key of
    jax-tpu-embedding, so that the same ids are in the same minibatches.

    Args:
        columns: uint64 `[n]`.
        buckets: int32 `[n]`, the result.
    """

def group_cores(
    cores: _Pair,
    lists: _Lists,
    shape: tuple[int, int, int],
    scratch: tuple[npt.NDArray[np.uint32], _Words, _Words, npt.NDArray[np.uint32]],
    rows: int,
    items: _Words,
    runs: _Int64,
    counts: tuple[_Int32, _Int32],
) -> None:
    """Sort the lists of some SparseCores by partition, then bucket, local id and sample.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        lists: `(starts, words, gains, gain)`: int64 `[last - first + 1]`, the position of each list
            in `words`, and their end; uint64; float32 of the same size, or empty if every gain is
            `gain`.
        shape: `(partitions, bits of a key, bits of a row in a partition)`.
        scratch: `(counters, left, right, marks)` for sorting: uint32 `[4, 2048]`, twice uint64 and
            once uint32 of the size of the longest list; all are overwritten.
        rows: the number of samples on a SparseCore, if the sample determines the bucket; 0 if the
            row does.
        items: uint64 of the size of the words; the sorted lists. If the lists have gains, the lower
            halves are positions in the list.
        runs: int64 `[last - first, partitions * 64 + 1]`, the position of each (partition, bucket)
            in its list, and their end.
        counts: `(ids, unique ids)`, int32 `[SparseCores, partitions, 64]`.
    """

def split_bits(counts: _Int32, limits: _Int64) -> int:
    """Return which of the 64 buckets must be in different minibatches.

    Args:
        counts: int32 `[SparseCores, partitions, 64]`.
        limits: int64 `[partitions]`: the maximum of each partition in a minibatch.

    Returns:
        A bit for each inner node of the tree over the buckets, the lowest level first: set if its
        two halves do not fit in one minibatch for some list and partition.
    """

def pack_minibatches(
    cores: _Pair,
    lists: _Lists,
    shape: tuple[int, int, int],
    groups: tuple[_Words, _Int64],
    firsts: _Int64,
    buffers: tuple[_Int32, _Int32, _Gains],
    pointers: _Int32,
    counts: tuple[_Int32, _Int32],
    limits: tuple[_Int64, _Int64],
    defined: bool,
    by_sample: bool,
) -> _Pair:
    """Pack buckets, one or several in each minibatch.

    Args:
        cores: the SparseCores `[first, last)` of whole devices, counted over the batch.
        lists: as for `group_cores`.
        shape: `(partitions, bits of a row in a partition, SparseCores of a device)`.
        groups: `(items, runs)` of `group_cores`; with `by_sample`, items are sorted in place.
        firsts: int64 `[minibatches + 1]`, the first bucket of each minibatch, and 64.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`.
        pointers: int32 `[devices, 64 * SparseCores * max(partitions, 8)]`.
        counts: the counts of `group_cores`.
        limits: `(ids, unique ids)`, int64 `[partitions]`: the maxima of a bucket of each partition;
            more are dropped.
        defined: whether the rest of the buffers is filled with pads.
        by_sample: whether the sample determines an id's bucket: the buckets of a minibatch are sorted
            as one list, so that the entries of an id are next to each other.

    Returns:
        The number of ids over a limit and the number of ids without room, duplicates included.
    """

def count_cores(
    starts: _Int64,
    words: _Words,
    shape: tuple[int, int, int],
    scratch: tuple[npt.NDArray[np.uint32], _Words, _Words, _Int32],
    first_rows: _Int64,
    counts: tuple[_Int32, _Int32],
    max_of_sample: _Int32,
) -> None:
    """Count the ids in the lists of some SparseCores.

    Args:
        starts: int64 `[SparseCores + 1]`, the position of each list in `words`, and their end.
        words: uint64, the lists, as `fill_lists` writes them.
        shape: `(partitions, bits of a key, bits of a row in a partition)`.
        scratch: `(counters, left, right)` as for `group_cores`, and int32 zeros, one for each sample on a SparseCore, which
            are zeros again afterwards.
        first_rows: int64 `[tables + 1]`, the first row of each table in a partition, and their end.
        counts: `(ids, unique ids)`, int32 `[SparseCores, tables, partitions]`. An id counts once
            in each sample.
        max_of_sample: int32 `[tables]`, raised to the maximum number of ids that one sample has in
            one partition.
    """

def count_raw_ids(
    ids: _Int32,
    rows: tuple[int, int],
    shape: tuple[int, int, int, int],
    block_ids: npt.NDArray[np.int64],
    unique_ids: npt.NDArray[np.int64],
) -> None:
    """Count raw ids in the blocks that tiles take of the ids of their samples.

    Args:
        ids: int32 `[SparseCores * samples * valency]`.
        rows: the first row that is counted, and one past the last; negative ids are not.
        shape: `(valency, samples of a SparseCore, tiles of a SparseCore, ids of a block)`.
        block_ids: the ids of each block of each tile, int64 `[blocks, SparseCores * tiles]`;
            overwritten.
        unique_ids: the sums over the blocks of their distinct ids, int64 `[SparseCores * tiles]`;
            overwritten.
    """

def index_samples(
    cores: _Pair,
    buffers: tuple[_Int32, _Int32, _Gains],
    pointers: _Int32,
    shape: tuple[int, int, int, bool],
    index: _Index | None,
) -> None:
    """Copy the entries of some SparseCores in the order of their samples.

    The entries of a sample keep their order.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`, with pads.
        pointers: int32 `[devices, columns]`, the row pointers.
        shape: `(partitions, SparseCores of a device, minibatches, absolute)`; the last as for
            `pack_stacks`.
        index: `(splits, rows, gains, counts, counts of tiles, rows of a partition)`: int32 `[devices,
            SparseCores, samples + 1]`, the position of each sample's first entry in `rows`, and one
            past the last, overwritten; int32 `[devices, entries]`, the rows in the table, partition
            after partition: the parts of the SparseCores are overwritten, with pads at their ends;
            float32 `[devices, entries]`, their gains; ids and unique ids, int32 `[devices, 2,
            SparseCores, minibatches or more, partitions]`, and ids by the tile of their samples,
            int32 `[devices, SparseCores, minibatches or more, partitions, tiles]`: those of the
            minibatches are overwritten.
    """
