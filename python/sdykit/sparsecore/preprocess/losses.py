"""Ids that exceeded a limit or did not fit in the buffers: errors and statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sdykit.sparsecore.errors import LimitExceeded
from sdykit.sparsecore.loops import BUCKETS
from sdykit.sparsecore.preprocess.buckets import BucketCounts
from sdykit.sparsecore.preprocess.results import StackStatistics
from sdykit.sparsecore.preprocess.target import Loss, Target


def exceeds_limits(target: Target) -> bool:
    """Return whether a partition has more ids or unique ids than its limits."""
    ids, unique_ids = target.limits
    return bool((target.ids > ids).any() or (target.unique_ids > unique_ids).any())


def check_losses(
    targets: Sequence[Target], buckets: Sequence[BucketCounts | None], allowed: bool
) -> None:
    """Raise an error if ids were dropped that may not be dropped.

    Args:
        targets: the targets, filled.
        buckets: the counts of each target by bucket, if minibatches were made.
        allowed: whether ids over a limit may be dropped. Ids without room in the buffers may never
            be.

    Raises:
        LimitExceeded: ids were dropped; the text names the limit, the figure and the place.
    """
    for target, counts in zip(targets, buckets, strict=True):
        if not allowed and any(loss.dropped for loss in target.losses):
            _report_limit(target, counts)
        for loss in sorted(target.losses):
            if loss.short:
                _report_room(target, loss)


def statistics_of(
    target: Target, dropped: Mapping[str, int], buckets: BucketCounts | None
) -> StackStatistics:
    """Return the statistics of a stack.

    Args:
        target: the target, filled.
        dropped: the number of ids that were dropped before, by feature.
        buckets: the counts of the target by bucket, if minibatches were made.
    """
    plan = target.plan
    before = sum([dropped[ids.name] for ids in plan.ids]) if dropped else 0
    if plan.table_limits is not None:
        before += int(plan.table_limits.dropped.sum())
    bucket_ids, bucket_unique_ids = buckets or (None, None)
    return StackStatistics(
        ids=target.ids,
        unique_ids=target.unique_ids,
        dropped=before + sum([loss.dropped for loss in target.losses]),
        bucket_ids=bucket_ids,
        bucket_unique_ids=bucket_unique_ids,
    )


def _report_limit(target: Target, buckets: BucketCounts | None) -> None:
    stack = target.plan.stack
    observed = buckets or (target.ids[..., None], target.unique_ids[..., None])
    for counts, limits, what, name in zip(
        observed,
        target.limits,
        ("ids", "unique ids"),
        ("max_ids_per_partition", "max_unique_ids_per_partition"),
        strict=True,
    ):
        over = np.where(counts > limits[:, None], counts, 0)
        core, partition, bucket = np.unravel_index(int(over.argmax()), over.shape)
        if over[core, partition, bucket]:
            where = f" in one of {BUCKETS} buckets" if buckets else ""
            raise LimitExceeded(
                f"table {stack.name!r}: SparseCore {core} sends "
                f"{over[core, partition, bucket]} {what} to partition {partition}{where}; "
                f"compiled for {limits[partition]} ({name}): raise it, or set allow_id_dropping"
            )


def _report_room(target: Target, loss: Loss) -> None:
    room = target.buffers.gains.shape[1]
    device = loss.first_core // target.plan.system.sparse_cores_per_device
    raise LimitExceeded(
        f"table {target.plan.stack.name!r}: {loss.short} ids of device {device} have no place in "
        f"its buffers; compiled for {room} entries (buffer_size_per_device): raise it"
    )
