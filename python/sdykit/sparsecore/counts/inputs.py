"""The figures of a run from the inputs of its program: buffers, an index by sample, or raw ids."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts.batches import statistics_of
from sdykit.sparsecore.counts.raw_ids import statistics_of_ids
from sdykit.sparsecore.counts.statistics import Statistics
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import Entries
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec
from sdykit.sparsecore.tile.spec.base import POINTERS

Integers = npt.NDArray[np.int64]
ROWS = "rows"
"""The name of the number of rows of the device's table, among the inputs."""


def statistics_of_inputs(spec: TileSpec, inputs: Mapping[str, npt.NDArray[np.int32]]) -> Statistics:
    """Return the figures of a run on a device.

    Args:
        spec: the spec of the program, of any reading.
        inputs: int32 vectors by name: those of `entries_of_index` for a lookup that reads an index without
            minibatches, `ids`, `rows` and `device` for raw ids, else those of `entries_of`.

    Raises:
        SparseCoreError: an input is not there, or the row pointers are wrong.
    """
    try:
        return _statistics_of(spec, inputs)
    except KeyError as error:
        raise SparseCoreError(
            f"counts: of the {spec.kind}, layout {spec.layout}, there is no input {error}; found "
            f"{', '.join(inputs) or 'none'}"
        ) from None


def _statistics_of(spec: TileSpec, inputs: Mapping[str, npt.NDArray[np.int32]]) -> Statistics:
    device = device_of(inputs)
    if spec.layout == "ids":
        ids = inputs["ids"].reshape(spec.samples, -1)
        return statistics_of_ids(spec, ids, int(inputs[ROWS][0]), device=device)
    has_index = isinstance(spec, LookupSpec) and spec.has_index and not spec.minibatches
    entries = entries_of_index(spec, inputs) if has_index else entries_of(spec, inputs)
    return statistics_of(spec, entries, device=device, minibatches=minibatches_of(spec, inputs))


def entries_of(spec: TileSpec, inputs: Mapping[str, npt.NDArray[np.int32]]) -> Entries:
    """Return the entries for the partitions of one device, without their gains, which are 1.

    Args:
        spec: the spec of the program.
        inputs: int32 vectors by name: `row_pointers`, `embedding_ids` and `sample_ids` of all devices,
            `device` if there are several, and `num_minibatches` if the spec has minibatches.

    Raises:
        SparseCoreError: the row pointers are of no segments in the buffers, one after another.
    """
    starts, ends = _segments(spec, inputs)
    cores = spec.sparse_cores
    first = cores * device_of(inputs)
    starts, ends = (each[:, first : first + cores] for each in (starts, ends))
    segment, position = _places(starts, ends)
    group, partition = np.divmod(segment, cores)
    core, minibatch = np.divmod(group, minibatches_of(spec, inputs))
    device, core = np.divmod(core, cores)
    return Entries(
        system=System(spec.num_devices, cores),
        samples_per_core=spec.samples_per_core,
        device=device,
        core=core,
        minibatch=minibatch,
        partition=first + partition,
        local_id=inputs["embedding_ids"][position].astype(np.int64),
        local_sample=inputs["sample_ids"][position].astype(np.int64),
        gain=np.ones(len(position), np.float32),
    )


def entries_of_index(spec: TileSpec, inputs: Mapping[str, npt.NDArray[np.int32]]) -> Entries:
    """Return the entries of an index by sample, without minibatches or gains, which are 1.

    Args:
        spec: the spec of a lookup on one device.
        inputs: int32 vectors by name: `splits` and `sample_rows`, and `rows`, the number of rows of the
            table.
    """
    cores, samples = spec.sparse_cores, spec.samples_per_core
    splits = inputs["splits"].reshape(cores, samples + 1).astype(np.int64)
    sample, position = _places(splits[:, :-1], splits[:, 1:])
    core, local_sample = np.divmod(sample, samples)
    rows = inputs["sample_rows"][position].astype(np.int64)
    partition, local_id = np.divmod(rows, int(inputs["rows"][0]) // cores)
    return Entries(
        system=System(1, cores),
        samples_per_core=samples,
        device=np.zeros_like(core),
        core=core,
        minibatch=np.zeros_like(core),
        partition=partition,
        local_id=local_id,
        local_sample=local_sample,
        gain=np.ones(len(position), np.float32),
    )


def _places(starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """Return the number of the range, and the position, of each element of some ranges."""
    sizes = (ends - starts).ravel()
    number = np.repeat(np.arange(len(sizes)), sizes)
    before = np.cumsum(sizes) - sizes
    return number, np.arange(len(number)) + (starts.ravel() - before)[number]


def device_of(inputs: Mapping[str, npt.NDArray[np.int32]]) -> int:
    """Return the number of the device that ran the program."""
    return int(inputs["device"][0]) if "device" in inputs else 0


def minibatches_of(spec: TileSpec, inputs: Mapping[str, npt.NDArray[np.int32]]) -> int:
    """Return the number of minibatches of a batch."""
    return int(inputs["num_minibatches"][0]) if spec.minibatches else 1


def _segments(
    spec: TileSpec, inputs: Mapping[str, npt.NDArray[np.int32]]
) -> tuple[Integers, Integers]:
    """Return where segments begin, and one past their last entries.

    Returns:
        int64 `[SparseCores that have samples * minibatches, partitions of all devices]`.
    """
    devices, cores = spec.num_devices, spec.sparse_cores
    groups = cores * minibatches_of(spec, inputs)
    pointers = inputs["row_pointers"].reshape(devices, -1)[:, : groups * spec.pointers]
    room = len(inputs["embedding_ids"]) // devices
    # With minibatches, pointers count from the start of a device's buffer, else of a SparseCore's.
    parts, room = (devices, room) if spec.minibatches else (devices * cores, room // cores)
    ends = pointers.reshape(devices, groups, spec.pointers)[..., : spec.all_cores]
    ends = ends.reshape(parts, -1).astype(np.int64)
    starts = np.zeros_like(ends)
    starts[:, 1:] = -(-ends[:, :-1] // POINTERS) * POINTERS
    if (starts > ends).any() or (ends > room).any():
        raise SparseCoreError(
            "counts: row_pointers are not the ends of segments in the buffers, one after another; "
            "expected those of preprocessing"
        )
    bases = (np.arange(parts) * room)[:, None]
    starts, ends = bases + starts, bases + ends
    return starts.reshape(-1, spec.all_cores), ends.reshape(-1, spec.all_cores)
