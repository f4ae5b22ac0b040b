"""The spec of a lookup."""

from __future__ import annotations

import dataclasses
from typing import get_args

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import INT32_MAX, MAX_IDS, Dtype
from sdykit.sparsecore.tile.spec.base import (
    MAX_MINIBATCHES,
    Staging,
    TileSpec,
    check_choice,
    check_count,
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class LookupSpec(TileSpec):
    """`activations[s] = sum of gain * table[id]` over the entries of sample `s`.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    max_ids_per_partition: int = MAX_IDS
    """The maximum number of ids that one SparseCore sends to one partition; it sizes the buffers of
    entries."""
    max_unique_ids_per_partition: int | None = None
    """The maximum number of distinct ones of these ids; it sizes the buffers of de-duplication and of
    gathered rows. None: as many as ids."""
    dtype: Dtype = "float32"
    """The element type of the table; elements are converted to float32."""
    quantization: Quantization | None = None
    """How each element is quantized before use; an int8 table holds the numbers of buckets."""
    staging: Staging = "auto"
    """Where activations are summed: in `spmem`, in `hbm`, or with `auto` in HBM if SPMEM is too
    small."""

    kind = "lookup"

    @property
    def has_index(self) -> bool:
        """Whether the caller passes an index of the entries by sample; a chip reads the buffers."""
        return self.layout == "sdykit" and self.num_devices == 1 and self.reading == "cpu"

    @property
    def limits(self) -> tuple[int, int]:
        unique = self.max_unique_ids_per_partition
        return self.max_ids_per_partition, unique or self.max_ids_per_partition

    @property
    def unique_ids(self) -> int:
        """The maximum number of a device's rows that one SparseCore's samples name, in all minibatches."""
        return self.limits[1] * self.sparse_cores * (MAX_MINIBATCHES if self.minibatches else 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        limit, unique = self.max_ids_per_partition, self.max_unique_ids_per_partition
        check_count(self.kind, "max_ids_per_partition", limit, INT32_MAX)
        if unique is not None:
            check_count(self.kind, "max_unique_ids_per_partition", unique, INT32_MAX)
        self._check_limits_of_partitions()
        check_choice(self.kind, "dtype", self.dtype, get_args(Dtype))
        check_choice(self.kind, "staging", self.staging, get_args(Staging))
        if self.quantization is None:
            return
        if not isinstance(self.quantization, Quantization):
            raise SparseCoreError(
                f"lookup: quantization is {self.quantization!r}; expected a Quantization or None"
            )
        if self.dtype == "int32":
            raise SparseCoreError(
                "lookup: the table is int32 and quantized; expected float32, bfloat16 or int8"
            )
