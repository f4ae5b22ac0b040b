"""The compiled loops of preprocessing.

They release the GIL, allocate nothing, and check their arguments: contiguous arrays of the dtype
that is named, with at least as many elements as are written or read. A word is uint64: the key (the
partition in its upper bits, the id's row in the partition in its lower) in the upper half, the
sample's row in the lower. The words of a list are in the order of its samples.

Each raises a ValueError that names function, argument, and what was expected.
"""

import numpy as np
import numpy.typing as npt

BUCKETS: int
"""The number of buckets of the vocabulary, or of a SparseCore's samples: 64."""
ALIGNMENT: int
"""The entries of a partition start at a multiple of it, as in jax-tpu-embedding's format: 8."""

SUM: int
MEAN: int
SQRTN: int
"""The combiners."""

GOOD: int
BAD_ID: int
DOUBTFUL: int
"""The results of `append_plain` and `append_gains`."""

_Ids = npt.NDArray[np.int32] | npt.NDArray[np.int64]
_Int32 = npt.NDArray[np.int32]
_Int64 = npt.NDArray[np.int64]
_Words = npt.NDArray[np.uint64]
_Gains = npt.NDArray[np.float32]
_Lists = tuple[_Int64, _Words, _Gains, np.float32]
_Pair = tuple[int, int]

def append_plain(
    ids: _Ids,
    splits: _Int64,
    valency: int,
    rows_per_core: int,
    cores: _Pair,
    first_row: int,
    mapping: tuple[int, int, int, int, int],
    bound: int,
    cursors: _Int64,
    words: _Words,
) -> int:
    """Append a feature without weights to the lists of some SparseCores.

    Args:
        ids: int32 or int64 `[n]`, sample after sample.
        splits: int64 `[samples + 1]`, the position of each sample's first id, and `n`; not read if
            `valency >= 0`.
        valency: ids in every sample, or -1 if the samples differ.
        rows_per_core: the number of the feature's samples on one SparseCore.
        cores: the SparseCores `[first, last)`, counted over the batch.
        first_row: the row of the feature's first sample on a SparseCore.
        mapping: `(mask, shift, log2 of partitions, first row in a partition, bits of a row in it)`.
        bound: one past the largest id.
        cursors: int64 `[last - first]`, the ends of the lists, which are advanced.
        words: uint64, the lists.

    Returns:
        `GOOD`, or `BAD_ID`: an id is out of bounds, and the lists are garbage.
    """

def append_gains(
    ids: _Ids,
    splits: _Int64,
    valency: int,
    rows_per_core: int,
    cores: _Pair,
    weights: _Gains,
    combiner: int,
    cursors: _Int64,
    gains: _Gains,
) -> int:
    """Append the gains of the ids that `append_plain` appends.

    `weights` is float32 `[n]`, or empty: every weight is 1. Sums are computed in float32, in the
    order of the ids, squares are added by fused multiply-adds, and a gain is one division, as in
    jax-tpu-embedding.

    Returns:
        `GOOD`: all weights are finite, no divisor is 0 or infinite, and the gains of duplicates
        have finite sums. `DOUBTFUL`: a thorough check is needed. The gains are complete in both
        cases.
    """

