"""The limits that stacks and tables need, as figures."""

from __future__ import annotations

import dataclasses
import math

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.specs import INT32_MAX, System


@dataclasses.dataclass(frozen=True)
class TableFigures:
    """The limits that a table needs. A figure is None where only its whole stack was counted."""

    name: str
    vocabulary_size: int
    col_shift: int
    """The partition of its id 0."""
    max_ids_per_partition: int | None = None
    """The maximum number of ids that one SparseCore sends to one partition in a step."""
    max_unique_ids_per_partition: int | None = None
    """The same for unique ids."""
    max_ids_per_partition_per_sample: int | None = None
    """The maximum number of ids that one sample has in one partition."""
    max_ids_per_table: int | None = None
    """The maximum number of ids in a step, over all SparseCores and partitions."""
    max_unique_ids_per_table: int | None = None
    """The maximum in a step of the sum, over all SparseCores and partitions, of the unique ids that
    one sends to the other."""


@dataclasses.dataclass(frozen=True)
class StackFigures:
    """The limits that a stack needs; they determine the size of its static buffers."""

    name: str
    batch_size: int
    """Samples of all features, over all devices."""
    max_ids_of_partitions: tuple[int, ...]
    """The maximum number of ids that one SparseCore sends to each partition in a step."""
    max_unique_ids_of_partitions: tuple[int, ...]
    """The same for unique ids."""
    buffer_size_per_device: int
    """Entries that a device's buffers need without minibatches."""
    tables: tuple[TableFigures, ...]
    max_ids_per_partition_per_sample: int | None = None
    """The maximum number of ids that one sample has in one partition."""

    @property
    def max_ids_per_partition(self) -> int:
        """The maximum number of ids that one SparseCore sends to any partition in a step."""
        return max(self.max_ids_of_partitions)

    @property
    def max_unique_ids_per_partition(self) -> int:
        """The same for unique ids."""
        return max(self.max_unique_ids_of_partitions)


def check_headroom(headroom: object) -> None:
    """Check that a factor for `with_headroom` is a number from 1 to 1000.

    Raises:
        SparseCoreError: it is something else.
    """
    if (
        isinstance(headroom, int | float)
        and not isinstance(headroom, bool)
        and 1 <= headroom <= 1000
    ):
        return
    raise SparseCoreError(f"limits: headroom is {headroom!r}; expected a factor from 1 to 1000")


def with_headroom(observed: int, headroom: float) -> int:
    """Return the limit for an observed figure: at least 1, and the product rounded up."""
    # In binary 10 * 1.1 is a little above 11, and must still give 11.
    limit = max(observed, math.ceil(round(observed * headroom, 6)))
    return min(max(1, limit), INT32_MAX)


def described(system: System) -> str:
    """Return a description of a system for errors: `2 devices of 4 SparseCores`."""
    devices = "1 device" if system.num_devices == 1 else f"{system.num_devices} devices"
    cores = system.sparse_cores_per_device
    return f"{devices} of {cores} SparseCore{'' if cores == 1 else 's'}"
