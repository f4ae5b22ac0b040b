"""The entries of a lookup: each multiplies a row by a gain, and adds it to a sample.

An entry has the place of its sample (device, SparseCore, sample there), and that of its row
(partition, row there). Static buffers of both layouts and COO lists are converted to entries.
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
    """The entries of one lookup over all devices; the vectors have one element for each entry.

    They have the order of the buffers: by device, SparseCore, minibatch, partition, and
    then by bucket (if there are minibatches of ids), local id and sample.
    """

    system: System
    samples_per_core: int
    """The number of samples on each SparseCore of the system."""
    device: Integers
    """The device that has the sample."""
    core: Integers
    """The SparseCore of that device."""
    minibatch: Integers
    """The minibatch of the entry; minibatches are processed one after another."""
    partition: Integers
    """The SparseCore, of all devices, that holds the row: `id % num_sparse_cores`."""
    local_id: Integers
    """The row there: `id // num_sparse_cores`."""
    local_sample: Integers
    """The sample, counted within its SparseCore."""
    gain: npt.NDArray[np.float32]
    """The gain that the row is multiplied by, in which combiners are folded."""

    def __len__(self) -> int:
        return len(self.gain)

    @property
    def samples_per_device(self) -> int:
        """The number of samples on each device: rows of its activations."""
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
        """The row of the whole table, from `partition` and `local_id`."""
        return self.local_id * self.system.num_sparse_cores + self.partition

    def row(self, rows_per_core: int) -> Integers:
        """Return the row in the owner's shard, in which the partitions are one after another.

        Args:
            rows_per_core: the number of rows in a partition.

        Raises:
            SparseCoreError: an entry's row is not in a partition of that size.
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
        """Return the place of an entry's sample, for an error."""
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
    """Return the entries of a COO list; duplicates within a sample become one entry.

    Sample `i` of a batch of `B` is on SparseCore `i // (B / N)` of all `N`, id `j` on SparseCore
    `j % N`. Gains of duplicates are added one by one, in the order of the list.

    Args:
        row_ids: the sample of each element of the list, `[n]` integers.
        col_ids: its id, `[n]` integers: the row of the (stacked) table.
        gains: its gain, `[n]` float32; see `fold_gains`.
        batch_size: the number of samples over all devices.
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
