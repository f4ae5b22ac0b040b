"""Minibatches: ids are grouped by bucket, and the buckets of a minibatch packed together."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.loops import BUCKETS, group_cores, pack_minibatches, split_bits
from sdykit.sparsecore.preprocess.plan import Lists, sorting
from sdykit.sparsecore.preprocess.target import (
    Loss,
    Part,
    Target,
    index_cores,
    split_work,
    threads_for,
)
from sdykit.sparsecore.threads import Job, Scratch, run_jobs

BucketCounts = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""Ids and unique ids, `[SparseCores, partitions, 64]`."""


@dataclasses.dataclass(frozen=True, eq=False)
class Groups:
    """The lists of a part, sorted by partition and bucket."""

    part: Part
    lists: Lists
    items: npt.NDArray[np.uint64]
    """The sorted ids, list after list; `pack_groups` may sort those of a minibatch again."""
    runs: npt.NDArray[np.int64]
    """`[SparseCores of the part, 64 * partitions + 1]`: the position in `items` of each bucket of
    each partition, and their end."""
    counts: BucketCounts
    """The counts of the whole target."""
    by_sample: bool
    """Whether the sample determines an id's bucket, or its row."""


def group(
    targets: Sequence[Target], threads: int, by_sample: bool
) -> tuple[list[Groups], list[BucketCounts]]:
    """Sort all lists by bucket.

    Args:
        targets: the targets of all stacks.
        threads: the maximum number of threads.
        by_sample: whether the sample determines an id's bucket, or its row.

    Returns:
        The groups of all parts, and the counts of each target by bucket.
    """
    threads = threads_for(targets, threads)
    counts = [_empty_counts(target) for target in targets]
    groups: list[Groups] = []
    jobs: list[Job] = [
        partial(_group_job, part, by_sample, counts[targets.index(part.target)], groups)
        for part in split_work(targets, threads, aligned=True)
    ]
    run_jobs(jobs, threads)
    return groups, counts


def _empty_counts(target: Target) -> BucketCounts:
    shape = (*target.ids.shape, BUCKETS)
    return np.empty(shape, np.int32), np.empty(shape, np.int32)


def _group_job(
    part: Part, by_sample: bool, counts: BucketCounts, groups: list[Groups], scratch: Scratch
) -> None:
    target, first, last = part
    plan = target.plan
    partitions = plan.system.num_sparse_cores
    lists = plan.fill(first, last, Scratch())  # They are kept: the thread's own would be reused.
    memory = sorting(lists, scratch)
    items = np.empty(int(lists[0][-1]), np.uint64)
    runs = np.empty((last - first, BUCKETS * partitions + 1), np.int64)
    group_cores(
        (first, last),
        lists,
        (partitions, plan.bits + plan.log_partitions, plan.bits),
        (*memory, scratch.array("marks", memory[1].size, np.uint32)),
        plan.stack.batch_size // partitions if by_sample else 0,
        items,
        runs,
        counts,
    )
    groups.append(Groups(part, lists, items, runs, counts, by_sample))


def needed_splits(targets: Sequence[Target], counts: Sequence[BucketCounts]) -> int:
    """Return the splits that the lists of all targets need, one bit for each inner node.

    The nodes are those of the binary tree over the 64 buckets, the lowest level first and from
    left to right. A set bit means that the halves of the node are in different minibatches.
    """
    bits = 0
    for target, pair in zip(targets, counts, strict=True):
        for number, limit in zip(pair, target.limits, strict=True):
            bits |= int(split_bits(number, limit))
    return bits


def first_buckets(splits: int) -> npt.NDArray[np.int64]:
    """Return the first bucket of each minibatch, and 64.

    Two neighbouring buckets are separated by one inner node: the lowest that has one in its left
    half and the other in its right.
    """
    firsts = [0]
    for bucket in range(1, BUCKETS):
        half = bucket & -bucket  # Buckets in one half of the node.
        level_start = BUCKETS - BUCKETS // half
        if splits >> (level_start + bucket // (2 * half)) & 1:
            firsts.append(bucket)
    return np.array([*firsts, BUCKETS], np.int64)


def pack_groups(groups: Sequence[Groups], threads: int, firsts: npt.NDArray[np.int64]) -> None:
    """Fill the buffers with minibatches.

    Args:
        groups: the groups of all parts.
        threads: the maximum number of threads.
        firsts: the first bucket of each minibatch, and 64.
    """
    threads = threads_for([each.part.target for each in groups], threads)
    run_jobs([partial(_pack_groups_job, each, firsts) for each in groups], threads)


def _pack_groups_job(groups: Groups, firsts: npt.NDArray[np.int64], scratch: Scratch) -> None:
    del scratch
    target, first, last = groups.part
    plan = target.plan
    dropped, short = pack_minibatches(
        (first, last),
        groups.lists,
        (plan.system.num_sparse_cores, plan.bits, plan.system.sparse_cores_per_device),
        (groups.items, groups.runs),
        firsts,
        target.arrays,
        target.buffers.row_pointers,
        groups.counts,
        target.limits,
        target.defined,
        groups.by_sample,
    )
    if dropped or short:
        target.losses.append(Loss(first, dropped, short))
    if target.buffers.index is not None:
        index_cores(groups.part, firsts.size - 1, absolute=True)