def pack_cores(
    cores: _Pair,
    lists: _Lists,
    shape: tuple[int, int, int, int],
    scratch: tuple[npt.NDArray[np.uint32], _Words, _Words],
    buffers: tuple[_Int32, _Int32, _Gains],
    pointers: _Int32,
    counts: tuple[_Int32, _Int32],
    limits: tuple[_Int64, _Int64],
    absolute: bool,
    defined: bool,
) -> _Pair:
    """Sort the lists of some SparseCores and pack them, without minibatches.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch; whole devices if
            `absolute`.
        lists: `(starts, words, gains, gain)`: int64 `[last - first + 1]`, the position of each list
            in `words`, and their end; uint64; float32 of the same size, or empty if every gain is
            `gain`.
        shape: `(partitions, bits of a key, bits of a row in a partition, SparseCores of a device)`.
        scratch: `(counters, left, right)` for sorting: uint32 `[4, 2048]`, and twice uint64 of the
            size of the longest list; all are overwritten.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`.
        pointers: int32 `[devices, SparseCores * max(partitions, 8)]`, or longer if `absolute`.
        counts: `(ids, unique ids)`, int32 `[SparseCores, partitions]`, before dropping.
        limits: `(ids, unique ids)`, int64 `[partitions]`: the maxima of each partition; more are
            dropped.
        absolute: whether the SparseCores of a device are packed one after the other, as with
            minibatches; otherwise each has its share of the buffers, and positions count from
            there.
        defined: whether the rest of the buffers is filled with pads.

    Returns:
        The number of ids over a limit and the number of ids without room, duplicates included.
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
        lists: as for `pack_cores`.
        shape: `(partitions, bits of a key, bits of a row in a partition)`.
        scratch: as for `pack_cores`, and uint32 of the size of the longest list.
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
        words: uint64, the lists, as `append_plain` writes them.
        shape: `(partitions, bits of a key, bits of a row in a partition)`.
        scratch: as for `pack_cores`, and int32 zeros, one for each sample on a SparseCore, which
            are zeros again afterwards.
        first_rows: int64 `[tables + 1]`, the first row of each table in a partition, and their end.
        counts: `(ids, unique ids)`, int32 `[SparseCores, tables, partitions]`. An id counts once
            in each sample.
        max_of_sample: int32 `[tables]`, raised to the maximum number of ids that one sample has in
            one partition.
    """

def limit_tables(
    cores: _Pair,
    lists: _Lists,
    shape: _Pair,
    scratch: tuple[npt.NDArray[np.uint32], _Words, _Words],
    ends: _Int64,
    limits: _Int64,
    kept: tuple[_Int64, _Words, _Gains],
    observed: _Int64,
) -> int:
    """Drop the ids of lists that exceed their SparseCore's limits of the table.

    Ids are taken in the order of the buffers. A dropped id counts towards both limits, and its
    duplicates in the sample are dropped with it.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        lists: as for `pack_cores`.
        shape: `(bits of a key, bits of a row in a partition)`.
        scratch: as for `pack_cores`.
        ends: int64 `[tables]`: one past a table's last row in a partition.
        limits: int64 `[SparseCores, tables, 2]`: the maximum ids and unique ids that a SparseCore
            takes from a table.
        kept: `(starts, words, gains)`, of the shapes of those of `lists`: the other ids, sorted.
        observed: int64 `[SparseCores, tables, 2]`: ids and unique ids before dropping.

    Returns:
        The number of dropped ids, duplicates included.
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
    shape: tuple[int, int, int, int],
    absolute: bool,
    splits: _Int32,
    rows: _Int32,
    gains: _Gains,
    counts: tuple[_Int32, _Int32],
) -> None:
    """Copy the entries of some SparseCores in the order of their samples.

    The entries of a sample keep their order.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`, with pads.
        pointers: int32 `[devices, columns]`, the row pointers.
        shape: `(partitions, SparseCores of a device, minibatches, rows of a partition)`.
        absolute: as for `pack_cores`.
        splits: int32 `[devices, SparseCores, samples + 1]`: the position of each sample's first entry
            in `rows`, and one past the last; overwritten.
        rows: int32 `[devices, entries]`: the rows in the table, partition after partition; the parts
            of the SparseCores are overwritten, with pads at their ends.
        gains: float32 `[devices, entries]`: the gains of `rows`.
        counts: ids and unique ids, int32 `[devices, 2, SparseCores, minibatches or more,
            partitions]`, and ids by the tile of their samples, int32 `[devices, SparseCores,
            minibatches or more, partitions, tiles]`; those of the minibatches are overwritten.
    """
