"""The ids of a batch, sorted as a system's SparseCores have them; work and memory grow with the ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.inputs import Ids, report_bad_id
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack, StackedFeature

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SortedIds:
    """The entries of a stack's batch, sorted by SparseCore, partition, row and sample.

    Duplicates within a sample are one entry. A list has the entries that a SparseCore sends to a
    partition; only those that are not empty are there, and vectors of lists have an element for each.

    Attributes:
        stack: the stack.
        system: the system whose SparseCores they are on.
        source: the SparseCore that has the sample, int64 `[entries]`.
        partition: the partition of the row, of all devices.
        row: the row in the partition.
        sample: the sample, counted within its SparseCore.
        copies: the number of ids that each entry is made of.
    """

    stack: Stack
    system: System
    source: Integers
    partition: Integers
    row: Integers
    sample: Integers
    copies: Integers

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def is_first(self) -> npt.NDArray[np.bool_]:
        """Whether an entry is the first one of its list, bool `[entries]`."""
        return differs(self.source) | differs(self.partition)

    @cached_property
    def is_new(self) -> npt.NDArray[np.bool_]:
        """Whether an entry is the first one of its row in its list, bool `[entries]`."""
        return self.is_first | differs(self.row)

    @cached_property
    def starts(self) -> Integers:
        """The number of the first entry of each list, and the number of entries, int64 `[lists + 1]`."""
        return np.append(np.flatnonzero(self.is_first), len(self))

    @cached_property
    def list_ids(self) -> Integers:
        """The number of ids of each list, int64 `[lists]`."""
        return np.diff(self.starts)

    @cached_property
    def list_unique_ids(self) -> Integers:
        """The number of unique ids of each list, int64 `[lists]`."""
        return _sums(self.is_new, self.starts)

    @property
    def list_partition(self) -> Integers:
        """The partition of each list, int64 `[lists]`."""
        return self.partition[self.starts[:-1]]

    @cached_property
    def max_ids(self) -> Integers:
        """The maximum number of ids that a SparseCore sends to each partition, int64 `[partitions]`."""
        return self._of_partitions(self.list_ids)

    @cached_property
    def max_unique_ids(self) -> Integers:
        """The same for unique ids."""
        return self._of_partitions(self.list_unique_ids)

    def _of_partitions(self, counts: Integers) -> Integers:
        found = np.zeros(self.system.num_sparse_cores, np.int64)
        np.maximum.at(found, self.list_partition, counts)
        return found


def sort_ids(stack: Stack, ids: Mapping[str, Ids], system: System) -> SortedIds:
    """Return the ids of a stack's batch, sorted.

    Args:
        stack: the stack, made for the system.
        ids: the ids of all its features, by name.
        system: the system.

    Raises:
        SparseCoreError: an id is not in the vocabulary of its table; the text names it.
    """
    cores = system.num_sparse_cores
    bits = (
        (cores - 1).bit_length(),
        (max(stack.vocabulary_size // cores, 1) - 1).bit_length(),
        (max(stack.batch_size // cores, 1) - 1).bit_length(),
    )
    # Neither rows nor samples are more than 2^31, over all SparseCores: a key has at most 64 bits.
    parts = [_keys(each, ids[each.spec.name], cores, bits) for each in stack.features]
    keys = np.sort(np.concatenate(parts)) if parts else np.empty(0, np.uint64)
    first = np.flatnonzero(differs(keys))
    copies = np.diff(first, append=len(keys))
    keys = keys[first]
    of_core, of_row, of_sample = bits

    def field(shift: int, size: int) -> Integers:
        mask = np.uint64((1 << size) - 1)
        return ((keys >> np.uint64(shift)) & mask).astype(np.int64)

    return SortedIds(
        stack,
        system,
        source=field(of_sample + of_row + of_core, of_core),
        partition=field(of_sample + of_row, of_core),
        row=field(of_sample, of_row),
        sample=field(0, of_sample),
        copies=copies,
    )


def _keys(
    feature: StackedFeature, ids: Ids, cores: int, bits: tuple[int, int, int]
) -> npt.NDArray[np.uint64]:
    """Return the keys that entries are sorted by: SparseCore, partition, row, sample."""
    of_core, of_row, of_sample = bits
    vocabulary = feature.spec.table.vocabulary_size
    if ids.values.size and (ids.values.min() < 0 or ids.values.max() >= vocabulary):
        report_bad_id(ids, vocabulary)
    values = ids.values.astype(np.int64)
    samples = feature.spec.batch_size // cores
    source, sample = np.divmod(samples_of(ids), samples)
    partition = (values + feature.col_shift) % cores
    keys = source << of_core | partition
    keys = keys << of_row | values // cores + feature.col_offset // cores
    return (keys << of_sample | sample + feature.row_offset // cores).view(np.uint64)


def samples_of(ids: Ids) -> Integers:
    """Return the sample of each id."""
    if ids.valency >= 0:
        return np.arange(len(ids.values)) // max(ids.valency, 1)
    return np.repeat(np.arange(ids.samples), np.diff(ids.splits))


def differs(values: npt.NDArray) -> npt.NDArray[np.bool_]:
    """Return whether each element is the first one, or differs from the one before."""
    found = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def _sums(values: npt.NDArray, starts: Integers) -> Integers:
    """Return the sum of the values from each start to the next."""
    totals = np.append(0, np.cumsum(values, dtype=np.int64))
    return np.diff(totals[starts])
