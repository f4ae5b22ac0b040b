"""Minibatches of sorted ids, and ids that exceed limits, as preprocessing makes and drops them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.loops import BUCKETS, buckets_of, split_bits
from sdykit.sparsecore.preprocess.buckets import first_buckets
from sdykit.sparsecore.whatif.sorting import Integers, SortedIds, differs

Limits = tuple[Integers, Integers]
"""The maximum ids and unique ids of each partition."""


@dataclass(frozen=True, eq=False)
class Kept:
    """The entries of a stack that are within its limits, and their minibatches.

    Attributes:
        ids: all entries.
        is_kept: whether an entry is within the limits, bool `[entries]`.
        minibatch: the minibatch of each entry, int64 `[entries]`.
        minibatches: the number of minibatches.
        has_minibatches: whether programs have room for several, needed or not.
        dropped: the number of ids that are not kept, duplicates included.
    """

    ids: SortedIds
    is_kept: npt.NDArray[np.bool_]
    minibatch: Integers
    minibatches: int
    has_minibatches: bool
    dropped: int


def keep(
    stacks: Sequence[SortedIds], limits: Sequence[Limits], *, has_minibatches: bool
) -> list[Kept]:
    """Return the entries of a batch that are within limits.

    Args:
        stacks: the entries of all stacks.
        limits: the limits of the partitions of each stack.
        has_minibatches: whether a batch that exceeds them is split into minibatches by id; what is then
            still too much, or all of it, is dropped.

    Returns:
        What `sdykit.sparsecore.preprocess` keeps with `allow_id_dropping`.
    """
    over = [_exceeded(ids, each) for ids, each in zip(stacks, limits, strict=True)]
    if not any(each.any() for each in over):
        return [_whole(ids, has_minibatches) for ids in stacks]
    if not has_minibatches:
        return [
            _within(ids, each, np.zeros(len(ids), np.int64), None)
            for ids, each in zip(stacks, limits, strict=True)
        ]
    buckets = [_buckets(ids) for ids in stacks]
    splits = 0
    for ids, each, lists, bucket in zip(stacks, limits, over, buckets, strict=True):
        splits |= _splits(ids, each, np.flatnonzero(lists), bucket)
    firsts = first_buckets(splits)
    return [
        _within(ids, each, bucket, firsts)
        for ids, each, bucket in zip(stacks, limits, buckets, strict=True)
    ]


def _exceeded(ids: SortedIds, limits: Limits) -> npt.NDArray[np.bool_]:
    """Return whether each list has more ids or unique ids than the limits of its partition."""
    of_ids, of_unique_ids = (each[ids.list_partition] for each in limits)
    return (ids.list_ids > of_ids) | (ids.list_unique_ids > of_unique_ids)


def _buckets(ids: SortedIds) -> Integers:
    """Return the bucket of each entry: a hash of its column in the stack."""
    found = np.empty(int(ids.is_new.sum()), np.int32)
    log_partitions = ids.system.num_sparse_cores.bit_length() - 1
    columns = (ids.row << log_partitions | ids.partition)[ids.is_new]
    buckets_of(columns.astype(np.uint64), found)
    return found.astype(np.int64)[np.cumsum(ids.is_new) - 1]


def _splits(ids: SortedIds, limits: Limits, lists: Integers, bucket: Integers) -> int:
    """Return the splits that the lists that exceed their limits need; others need none."""
    sizes = ids.list_ids[lists]
    number = np.repeat(np.arange(len(lists)), sizes)
    entry = np.arange(len(number)) + np.repeat(
        ids.starts[lists] - (np.cumsum(sizes) - sizes), sizes
    )
    place = number * BUCKETS + bucket[entry]
    shape = (1, len(lists), BUCKETS)
    partition = ids.list_partition[lists]
    splits = 0
    for places, limit in zip((place, place[ids.is_new[entry]]), limits, strict=True):
        counts = np.bincount(places, minlength=len(lists) * BUCKETS).astype(np.int32)
        splits |= int(split_bits(counts.reshape(shape), limit[partition].astype(np.int64)))
    return splits


def _whole(ids: SortedIds, has_minibatches: bool) -> Kept:
    """Return all entries of a stack, in one minibatch."""
    count = len(ids)
    return Kept(ids, np.ones(count, np.bool_), np.zeros(count, np.int64), 1, has_minibatches, 0)


def _within(ids: SortedIds, limits: Limits, bucket: Integers, firsts: Integers | None) -> Kept:
    """Return the entries of a stack that are within limits.

    A run is dropped from as soon as it exceeds a limit: a list, or with minibatches a bucket of one.

    Args:
        ids: the entries.
        limits: the limits.
        bucket: the bucket of each entry.
        firsts: the first bucket of each minibatch, and 64; None: there is one minibatch.
    """
    count = 1 if firsts is None else len(firsts) - 1
    minibatch = bucket if firsts is None else np.searchsorted(firsts, bucket, side="right") - 1
    # Within a list, rows ascend: a stable sort by list and bucket keeps their order.
    lists = np.cumsum(ids.is_first) - 1
    order = slice(None) if firsts is None else np.argsort(lists * BUCKETS + bucket, kind="stable")
    run = (lists * BUCKETS + bucket)[order]
    is_kept = np.empty(len(ids), np.bool_)
    of_ids, of_unique_ids = (each[ids.partition[order]] for each in limits)
    is_kept[order] = (_ranks(np.ones(len(ids), np.bool_), run) <= of_ids) & (
        _ranks(ids.is_new[order], run) <= of_unique_ids
    )
    dropped = int(ids.copies[~is_kept].sum())
    return Kept(ids, is_kept, minibatch, count, firsts is not None, dropped)


def _ranks(counted: npt.NDArray[np.bool_], run: Integers) -> Integers:
    """Return how many elements of a run are counted, up to each of its elements."""
    totals = np.cumsum(counted)
    starts = np.flatnonzero(differs(run))
    before = (totals - counted)[starts]
    return totals - np.repeat(before, np.diff(starts, append=len(run)))
