"""The buffers of a stack, and how filling them is split into jobs."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.loops import ALIGNMENT, BUCKETS, index_samples
from sdykit.sparsecore.preprocess.plan import Plan
from sdykit.sparsecore.preprocess.results import SampleIndex, StackBuffers
from sdykit.sparsecore.specs import INT32_MAX, System
from sdykit.sparsecore.stacking import Stack

_INT32, _FLOAT32 = np.dtype(np.int32), np.dtype(np.float32)

SMALL = 1 << 16
"""The number of ids below which one thread does all: fewer take less than 0.2 ms, and a thread wakes in 0.05.
Several threads have a quarter as many each, or more."""

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

    def source(self, absolute: bool) -> tuple[Any, ...]:
        """Return the features, and the arrays that they are packed into, as `pack_stacks` has them.

        Args:
            absolute: as in `make_targets`.
        """
        plan, system = self.plan, self.plan.system
        return (
            plan.source(),
            (
                *(system.num_sparse_cores, plan.bits + plan.log_partitions, plan.bits),
                system.sparse_cores_per_device,
            ),
            (absolute, self.defined),
            self.arrays,
            self.buffers.row_pointers,
            (self.ids, self.unique_ids),
            self.limits,
            self.index(),
        )

    def index(self) -> tuple[Any, ...] | None:
        """Return the index by sample as `index_samples` has it; None if there is none."""
        index = self.buffers.index
        if index is None:
            return None
        stack = self.plan.stack
        rows = stack.vocabulary_size // self.plan.system.num_sparse_cores
        return index.splits, index.rows, index.gains, index.observed, index.tile_ids, rows

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


def make_targets(plans: Sequence[Plan], absolute: bool, defined: bool, tiles: int) -> list[Target]:
    """Allocate the buffers of plans.

    Args:
        plans: the plans of all stacks.
        absolute: whether row pointers count from the start of the device's buffers, as with
            minibatches, or from the start of the SparseCore's part.
        defined: as in `Target`.
        tiles: the number of tiles that ids are counted for, may be 0.
    """
    sizes = [buffer_size(plan.stack, plan.system, absolute) for plan in plans]
    entries = sum([plan.devices * size for plan, size in zip(plans, sizes, strict=True)])
    # Of several devices, each looks up for all: its own order does not help.
    with_index = defined and all(plan.system.num_devices == 1 for plan in plans)
    # One allocation, which can have large pages: to map small ones takes longer than to fill them.
    memory = _Memory(entries * (5 if with_index else 3))
    # Another for statistics, which may be kept for longer.
    counts = _Memory(sum([2 * plan.cores * plan.system.num_sparse_cores for plan in plans]))
    targets: list[Target] = []
    for plan, size in zip(plans, sizes, strict=True):
        shape, partitions = (plan.devices, size), plan.system.num_sparse_cores
        buffers = StackBuffers(
            np.empty((plan.devices, row_pointers_size(plan.system, absolute)), np.int32),
            memory.take(shape, _INT32),
            memory.take(shape, _INT32),
            memory.take(shape, _FLOAT32),
            _make_index(plan, shape, memory, absolute, tiles) if with_index else None,
        )
        of_ids = counts.take((plan.cores, partitions), _INT32)
        of_unique_ids = counts.take((plan.cores, partitions), _INT32)
        targets.append(Target(plan, buffers, of_ids, of_unique_ids, [], defined))
    return targets


class _Memory:
    """Memory for arrays of 4 bytes an element."""

    def __init__(self, size: int) -> None:
        self._elements, self._offset = np.empty(size, np.int32), 0

    def take(self, shape: tuple[int, int], dtype: np.dtype) -> npt.NDArray:
        """Return the next elements of the memory as an array."""
        taken = np.ndarray(shape, dtype, self._elements, self._offset)
        self._offset += taken.nbytes
        return taken


def _make_index(
    plan: Plan, shape: tuple[int, int], memory: _Memory, absolute: bool, tiles: int
) -> SampleIndex:
    cores, partitions = plan.system.sparse_cores_per_device, plan.system.num_sparse_cores
    segments = (BUCKETS if absolute else 1, partitions)
    rows = plan.stack.batch_size // partitions
    return SampleIndex(
        np.empty((shape[0], cores, rows + 1), np.int32),
        memory.take(shape, _INT32),
        memory.take(shape, _FLOAT32),
        np.zeros((shape[0], 2, cores, *segments), np.int32),
        np.zeros((shape[0], cores, *segments, tiles), np.int32),
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
    total = sum([target.plan.size for target in targets])
    size = _LARGE if total < SMALL else max(1, min(_LARGE, total // (4 * threads)))
    parts: list[Part] = []
    for target in targets:
        plan = target.plan
        pieces = round(plan.size / size)
        if pieces <= 1:
            parts.append(Part(target, 0, plan.cores))
            continue
        step = plan.system.sparse_cores_per_device if aligned else 1
        units = plan.cores // step
        pieces = min(units, pieces)
        ends = [number * units // pieces * step for number in range(1, pieces + 1)]
        parts += map(Part, itertools.repeat(target), [0, *ends], ends)
    return parts


def threads_for(targets: Sequence[Target], threads: int) -> int:
    """Return the number of threads to use: one if there is little work."""
    total = sum([target.plan.size for target in targets])
    return 1 if total < SMALL else min(threads, total // (SMALL // 4))


def index_cores(part: Part, minibatches: int, absolute: bool) -> None:
    """Fill the index by sample of a part, from its buffers.

    Args:
        part: the part, whose buffers are filled.
        minibatches: the number of minibatches.
        absolute: as in `make_targets`.
    """
    target, first, last = part
    buffers, system = target.buffers, target.plan.system
    index_samples(
        (first, last),
        target.arrays,
        buffers.row_pointers,
        (system.num_sparse_cores, system.sparse_cores_per_device, minibatches, absolute),
        target.index(),
    )
