"""The entries of a lookup: which sample takes which row, and how much of it.

An entry is known by where it comes from (device, SparseCore, sample there) and where its row
lives (partition, row there). Both layouts of buffers, and plain COO lists, become this.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import checks
from sdykit.sparsecore.specs import System

Integers = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Entries:
    """The entries of one lookup over all devices; the vectors have one element an entry.

    They stand in the order of the buffers: by device, SparseCore, minibatch, partition, and
    within that by bucket (if there are minibatches of ids), local id and sample.
    """

    system: System
    samples_per_core: int
    """Samples that each SparseCore of the system has."""
    device: Integers
    """The device that has the sample."""
    core: Integers
    """The SparseCore of that device."""
    minibatch: Integers
    """When the entry is processed; minibatches run one after another."""
    partition: Integers
    """The SparseCore, of all devices, that holds the row: `id % num_sparse_cores`."""
    local_id: Integers
    """The row there: `id // num_sparse_cores`."""
    local_sample: Integers
    """The sample, counted within its SparseCore."""
    gain: npt.NDArray[np.float32]
    """The row's factor; combiners are folded in."""

    def __len__(self) -> int:
        return len(self.gain)

    @property
    def samples_per_device(self) -> int:
        """Rows of activations that each device gets."""
        return self.samples_per_core * self.system.sparse_cores_per_device

    @property
    def sample(self) -> Integers:
        """The sample, counted within its device."""
        return self.core * self.samples_per_core + self.local_sample

    @property
    def owner(self) -> Integers:
        """The device that holds the row."""
        return self.partition // self.system.sparse_cores_per_device

    @property
    def id(self) -> Integers:
        """The row of the whole table: the one `partition` and `local_id` stand for."""
        return self.local_id * self.system.num_sparse_cores + self.partition

    def row(self, rows_per_core: int) -> Integers:
        """Give the row within the owner's shard, which has its SparseCores one after another.

        Raises:
            SparseCoreError: an entry asks for a row that a partition of that size has not.
        """
        wrong = np.flatnonzero(self.local_id >= rows_per_core)
        if wrong.size:
            index = int(wrong[0])
            raise SparseCoreError(
                f"entries: {self.where(index)} asks for row {self.local_id[index]} of partition "
                f"{self.partition[index]} (id {self.id[index]}); the table has {rows_per_core} "
                "rows a partition"
            )
        local_core = self.partition % self.system.sparse_cores_per_device
        return local_core * rows_per_core + self.local_id

    def where(self, index: int) -> str:
        """Name an entry in an error."""
        return (
            f"device {self.device[index]}, SparseCore {self.core[index]}, "
            f"sample {self.local_sample[index]}"
        )


def entries_from_coo(
    row_ids: npt.ArrayLike,
    col_ids: npt.ArrayLike,
    gains: npt.ArrayLike,
    batch_size: int,
    system: System,
) -> Entries:
    """Split a COO list over a system; duplicates within a sample become one entry.

    Sample `i` of a batch of `B` is on SparseCore `i // (B / N)` of all `N`, id `j` on SparseCore
    `j % N`. Gains of duplicates are added one by one, in the order of the list.

    Args:
        row_ids: the sample of each entry, `[n]` integers.
        col_ids: its id: the row of the (stacked) table.
        gains: its factor, `[n]` float32; see `fold_gains`.
        batch_size: samples over all devices.
        system: the devices.

    Raises:
        SparseCoreError: the lengths or types are wrong, a sample or id is out of range, or the
            samples cannot be split evenly.
    """
    checks.check_system(system)
    rows = checks.checked_vector("row_ids", row_ids, integers=True)
    cols = checks.checked_vector("col_ids", col_ids, integers=True)
    factors = checks.checked_vector("gains", gains, integers=False)
    checks.check_same_length(row_ids=rows, col_ids=cols, gains=factors)
    cores = system.num_sparse_cores
    if batch_size < 1 or batch_size % cores:
        raise SparseCoreError(
            f"batch_size: {batch_size} samples over {cores} SparseCores; expected a multiple"
        )
    checks.check_within("row_ids", rows, batch_size, "sample")
    checks.check_within("col_ids", cols, None, "id")
    sums: dict[tuple[int, int], np.float32] = {}
    for row, col, gain in zip(rows.tolist(), cols.tolist(), factors, strict=True):
        key = (row, col)
        sums[key] = sums[key] + gain if key in sums else gain
    per_core = batch_size // cores

    def place(key: tuple[int, int]) -> tuple[int, ...]:
        row, col = key
        return row // per_core, col % cores, col // cores, row

    order = sorted(sums, key=place)
    rows, cols = np.array(order, np.int64).reshape(-1, 2).T
    source = rows // per_core
    return Entries(
        system=system,
        samples_per_core=per_core,
        device=source // system.sparse_cores_per_device,
        core=source % system.sparse_cores_per_device,
        minibatch=np.zeros_like(rows),
        partition=cols % cores,
        local_id=cols // cores,
        local_sample=rows % per_core,
        gain=np.array([sums[key] for key in order], np.float32),
    )
