"""What to compile: a lookup or an update, and the chip it runs on.

A spec is frozen, hashable and JSON. It is the key of the caches, and all that a compiled JAX
program carries.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

from sdykit.sparsecore.chip import Chip, chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Custom, Optimizer, make_optimizer
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import DEFAULT_OPTIMIZER, INT32_MAX, MAX_IDS, Dtype

VERSION = 1
MAX_DIM = 2**16
POINTERS = 8
"""Row pointers that a segment has at least, and what its entries are aligned to."""
MAX_MINIBATCHES = 64

Layout = Literal["sdykit", "jax_tpu_embedding"]
Staging = Literal["auto", "spmem", "hbm"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class TileSpec:
    """What lookups and updates have in common.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    dim: int
    """Elements of a row."""
    samples_per_core: int
    """Samples that each SparseCore has."""
    minibatches: bool = False
    """Whether the buffers are laid out for up to 64 minibatches."""
    chip: str = "v5p"
    """A chip's name, or a file that describes one."""
    tile_memory_bytes: int | None = None
    """Instead of the chip's."""

    check_bounds: bool = False
    """Whether the program checks every load and store; what is wrong is in its status."""

    check_nan: bool = False
    """Whether it looks for NaN in what it reads and writes; the first is in its status."""

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        _check_count(self.kind, "dim", self.dim, MAX_DIM)
        _check_count(self.kind, "samples_per_core", self.samples_per_core, INT32_MAX)
        if self.tile_memory_bytes is not None:
            _check_count(self.kind, "tile_memory_bytes", self.tile_memory_bytes, 2**40)
        _check_flag(self.kind, "minibatches", self.minibatches)
        _check_flag(self.kind, "check_bounds", self.check_bounds)
        _check_flag(self.kind, "check_nan", self.check_nan)
        if not isinstance(self.chip, str):
            raise SparseCoreError(f"{self.kind}: chip is {self.chip!r}; expected a name or a file")

    @property
    def hardware(self) -> Chip:
        """The chip.

        Raises:
            SparseCoreError: there is none of this name, or its file is wrong.
        """
        found = chip(self.chip)
        if self.tile_memory_bytes is None:
            return found
        return dataclasses.replace(found, tile_memory_bytes=self.tile_memory_bytes)

    @property
    def sparse_cores(self) -> int:
        """SparseCores of the device: the table has as many partitions."""
        return self.hardware.sparse_cores_per_device

    @property
    def pointers(self) -> int:
        """Row pointers of a segment."""
        return max(self.sparse_cores, POINTERS)

    def to_json(self) -> str:
        """Write the spec as one line; equal specs give equal lines."""
        fields = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        fields = {name: _plain(value) for name, value in fields.items()}
        return json.dumps({"version": VERSION, "kind": self.kind, **fields})


@dataclasses.dataclass(frozen=True, kw_only=True)
class LookupSpec(TileSpec):
    """`activations[s] = sum of gain * table[id]` over the entries of sample `s`.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    max_ids_per_partition: int = MAX_IDS
    """Most ids that one SparseCore sends to one partition; sizes what a tile holds."""
    dtype: Dtype = "float32"
    """Of the table; elements are converted to float32."""
    quantization: Quantization | None = None
    """Quantizes each element before use; an int8 table holds its buckets."""
    layout: Layout = "sdykit"
    """Of the buffers; `sdykit` has an index of the entries by sample."""
    staging: Staging = "auto"
    """Where activations are summed: in SPMEM, in HBM, or in HBM if SPMEM is too small."""

    kind = "lookup"

    def __post_init__(self) -> None:
        super().__post_init__()
        limit = self.max_ids_per_partition
        _check_count(self.kind, "max_ids_per_partition", limit, INT32_MAX)
        _check_choice(self.kind, "dtype", self.dtype, get_args(Dtype))
        _check_choice(self.kind, "layout", self.layout, get_args(Layout))
        _check_choice(self.kind, "staging", self.staging, get_args(Staging))
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
class UpdateSpec(TileSpec):
    """An optimizer's step on the rows that a batch touched, in place.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    optimizer: Optimizer = DEFAULT_OPTIMIZER
    """Its hyperparameters are arguments of the program, except for flags and bounds."""

    kind = "update"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.optimizer, Optimizer) or isinstance(self.optimizer, Custom):
            raise SparseCoreError(
                f"update: optimizer is {self.optimizer!r}; expected one of "
                "sdykit.sparsecore.optimizers other than Custom"
            )

    @property
    def slots(self) -> tuple[str, ...]:
        """Slot variables, in order."""
        return tuple(self.optimizer.slots)

    @property
    def scalars(self) -> tuple[str, ...]:
        """Hyperparameters that are arguments, in order; flags decide which program is built."""
        values = self.optimizer.hyperparameters(0)
        return tuple(name for name in values if name != "use_nesterov")


@dataclasses.dataclass(frozen=True, kw_only=True)
class CustomUpdateSpec(TileSpec):
    """A user's update of the rows that a batch touched, in place.

    Raises:
        SparseCoreError: a field is out of its range; the text names it.
    """

    stablehlo: str
    """A module whose function `main` takes gradient, table, slots and hyperparameters, float32
    of one shape or scalars, and gives table and slots; element by element."""
    slots: tuple[str, ...] = ()
    """Slot variables, in order."""
    scalars: tuple[str, ...] = ("learning_rate",)
    """Hyperparameters, in order."""

    kind = "custom_update"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.stablehlo, str):
            raise SparseCoreError(f"{self.kind}: stablehlo is {self.stablehlo!r}; expected a text")
        for name in ("slots", "scalars"):
            _check_names(self.kind, name, getattr(self, name))


_KINDS: Mapping[str, type[TileSpec]] = {
    each.kind: each for each in (LookupSpec, UpdateSpec, CustomUpdateSpec)
}


def spec_from_json(text: str) -> TileSpec:
    """Read what `to_json` wrote; a field with a default may be missing.

    Raises:
        SparseCoreError: it is no JSON, or a field is unknown, missing or wrong.
    """
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SparseCoreError(f"spec: it is no JSON: {error}") from None
    if not isinstance(fields, dict):
        raise SparseCoreError(f"spec: it is a {type(fields).__name__}; expected an object")
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


def _plain(value: object) -> object:
    if isinstance(value, Optimizer):
        return {"name": value.name, **dataclasses.asdict(value)}
    return dataclasses.asdict(value) if isinstance(value, Quantization) else value


def _check_count(where: str, name: str, value: object, highest: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= highest:
        raise SparseCoreError(
            f"{where}: {name} is {value!r}; expected an integer from 1 to {highest}"
        )


def _check_flag(where: str, name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise SparseCoreError(f"{where}: {name} is {value!r}; expected true or false")


def _check_names(where: str, name: str, value: object) -> None:
    names = value if isinstance(value, tuple) else None
    if (
        names is None
        or not all(isinstance(each, str) and each for each in names)
        or len(set(names)) < len(names)
    ):
        raise SparseCoreError(f"{where}: {name} is {value!r}; expected names, each once")


def _check_choice(where: str, name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SparseCoreError(f"{where}: {name} is {value!r}; expected one of {', '.join(choices)}")
