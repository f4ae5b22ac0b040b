"""The entries of the static buffers of preprocessing.

The format is jax-tpu-embedding's. Between the partitions is padding or uninitialised memory, which
is not read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import checks
from sdykit.sparsecore.reference.entries import Entries
from sdykit.sparsecore.specs import System

ALIGNMENT = 8
"""A partition's entries, and a segment of row pointers, start at a multiple of it."""


@dataclasses.dataclass(frozen=True)
class _Segment:
    """The entries that one SparseCore sends to one partition in one minibatch."""

    device: int
    core: int
    minibatch: int
    partition: int
    pointer: int
    """The number, on the device, of the row pointer that ends it."""
    start: int
    end: int

    @property
    def where(self) -> str:
        return (
            f"device {self.device}, SparseCore {self.core}, minibatch {self.minibatch}, "
            f"partition {self.partition}"
        )


def entries_from_packed(
    row_pointers: npt.NDArray[np.int32],
    embedding_ids: npt.NDArray[np.int32],
    sample_ids: npt.NDArray[np.int32],
    gains: npt.NDArray[np.float32],
    *,
    samples_per_core: int,
    system: System,
    num_minibatches: int | None = None,
) -> Entries:
    """Return the entries of packed buffers.

    With `S` SparseCores on a device, `N` in all and `R = max(N, 8)`, the segment of SparseCore `c`
    and minibatch `m` has the row pointers from `(c * num_minibatches + m) * R`: pointer `p` is
    the end of partition `p`, whose start is the end of the partition before, rounded up to a
    multiple of 8.

    Args:
        row_pointers: int32 `[devices, n]`, or `[devices * n]`.
        embedding_ids: int32 in the same form: rows of the partition.
        sample_ids: int32 in the same form: samples of the SparseCore.
        gains: float32 in the same form.
        samples_per_core: the number of samples on each SparseCore.
        system: the devices.
        num_minibatches: `None` if the buffers have no minibatches: each SparseCore has its part of
            a buffer, and pointers count from its start. With minibatches, pointers count from the
            start of the buffer, and a segment starts at the end of the one before, rounded up to a
            multiple of 8.

    Raises:
        SparseCoreError: types or lengths are wrong, a pointer is outside of the buffer or before
            the start of its partition, or an entry has a negative row or a sample out of range.
    """
    checks.check_system(system)
    if samples_per_core < 1:
        raise SparseCoreError(f"samples_per_core: {samples_per_core} samples; expected 1 or more")
    if num_minibatches is not None and num_minibatches < 1:
        raise SparseCoreError(
            f"num_minibatches: {num_minibatches} minibatches; expected 1 or more, or None"
        )
    pointers = _per_device("row_pointers", row_pointers, np.dtype(np.int32), system)
    ids = _per_device("embedding_ids", embedding_ids, np.dtype(np.int32), system)
    samples = _per_device("sample_ids", sample_ids, np.dtype(np.int32), system)
    factors = _per_device("gains", gains, np.dtype(np.float32), system)
    for name, array in (("sample_ids", samples), ("gains", factors)):
        checks.check_shape(name, array, ids.shape)
    places: list[tuple[int, ...]] = []
    kept_gains: list[np.float32] = []
    for segment in _segments(pointers, ids.shape[1], system, num_minibatches):
        device = segment.device
        for position in range(segment.start, segment.end):
            local_id, sample = int(ids[device, position]), int(samples[device, position])
            if local_id < 0 or not 0 <= sample < samples_per_core:
                raise SparseCoreError(
                    f"embedding_ids[{position}] ({segment.where}): row {local_id} for sample "
                    f"{sample}; expected a row >= 0 and a sample from 0 to {samples_per_core - 1}"
                )
            places.append(
                (device, segment.core, segment.minibatch, segment.partition, local_id, sample)
            )
            kept_gains.append(factors[device, position])
    columns = np.array(places, np.int64).reshape(-1, 6).T
    names = ("device", "core", "minibatch", "partition", "local_id", "local_sample")
    return Entries(
        system=system,
        samples_per_core=samples_per_core,
        gain=np.array(kept_gains, np.float32),
        **dict(zip(names, columns, strict=True)),
    )


def _per_device(name: str, array: npt.NDArray, dtype: np.dtype, system: System) -> npt.NDArray:
    """Return a buffer as `[devices, n]`."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim not in (1, 2):
        raise SparseCoreError(
            f"{name}: it is {checks.describe(array)}; expected {dtype}[n] or {dtype}[devices, n]"
        )
    devices = system.num_devices
    if array.size % devices or (array.ndim == 2 and array.shape[0] != devices):
        raise SparseCoreError(
            f"{name}: its shape is {list(array.shape)}; expected equal parts of {devices} devices"
        )
    return array.reshape(devices, -1)


def _segments(
    pointers: npt.NDArray[np.int32], size: int, system: System, num_minibatches: int | None
) -> Iterator[_Segment]:
    """Yield the segments in the order of the buffers."""
    cores, partitions = system.sparse_cores_per_device, system.num_sparse_cores
    width = max(partitions, ALIGNMENT)
    minibatches = num_minibatches or 1
    if pointers.shape[1] < cores * minibatches * width:
        raise SparseCoreError(
            f"row_pointers: {pointers.shape[1]} for each device; expected at least "
            f"{cores * minibatches * width}, {width} for each of {cores} SparseCores and "
            f"{minibatches} minibatches"
        )
    room = size if num_minibatches else size // cores
    for device, ends in enumerate(pointers.tolist()):
        last = 0
        for index in range(cores * minibatches):
            core, minibatch = divmod(index, minibatches)
            base = 0 if num_minibatches else core * room
            last = _aligned(last) if num_minibatches else 0
            for partition in range(partitions):
                pointer = index * width + partition
                start, end = _aligned(last), ends[pointer]
                segment = _Segment(
                    device, core, minibatch, partition, pointer, base + start, base + end
                )
                _check_segment(segment, start, end, room)
                yield segment
                last = end


def _check_segment(segment: _Segment, start: int, end: int, room: int) -> None:
    """Check that a segment is within its buffer."""
    if not start <= end <= room:
        raise SparseCoreError(
            f"row_pointers[{segment.pointer}] ({segment.where}): the entries from {start} to "
            f"{end}; expected an end from {start} to {room}"
        )


def _aligned(position: int) -> int:
    return -(-position // ALIGNMENT) * ALIGNMENT
