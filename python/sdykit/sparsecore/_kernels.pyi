"""The compiled loops of preprocessing.

They release the GIL, allocate nothing, and check their arguments: contiguous arrays of the dtype
that is named, with no fewer elements than are written or read. A word is uint64: the key (target
partition above the id's row in it) in the upper half, the sample's row in the lower. Words of a
list are in the order of its samples.

Each raises a ValueError that names function, argument, and what was expected.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

BUCKETS: int
"""Of the vocabulary, or of a SparseCore's samples: 64."""
ALIGNMENT: int
"""A partition's entries start at a multiple of it (jax-tpu-embedding's format)."""

SUM: int
MEAN: int
SQRTN: int
"""Combiners."""

GOOD: int
BAD_ID: int
DOUBTFUL: int
"""What appending gives."""

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
        splits: int64 `[samples + 1]`, where the samples start; not read if `valency >= 0`.
        valency: ids of every sample, or -1.
        rows_per_core: samples of the feature on one SparseCore.
        cores: the SparseCores `[first, last)`, counted over the batch.
        first_row: row of the feature's first sample on a SparseCore.
        mapping: `(mask, shift, log2 of partitions, first row in a partition, bits of a row in it)`.
        bound: ids are below it.
        cursors: int64 `[last - first]`, the ends of the lists; moved on.
        words: uint64, the lists.

    Returns:
        `GOOD` or `BAD_ID`; after that the lists hold rubbish.
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
    """Append the gains that go with the ids that `append_plain` appends.

    `weights` is float32 `[n]`, or empty: every weight is 1. Sums are in float32, in the order of
    the ids, squares are added without rounding them first, and a gain is one division: as
    jax-tpu-embedding does it.

    Returns:
        `GOOD`, or `DOUBTFUL`, which asks for a closer look: without it, all weights are finite,
        no divisor is 0 or infinite, and the gains of duplicates have finite sums. The gains are
        complete in either case.
    """

def pack_cores(
    cores: _Pair,
    lists: _Lists,
    shape: tuple[int, int, int, int],
    scratch: tuple[npt.NDArray[np.uint32], _Words, _Words],
    buffers: tuple[_Int32, _Int32, _Gains],
    pointers: _Int32,
    counts: tuple[_Int32, _Int32],
    limits: _Pair,
    absolute: bool,
    defined: bool,
) -> _Pair:
    """Sort the lists of some SparseCores and pack them, without minibatches.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch; whole devices if
            `absolute`.
        lists: `(starts, words, gains, gain)`: int64 `[last - first + 1]`, where the lists start
            in `words`; uint64; float32 beside the words, or empty if every gain is `gain`.
        shape: `(partitions, bits of a key, bits of a row in a partition, SparseCores of a device)`.
        scratch: `(counters, left, right)` of a sort: uint32 `[4, 2048]`, and uint64 as long as the
            longest list; all overwritten.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`.
        pointers: int32 `[devices, SparseCores * max(partitions, 8)]`, or longer if `absolute`.
        counts: `(ids, unique ids)`, int32 `[SparseCores, partitions]`, before dropping.
        limits: `(ids, unique ids)` of a partition; what passes them is left out.
        absolute: pack the SparseCores of a device one after the other, as with minibatches;
            otherwise each has its share of the buffers, and positions count from there.
        defined: fill what is left of the buffers with pads.

    Returns:
        The numbers of ids left out, duplicates included, for limits and for want of room.
    """

def bucket_of(column: int) -> int:
    """Return the bucket of a column of a stack, from 0 to 63.

    The hash is HighwayHash (https://arxiv.org/abs/1612.06257) of 4 bytes, with the key of
    jax-tpu-embedding, so that the same ids fall into the same minibatches.
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
        scratch: as for `pack_cores`, and uint32 as long as the longest list.
        rows: of one SparseCore, if they are split into buckets; 0 if the vocabulary is.
        items: uint64 beside the words; the sorted lists. If the lists have gains, the lower
            halves are positions in the list.
        runs: int64 `[last - first, partitions * 64 + 1]`, where (partition, bucket) starts in its
            list.
        counts: `(ids, unique ids)`, int32 `[SparseCores, partitions, 64]`.
    """

