"""Static buffers in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sdykit.sparsecore._kernels import pack_cores
from sdykit.sparsecore._preprocess.target import (
    Loss,
    Part,
    Target,
    cut,
    index_cores,
    threads_for,
)
from sdykit.sparsecore._threads import Job, Scratch, run_jobs


def pack(targets: Sequence[Target], threads: int, absolute: bool) -> None:
    """Fill the buffers in one pass; `lost` and the counts say whether everything fitted."""
    threads = threads_for(targets, threads)
    jobs: list[Job] = [
        partial(_pack_job, part, absolute) for part in cut(targets, threads, absolute)
    ]
    run_jobs(jobs, threads)


def _pack_job(part: Part, absolute: bool, scratch: Scratch) -> None:
    target, first, last = part
    plan = target.plan
    lists = plan.fill(first, last, scratch)
    dropped, short = pack_cores(
        (first, last),
        lists,
        (
            plan.system.num_sparse_cores,
            plan.bits + plan.log_partitions,
            plan.bits,
            plan.system.sparse_cores_per_device,
        ),
        plan.sorting(scratch),
        target.arrays,
        target.buffers.row_pointers,
        (target.ids, target.unique_ids),
        target.limits,
        absolute,
        target.defined,
    )
    if dropped or short:
        target.losses.append(Loss(first, dropped, short))
    if target.buffers.index is not None:
        index_cores(part, 1, absolute)
