"""A stack and its parts: tables that are one table to the device, features that are one batch."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.specs import INT32_MAX, FeatureSpec, TableSpec, check_count, set_count

ADVISED_TABLES = (5, 100)
"""The minimum and maximum number of tables that a stack should have."""


LIMITS: Final = (
    "max_ids_per_partition",
    "max_unique_ids_per_partition",
    "max_ids_of_partitions",
    "max_unique_ids_of_partitions",
)
"""The names of the limits that programs are compiled for, here and in specs."""


@dataclasses.dataclass(frozen=True)
class StackedTable:
    """A table in its stack."""

    spec: TableSpec
    vocabulary_size: int
    """Its rows, padded to a multiple of 8 times the SparseCores of the system."""
    col_offset: int
    """The sum of the padded vocabularies of the tables before it."""
    col_shift: int
    """The partition of its id 0."""


@dataclasses.dataclass(frozen=True)
class StackedFeature:
    """A feature in the batch of its stack."""

    spec: FeatureSpec
    row_offset: int
    """The number of samples of the features before it, over all devices."""
    col_offset: int
    """The `col_offset` of its table."""
    col_shift: int
    """The `col_shift` of its table."""


@dataclasses.dataclass(frozen=True)
class Stack:
    """Tables that are one table to the device, and the features that look them up.

    Raises:
        SparseCoreError: a limit or buffer size is below 1.
    """

    name: str
    tables: tuple[StackedTable, ...]
    features: tuple[StackedFeature, ...]
    """In the order of their row offsets."""
    vocabulary_size: int
    """Rows of all tables, padded."""
    embedding_dim: int
    """Elements in a row, padded to a multiple of the `row_alignment` of `stack`."""
    batch_size: int
    """Samples of all features, over all devices."""
    num_sparse_cores: int
    """The SparseCores of the system that it is made for; a table has as many partitions."""
    max_ids_per_partition: int
    """The maximum number of ids that one SparseCore sends to one partition in a step; buffers that hold
    one partition after another are as large. At most the largest of `max_ids_of_partitions`."""
    max_unique_ids_per_partition: int
    """The same for unique ids."""
    buffer_size_per_device: int | None = None
    """Entries in a device's static buffers; `None`: as many as the limits can fill."""
    max_ids_of_partitions: tuple[int, ...] | None = None
    """The maximum number of ids that one SparseCore sends to each partition, in the order of the
    partitions; at most `max_ids_per_partition` counts. `None`: that for all."""
    max_unique_ids_of_partitions: tuple[int, ...] | None = None
    """The same for unique ids."""

    def __post_init__(self) -> None:
        where = f"stack {self.name!r}"
        for field in ("max_ids_per_partition", "max_unique_ids_per_partition"):
            set_count(self, where, field)
        if self.buffer_size_per_device is not None:
            set_count(self, where, "buffer_size_per_device")
        for field in ("max_ids_of_partitions", "max_unique_ids_of_partitions"):
            self._set_counts(where, field)
        for of_all, of_each in zip(LIMITS[:2], LIMITS[2:], strict=True):
            largest = max(getattr(self, of_each) or [INT32_MAX])
            object.__setattr__(self, of_all, min(getattr(self, of_all), largest))

    def _set_counts(self, where: str, field: str) -> None:
        """Check the limits of the partitions, and store them as Python integers."""
        given = getattr(self, field)
        if given is None:
            return
        if not isinstance(given, Sequence) or len(given) != self.num_sparse_cores:
            raise SparseCoreError(
                f"{where}: {field} is {shown(given)}; expected {self.num_sparse_cores} integers, "
                "one for each partition, or None"
            )
        counts = tuple(
            check_count(where, f"{field}[{at}]", value) for at, value in enumerate(given)
        )
        object.__setattr__(self, field, counts)

    @functools.cached_property
    def partition_limits(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The maximum ids and unique ids of each partition, `[partitions]` each; read-only."""
        return (
            self._limits_of(self.max_ids_per_partition, self.max_ids_of_partitions),
            self._limits_of(self.max_unique_ids_per_partition, self.max_unique_ids_of_partitions),
        )

    @property
    def compiled_limits(self) -> dict[str, Any]:
        """The limits that programs are compiled for: `LIMITS`. Those of partitions are None if equal."""
        of_all = (self.max_ids_per_partition, self.max_unique_ids_per_partition)
        given = (self.max_ids_of_partitions, self.max_unique_ids_of_partitions)
        limits = (tuple(each.tolist()) for each in self.partition_limits)
        of_each = (
            found if own is not None and len(set(found)) > 1 else None
            for own, found in zip(given, limits, strict=True)
        )
        return dict(zip(LIMITS, (*of_all, *of_each), strict=True))

    def _limits_of(self, maximum: int, each: tuple[int, ...] | None) -> npt.NDArray[np.int64]:
        limits = np.full(self.num_sparse_cores, maximum, np.int64)
        if each is not None:
            np.minimum(limits, each, out=limits)
        limits.flags.writeable = False
        return limits

    @property
    def combiner(self) -> str:
        """The combiner of all tables."""
        return self.tables[0].spec.combiner

    @property
    def advice(self) -> str | None:
        """A warning if the number of tables is outside of `ADVISED_TABLES`, else None."""
        low, high = ADVISED_TABLES
        if low <= len(self.tables) <= high:
            return None
        return (
            f"stack {self.name!r} has {len(self.tables)} "
            f"table{'' if len(self.tables) == 1 else 's'}; {low} to {high} are advised"
        )
