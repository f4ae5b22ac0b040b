"""What a program declares: tables, features that look up their rows, and the system of devices.

All are frozen and hashable, and check themselves when they are made.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any, Literal, get_args

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD, Optimizer
from sdykit.sparsecore.quantization import Quantization

Combiner = Literal["sum", "mean", "sqrtn"]
"""How the rows of a sample are combined; `mean` and `sqrtn` are folded into the gains."""

Dtype = Literal["float32", "bfloat16", "int8", "int32"]
"""The type of a table's elements."""

MAX_IDS = 256
"""The default of both limits of a partition, as in jax-tpu-embedding."""

DEFAULT_OPTIMIZER = SGD(0.01)

INT32_MAX = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class TableSpec:
    """One embedding table, `[vocabulary_size, embedding_dim]`.

    Raises:
        SparseCoreError: a size or limit is below 1, the name is empty, or a combiner, dtype,
            optimizer or quantization is none.
    """

    name: str
    vocabulary_size: int
    """Ids are in `[0, vocabulary_size)`."""
    embedding_dim: int
    """Elements in a row."""
    optimizer: Optimizer = DEFAULT_OPTIMIZER
    combiner: Combiner = "sum"
    max_ids_per_partition: int = MAX_IDS
    """The maximum number of ids that one SparseCore sends to one partition in a step."""
    max_unique_ids_per_partition: int = MAX_IDS
    """The same for unique ids."""
    dtype: Dtype = "float32"
    quantization: Quantization | None = None
    buffer_size_per_device: int | None = None
    """Entries in a device's static buffers; `None`: as many as the limits can fill."""

    def __post_init__(self) -> None:
        where = f"table {self.name!r}"
        _check_name("table", self.name)
        for field in (
            "vocabulary_size",
            "embedding_dim",
            "max_ids_per_partition",
            "max_unique_ids_per_partition",
        ):
            set_count(self, where, field)
        if self.buffer_size_per_device is not None:
            set_count(self, where, "buffer_size_per_device")
        _check_choice(where, "combiner", self.combiner, get_args(Combiner))
        _check_choice(where, "dtype", self.dtype, get_args(Dtype))
        if not isinstance(self.optimizer, Optimizer):
            raise SparseCoreError(
                f"{where}: optimizer is {self.optimizer!r}; expected an optimizer of "
                "sdykit.sparsecore.optimizers, for instance SGD(0.01)"
            )
        if self.quantization is not None and not isinstance(self.quantization, Quantization):
            raise SparseCoreError(
                f"{where}: quantization is {self.quantization!r}; expected None, or a Quantization"
            )


@dataclasses.dataclass(frozen=True)
class FeatureSpec:
    """A feature that looks up rows of a table.

    Raises:
        SparseCoreError: the name is empty, the table is not a `TableSpec`, or the batch has no
            samples.
    """

    name: str
    table: TableSpec
    batch_size: int
    """Samples in a step, over all devices."""

    def __post_init__(self) -> None:
        _check_name("feature", self.name)
        if not isinstance(self.table, TableSpec):
            raise SparseCoreError(
                f"feature {self.name!r}: table is {self.table!r}; expected a TableSpec"
            )
        set_count(self, f"feature {self.name!r}", "batch_size")


@dataclasses.dataclass(frozen=True)
class System:
    """The devices that hold the tables, each a part of every table.

    Raises:
        SparseCoreError: a number is below 1, or that of all SparseCores is not a power of two,
            which the format of the buffers requires.
    """

    num_devices: int
    sparse_cores_per_device: int

    def __post_init__(self) -> None:
        set_count(self, "system", "num_devices")
        set_count(self, "system", "sparse_cores_per_device")
        total = self.num_sparse_cores
        if total & (total - 1):
            raise SparseCoreError(
                f"system: {self.num_devices} devices of {self.sparse_cores_per_device} SparseCores "
                f"are {total} SparseCores; expected a power of two"
            )

    @functools.cached_property
    def num_sparse_cores(self) -> int:
        """SparseCores on all devices; a table has as many partitions."""
        return self.num_devices * self.sparse_cores_per_device


def _check_name(kind: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        raise SparseCoreError(f"{kind}: name is {name!r}; expected a string that is not empty")


def check_count(where: str, field: str, value: object) -> int:
    """Return a size or limit as a Python integer, from one of Python or numpy.

    Raises:
        SparseCoreError: it is not an integer from 1 to 2^31 - 1.
    """
    number = as_integer(value)
    if number is None or not 1 <= number <= INT32_MAX:
        raise SparseCoreError(
            f"{where}: {field} is {value!r}; expected an integer from 1 to {INT32_MAX}"
        )
    return number


def set_count(spec: object, where: str, field: str) -> None:
    """Check a size or limit of a frozen dataclass, and store it as a Python integer.

    Specifications are written as JSON, which has no integers of numpy.

    Raises:
        SparseCoreError: it is not an integer from 1 to 2^31 - 1.
    """
    object.__setattr__(spec, field, check_count(where, field, getattr(spec, field)))


def as_integer(value: Any) -> int | None:
    """Return an integer of Python or numpy as a Python integer, and None for anything else."""
    if isinstance(value, bool | np.bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _check_choice(where: str, field: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SparseCoreError(
            f"{where}: {field} is {value!r}; expected one of {', '.join(choices)}"
        )
