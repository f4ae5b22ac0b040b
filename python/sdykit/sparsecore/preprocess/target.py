"""The buffers of a stack, and how filling them is split into jobs."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore._kernels import ALIGNMENT, BUCKETS, index_samples
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.preprocess.plan import Plan
from sdykit.sparsecore.preprocess.results import SampleIndex, StackBuffers
from sdykit.sparsecore.specs import INT32_MAX, System
from sdykit.sparsecore.stacking import Stack

SMALL = 1 << 17
"""The number of ids below which one thread does all: fewer take half a millisecond."""

_LARGE = 1 << 17
"""The maximum number of ids in a job: more do not fit in the second-level cache."""


class Loss(NamedTuple):
    """Ids that a job dropped, duplicates included."""

    first_core: int
    """The first SparseCore of the job."""
    dropped: int
    """The number of ids that exceeded a limit of their partition."""
    short: int
    """The number of ids that had no room in the buffers."""


@dataclasses.dataclass(frozen=True, eq=False)
class Target:
    """A plan, the buffers that it is packed into, and the counts of its ids."""

    plan: Plan
    buffers: StackBuffers
    ids: npt.NDArray[np.int32]
    """`[SparseCores, partitions]`: ids before dropping."""
    unique_ids: npt.NDArray[np.int32]
    """The same for unique ids."""
    losses: list[Loss]
    """The ids that jobs dropped."""
    defined: bool
    """Whether elements outside of all segments are pads; otherwise they are uninitialised."""

    @property
    def arrays(self) -> tuple[npt.NDArray, npt.NDArray, npt.NDArray]:
        """The buffers of ids, samples and gains."""
        buffers = self.buffers
        return buffers.embedding_ids, buffers.sample_ids, buffers.gains

    @property
    def limits(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """`[partitions]` each: the maximum numbers of ids and of unique ids in a partition."""
        return self.plan.stack.partition_limits


def row_pointers_size(system: System, absolute: bool) -> int:
    """Return the number of row pointers of a device."""
    width = max(system.num_sparse_cores, ALIGNMENT)
    return system.sparse_cores_per_device * width * (BUCKETS if absolute else 1)


def buffer_size(stack: Stack, system: System, absolute: bool) -> int:
    """Return the number of entries in a device's buffers, by jax-tpu-embedding's rule.

    Raises:
        SparseCoreError: they are too many for row pointers, which are int32.
    """
    cores = system.sparse_cores_per_device
    if stack.buffer_size_per_device is not None:
        size = -(-stack.buffer_size_per_device // (ALIGNMENT * cores)) * ALIGNMENT * cores
    else:
        ids, _ = stack.partition_limits
        size = int((-(-ids // ALIGNMENT) * ALIGNMENT).sum())
        size *= cores * (BUCKETS if absolute else 1)
    if size > INT32_MAX:
        raise SparseCoreError(
            f"stack {stack.name!r}: the buffers of a device have {size} entries; expected at most "
            f"{INT32_MAX}: lower max_ids_per_partition, or set buffer_size_per_device"
        )
    return size


def make_target(plan: Plan, absolute: bool, defined: bool, tiles: int) -> Target:
    """Allocate the buffers of a plan.

    Args:
        plan: the plan.
        absolute: whether row pointers count from the start of the device's buffers, as with
            minibatches, or from the start of the SparseCore's part.
        defined: as in `Target`.
        tiles: the number of tiles that ids are counted for, may be 0.
    """
    devices, cores = plan.devices, plan.system.num_sparse_cores
    shape = (devices, buffer_size(plan.stack, plan.system, absolute))
    rows = plan.stack.batch_size // cores
    splits = (devices, plan.system.sparse_cores_per_device, rows + 1)
    segments = (plan.system.sparse_cores_per_device, BUCKETS if absolute else 1, cores, tiles)
    with_index = defined and plan.system.num_devices == 1
    return Target(
        plan=plan,
        buffers=StackBuffers(
            row_pointers=np.empty((devices, row_pointers_size(plan.system, absolute)), np.int32),
            embedding_ids=np.empty(shape, np.int32),
            sample_ids=np.empty(shape, np.int32),
            gains=np.empty(shape, np.float32),
            # Of several devices, each looks up for all: its own order does not help.
            index=_make_index(splits, shape, segments) if with_index else None,
        ),
        ids=np.empty((plan.cores, cores), np.int32),
        unique_ids=np.empty((plan.cores, cores), np.int32),
        losses=[],
        defined=defined,
    )


def _make_index(
    splits: tuple[int, int, int], shape: tuple[int, int], segments: tuple[int, int, int, int]
) -> SampleIndex:
    return SampleIndex(
        splits=np.empty(splits, np.int32),
        rows=np.empty(shape, np.int32),
        gains=np.empty(shape, np.float32),
        observed=np.zeros((splits[0], 2, *segments[:-1]), np.int32),
        tile_ids=np.zeros((splits[0], *segments), np.int32),
    )


class Part(NamedTuple):
    """The part of the work that one job does: this host's SparseCores `[first, last)`."""

    target: Target
    first: int
    last: int


def split_work(targets: Sequence[Target], threads: int, aligned: bool) -> list[Part]:
    """Split the work into parts.

    Args:
        targets: the targets to fill.
        threads: the number of threads that share the work.
        aligned: whether each part is of whole devices.
    """
    total = sum(int(target.plan.starts[-1]) for target in targets)
    size = _LARGE if total < SMALL else max(1, min(_LARGE, total // (2 * threads)))
    parts: list[Part] = []
    for target in targets:
        plan = target.plan
        step = plan.system.sparse_cores_per_device if aligned else 1
        pieces = min(plan.cores // step, max(1, round(int(plan.starts[-1]) / size)))
        bounds = [number * (plan.cores // step) // pieces * step for number in range(pieces + 1)]
        parts += [Part(target, *pair) for pair in itertools.pairwise(bounds)]
    return parts


def threads_for(targets: Sequence[Target], threads: int) -> int:
    """Return the number of threads to use: one if there is little work."""
    return 1 if sum(int(target.plan.starts[-1]) for target in targets) < SMALL else threads


def index_cores(part: Part, minibatches: int, absolute: bool) -> None:
    """Fill the index by sample of a part, from its buffers.

    Args:
        part: the part, whose buffers are filled.
        minibatches: the number of minibatches.
        absolute: as in `make_target`.
    """
    target, first, last = part
    buffers, system = target.buffers, target.plan.system
    index = buffers.index
    assert index is not None
    partitions = system.num_sparse_cores
    index_samples(
        (first, last),
        target.arrays,
        buffers.row_pointers,
        (
            partitions,
            system.sparse_cores_per_device,
            minibatches,
            target.plan.stack.vocabulary_size // partitions,
        ),
        absolute,
        index.splits,
        index.rows,
        index.gains,
        (index.observed, index.tile_ids),
    )
