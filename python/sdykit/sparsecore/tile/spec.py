"""What to compile: a lookup or an update, and the chip it runs on.

A spec is frozen, hashable and JSON. It is the key of the caches, and all that a compiled JAX
program carries.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, get_args

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.key_values import without_repeats
from sdykit.sparsecore.optimizers import Custom, Optimizer, make_optimizer
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import DEFAULT_OPTIMIZER, INT32_MAX, MAX_IDS, Dtype
from sdykit.sparsecore.tile._base_spec import (
    POINTERS,
    VERSION,
    Layout,
    Staging,
    TileSpec,
    check_choice,
    check_count,
    check_flag,
    check_names,
)

__all__ = [
    "POINTERS",
    "AnyUpdateSpec",
    "CustomUpdateSpec",
    "Layout",
    "LookupSpec",
    "Staging",
    "TileSpec",
    "UpdateSpec",
    "spec_from_fields",
    "spec_from_json",
]

_TAKEN = (
    *("device", "row_pointers", "embedding_ids", "sample_ids", "gains", "num_minibatches", "ids"),
    *("gradients", "table", "words", "pairs", "parts", "counts", "counters", "status"),
)
"""Arguments of updates; slots have a prefix."""
_MINIBATCHES = 64
"""How many there may be."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class LookupSpec(TileSpec):
    """`activations[s] = sum of gain * table[id]` over the entries of sample `s`.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    max_ids_per_partition: int = MAX_IDS
    """Most ids that one SparseCore sends to one partition; sizes what a tile holds."""
    max_unique_ids_per_partition: int | None = None
    """The same, counted once per id; sizes what a tile holds of the table. None: as many as ids."""
    dtype: Dtype = "float32"
    """Of the table; elements are converted to float32."""
    quantization: Quantization | None = None
    """Quantizes each element before use; an int8 table holds its buckets."""
    staging: Staging = "auto"
    """Where activations are summed: in SPMEM, in HBM, or in HBM if SPMEM is too small."""

    kind = "lookup"

    @property
    def has_index(self) -> bool:
        """Whether the caller gives the order of the entries by sample."""
        return self.layout == "sdykit" and self.num_devices == 1

    @property
    def unique_ids(self) -> int:
        """Most rows of a device that the samples of a SparseCore name, in all minibatches."""
        limit = self.max_unique_ids_per_partition or self.max_ids_per_partition
        return limit * self.sparse_cores * (_MINIBATCHES if self.minibatches else 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        limit, unique = self.max_ids_per_partition, self.max_unique_ids_per_partition
        check_count(self.kind, "max_ids_per_partition", limit, INT32_MAX)
        if unique is not None:
            check_count(self.kind, "max_unique_ids_per_partition", unique, INT32_MAX)
        check_choice(self.kind, "dtype", self.dtype, get_args(Dtype))
        check_choice(self.kind, "staging", self.staging, get_args(Staging))
        if self.quantization is None:
            return
        if not isinstance(self.quantization, Quantization):
            raise SparseCoreError(
                f"lookup: quantization is {self.quantization!r}; expected a Quantization"
            )
        if self.dtype == "int32":
            raise SparseCoreError(
                "lookup: the table is int32 and quantized; expected float32, bfloat16 or int8"
            )


@dataclasses.dataclass(frozen=True, kw_only=True)
class AnyUpdateSpec(TileSpec):
    """What updates have in common."""

    max_ids_per_partition: int = MAX_IDS
    """Most ids that one SparseCore sends to one partition, in a minibatch; sizes what is sorted in
    SPMEM."""
    max_unique_ids_per_partition: int = MAX_IDS
    """The same, counted once per id; with it sizes the sums of gradients that a tile holds."""
    staging: Staging = "auto"
    """Where entries are sorted and gradients are summed: in SPMEM, out of it, or out of it where
    SPMEM is too small."""
    flat: bool = False
    """Whether table and slots are `[rows]`, and not `[rows, dim]`: only if `dim` is 1."""
    width: int | None = None
    """Columns of a row that are the table's own, for what reduces over a row; None: all."""

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
        check_choice(self.kind, "staging", self.staging, get_args(Staging))

    @property
    def reduced_columns(self) -> int:
        """Columns that what reduces over a row sees."""
        return self.dim if self.width is None else self.width

    @property
    def held_ids(self) -> int:
        """Most entries that a partition has of all SparseCores, in all minibatches."""
        return self._of_all(self.max_ids_per_partition)

    @property
    def held_rows(self) -> int:
        """Most rows that begin in a tile's share of these entries."""
        share = -(-self.held_ids // self.hardware.tiles_per_sparse_core)
        return min(share, self._of_all(self.max_unique_ids_per_partition))

    def _check_row_slots(self, names: tuple[str, ...]) -> None:
        if self.flat and names:
            raise SparseCoreError(
                f"{self.kind}: flat is True and there are slots with one number for each row, "
                f"{', '.join(names)}; expected false"
            )

    def _of_all(self, limit: int) -> int:
        minibatches = _MINIBATCHES if self.minibatches else 1
        return min(limit * self.all_cores * minibatches, INT32_MAX)


@dataclasses.dataclass(frozen=True, kw_only=True)
class UpdateSpec(AnyUpdateSpec):
    """An optimizer's step on the rows that a batch touched, in place.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    optimizer: Optimizer = DEFAULT_OPTIMIZER
    """Its hyperparameters are arguments of the program; bounds and FTRL's flag are not."""

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
        """Slot variables, in order."""
        return tuple(self.optimizer.slots)

    @property
    def row_slots(self) -> tuple[str, ...]:
        """Slot variables with one number for each row: `[rows, 1]`."""
        return self.optimizer.row_slots

    @property
    def scalars(self) -> tuple[str, ...]:
        """Hyperparameters, in order; a flag is 1 or 0."""
        return tuple(self.optimizer.hyperparameters(0))


@dataclasses.dataclass(frozen=True, kw_only=True)
class CustomUpdateSpec(AnyUpdateSpec):
    """A user's update of the rows that a batch touched, in place.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    stablehlo: str
    """A module whose function `main` takes gradient, table, slots and hyperparameters, float32
    of one shape or scalars, and gives table and slots; element by element, but for what it
    reduces over a row."""
    slots: tuple[str, ...] = ()
    """Slot variables, in order."""
    scalars: tuple[str, ...] = ("learning_rate",)
    """Hyperparameters, in order."""
    row_slots: tuple[str, ...] = ()
    """Those of the slots that have one number for each row: `[rows, 1]`."""

    kind = "custom_update"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.stablehlo, str):
            raise SparseCoreError(f"{self.kind}: stablehlo is {self.stablehlo!r}; expected a text")
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
            if name in _TAKEN or name.startswith("slot_"):
                raise SparseCoreError(
                    f"{self.kind}: scalars has {name!r}, which is another argument of the program; "
                    "expected another name"
                )


_KINDS: Mapping[str, type[TileSpec]] = {
    each.kind: each for each in (LookupSpec, UpdateSpec, CustomUpdateSpec)
}


def spec_from_json(text: str) -> TileSpec:
    """Read what `to_json` wrote; a field with a default may be missing.

    Raises:
        SparseCoreError: it is no JSON, or a field is unknown, missing, wrong or given twice.
    """
    try:
        fields = json.loads(text, object_pairs_hook=without_repeats("spec"))
    except SparseCoreError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise SparseCoreError(f"spec: it is no JSON: {error}") from None
    if not isinstance(fields, dict):
        raise SparseCoreError(f"spec: it is a {type(fields).__name__}; expected an object")
    return spec_from_fields(fields)


def spec_from_fields(values: Mapping[str, Any]) -> TileSpec:
    """Return the spec whose `to_fields` are `values`; a field with a default may be missing.

    Lists stand for tuples, as in JSON.

    Raises:
        SparseCoreError: a field is unknown, missing or wrong.
    """
    fields = dict(values)
    if fields.pop("version", None) != VERSION:
        raise SparseCoreError(f'spec: expected "version": {VERSION}')
    name = fields.pop("kind", None)
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise SparseCoreError(f"spec: kind is {name!r}; expected one of {', '.join(_KINDS)}")
    return _make(kind, fields)


def _make(kind: type[TileSpec], fields: dict[str, Any]) -> TileSpec:
    known = [each.name for each in dataclasses.fields(kind)]
    for name in fields:
        if name not in known:
            raise SparseCoreError(
                f"{kind.kind}: there is no field {name!r}; expected one of {', '.join(known)}"
            )
    for each in dataclasses.fields(kind):
        if each.default is dataclasses.MISSING and each.name not in fields:
            raise SparseCoreError(f"{kind.kind}: {each.name} is missing")
    if isinstance(fields.get("quantization"), dict):
        fields["quantization"] = _quantization(fields["quantization"])
    if isinstance(fields.get("optimizer"), dict):
        fields["optimizer"] = make_optimizer(**{"name": None, **fields["optimizer"]})
    for name, value in fields.items():
        if isinstance(value, list):
            fields[name] = tuple(value)
    return kind(**fields)


def _quantization(fields: dict[str, Any]) -> Quantization:
    try:
        return Quantization(**fields)
    except TypeError:
        names = [each.name for each in dataclasses.fields(Quantization)]
        raise SparseCoreError(
            f"quantization: its fields are {', '.join(fields) or 'none'}; "
            f"expected {', '.join(names)}"
        ) from None
