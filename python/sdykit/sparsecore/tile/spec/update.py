"""The specs of updates: by an optimizer, or by a user's function."""

from __future__ import annotations

import dataclasses
from typing import get_args

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Custom, Optimizer
from sdykit.sparsecore.specs import DEFAULT_OPTIMIZER, INT32_MAX, MAX_IDS
from sdykit.sparsecore.tile.spec.base import (
    Staging,
    TileSpec,
    check_choice,
    check_count,
    check_flag,
    check_names,
)

_RESERVED = (
    *("device", "row_pointers", "embedding_ids", "sample_ids", "gains", "num_minibatches", "ids"),
    *("gradients", "table", "words", "pairs", "parts", "starts", "counters", "status"),
    *("sorted_words", "tile_counts", "block_words", "unique_rows", "gradient_sums"),
    *("gradient_parts", "unique_slots", "updated_slots", "slots_of_rows", "rows_of_slots"),
)
"""Names of other buffers of updates."""
_RESERVED_PREFIXES = ("slot_", "gathered_")
"""Prefixes of the names of slots, and of copies of rows and slots."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AnyUpdateSpec(TileSpec):
    """The fields that updates have in common."""

    max_ids_per_partition: int = MAX_IDS
    """The maximum number of ids that one SparseCore sends to one partition in a minibatch; it sizes
    the buffers that entries are sorted in."""
    max_unique_ids_per_partition: int = MAX_IDS
    """The maximum number of distinct ones of these ids; both limits size the buffer of a tile's sums
    of gradients."""
    staging: Staging = "auto"
    """Where entries are sorted and gradients are summed: in `spmem`, in `hbm`, or with `auto` in HBM if
    SPMEM is too small."""
    flat: bool = False
    """Whether table and slots are `[rows]` instead of `[rows, dim]`; only if `dim` is 1."""
    width: int | None = None
    """The number of columns that are not padding, for rules that reduce over a row; None: all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag(self.kind, "flat", self.flat)
        if self.width is not None:
            check_count(self.kind, "width", self.width, self.dim)
        if self.flat and self.dim != 1:
            raise SparseCoreError(
                f"{self.kind}: flat is True and dim is {self.dim}; expected dim 1, as a flat table "
                "has rows of one element"
            )
        for name in ("max_ids_per_partition", "max_unique_ids_per_partition"):
            check_count(self.kind, name, getattr(self, name), INT32_MAX)
        self._check_limits_of_partitions()
        check_choice(self.kind, "staging", self.staging, get_args(Staging))

    @property
    def limits(self) -> tuple[int, int]:
        return self.max_ids_per_partition, self.max_unique_ids_per_partition

    @property
    def reduced_columns(self) -> int:
        """The number of columns that a reduction over a row covers."""
        return self.dim if self.width is None else self.width

    def _check_row_slots(self, names: tuple[str, ...]) -> None:
        if self.flat and names:
            raise SparseCoreError(
                f"{self.kind}: flat is True and there are slots with one number for each row, "
                f"{', '.join(names)}; expected False"
            )


@dataclasses.dataclass(frozen=True, kw_only=True)
class UpdateSpec(AnyUpdateSpec):
    """An optimizer's step on the rows that a batch touched, in place.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    optimizer: Optimizer = DEFAULT_OPTIMIZER
    """The optimizer. Its hyperparameters are arguments of the program; its bounds, and the flag of
    FTRL, are part of the spec."""

    kind = "update"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.optimizer, Optimizer) or isinstance(self.optimizer, Custom):
            raise SparseCoreError(
                f"update: optimizer is {self.optimizer!r}; expected one of "
                "sdykit.sparsecore.optimizers other than Custom"
            )
        self._check_row_slots(self.row_slots)

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slot variables, in order."""
        return tuple(self.optimizer.slots)

    @property
    def row_slots(self) -> tuple[str, ...]:
        """The names of the slot variables that have one number for each row: `[rows, 1]`."""
        return self.optimizer.row_slots

    @property
    def scalars(self) -> tuple[str, ...]:
        """The names of the hyperparameters, in order; a flag is 1 or 0."""
        return tuple(self.optimizer.hyperparameters(0))


@dataclasses.dataclass(frozen=True, kw_only=True)
class CustomUpdateSpec(AnyUpdateSpec):
    """A user's update of the rows that a batch touched, in place.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    stablehlo: str
    """A module whose function `main` takes the gradient, table, slots and hyperparameters, float32
    of one shape or scalars, and returns the table and slots. Its ops are element-wise, or reduce
    over a row."""
    slots: tuple[str, ...] = ()
    """The names of the slot variables, in order."""
    scalars: tuple[str, ...] = ("learning_rate",)
    """The names of the hyperparameters, in order."""
    row_slots: tuple[str, ...] = ()
    """The names of the slots that have one number for each row: `[rows, 1]`."""

    kind = "custom_update"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.stablehlo, str):
            raise SparseCoreError(
                f"{self.kind}: stablehlo is {self.stablehlo!r}; expected the text of a module"
            )
        for name in ("slots", "scalars", "row_slots"):
            check_names(self.kind, name, getattr(self, name))
        for name in self.row_slots:
            if name not in self.slots:
                raise SparseCoreError(
                    f"{self.kind}: row_slots has {name!r}; expected one of slots: "
                    f"{', '.join(self.slots) or 'none'}"
                )
        self._check_row_slots(self.row_slots)
        for name in self.scalars:
            if name in _RESERVED or name.startswith(_RESERVED_PREFIXES):
                raise SparseCoreError(
                    f"{self.kind}: scalars has {name!r}, which is another buffer of the program; "
                    "expected another name"
                )