def split_bits(counts: _Int32, limit: int) -> int:
    """Decide where the 64 buckets must part, for all lists and partitions.

    Args:
        counts: int32 `[SparseCores, partitions, 64]`.
        limit: of a partition in a minibatch.

    Returns:
        A bit for each inner node of the tree over the buckets, the lowest level first: set if the
        two halves below it do not fit into one minibatch for some list and partition.
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
    limits: _Pair,
    defined: bool,
) -> _Pair:
    """Pack buckets, one or several a minibatch.

    Args:
        cores: the SparseCores `[first, last)` of whole devices, counted over the batch.
        lists: as for `group_cores`.
        shape: `(partitions, bits of a row in a partition, SparseCores of a device)`.
        groups: `(items, runs)` of `group_cores`.
        firsts: int64 `[minibatches + 1]`, the first bucket of each; 64 in the end.
        buffers: `(ids, samples, gains)`, each `[devices, entries]`.
        pointers: int32 `[devices, 64 * SparseCores * max(partitions, 8)]`.
        counts: of `group_cores`.
        limits: `(ids, unique ids)` of a partition's bucket; what passes them is left out.
        defined: fill what is left of the buffers with pads.

    Returns:
        The numbers of ids left out, duplicates included, for limits and for want of room.
    """

def count_cores(
    starts: _Int64,
    words: _Words,
    shape: tuple[int, int, int],
    scratch: tuple[npt.NDArray[np.uint32], _Words, _Words, _Int32],
    first_rows: _Int64,
    counts: tuple[_Int32, _Int32],
    most: _Int32,
) -> None:
    """Count the lists of some SparseCores.

    Args:
        starts: int64 `[SparseCores + 1]`, where the lists start.
        words: uint64, the lists, as `append_plain` writes them.
        shape: `(partitions, bits of a key, bits of a row in a partition)`.
        scratch: as for `pack_cores`, and int32 zeros, one for each of a SparseCore's samples; they
            are left zeros.
        first_rows: int64 `[tables + 1]`: where the tables begin in a partition, and their end.
        counts: `(ids, unique ids)`, int32 `[SparseCores, tables, partitions]`. An id counts once
            a sample.
        most: int32 `[tables]`, raised to the most ids that one sample has in one partition.
    """

def limit_tables(
    cores: _Pair,
    lists: _Lists,
    shape: _Pair,
    scratch: tuple[npt.NDArray[np.uint32], _Words, _Words],
    limits: tuple[_Int64, _Int64, _Int64],
    kept: tuple[_Int64, _Words, _Gains],
    observed: _Int64,
) -> int:
    """Leave out of lists what passes the limits of its table.

    Ids are taken in the order of the buffers. One that is left out counts towards both limits,
    and its duplicates in the sample are left out with it.

    Args:
        cores: the SparseCores `[first, last)`, counted over the batch.
        lists: as for `pack_cores`.
        shape: `(bits of a key, bits of a row in a partition)`.
        scratch: as for `pack_cores`.
        limits: `(ends, ids, unique ids)`, int64 `[tables]`: the row after a table's last one in
            a partition, and its limits.
        kept: `(starts, words, gains)`, shaped as those of `lists`: what is left, sorted.
        observed: int64 `[SparseCores, tables, 2]`: ids and unique ids before dropping.

    Returns:
        The number of ids left out, duplicates included.
    """

def index_samples(
    entries: tuple[Any, ...],
    pointers: _Int32,
    span: tuple[int, int, int, int],
    shape: tuple[int, int, int],
    splits: _Int32,
    rows: _Int32,
    gains: _Gains,
) -> None:
    """Copy entries in the order of their samples; those of a sample stay in their order.

    Args:
        entries: `(ids, samples, gains)` of a device, each `[entries]`, with pads.
        pointers: int32, the row pointers of the SparseCore's segments.
        span: `(origin, begin, end, stop)`: pointers count from `origin`; the entries are in
            `[begin, end)`, and no other SparseCore has any in `[end, stop)`.
        shape: `(partitions, row pointers of a segment, rows of a partition)`.
        splits: int32 `[samples + 1]`: where a sample starts in `rows`; overwritten.
        rows: int32 `[entries]`: the row in the table, partition after partition; `[begin, stop)`
            is overwritten, pads last.
        gains: float32 `[entries]`: beside `rows`.
    """
