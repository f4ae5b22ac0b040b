"""A chip as a class of numbers, the known ones, and those that a user describes in a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from sdykit.sparsecore.chip.data import COSTS, NUMBERS
from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion
from sdykit.sparsecore.files.key_values import SUFFIXES, read_key_values

_FLOAT_BYTES: Final = 4


@dataclass(frozen=True)
class _Range:
    """The values that a number of a chip can have."""

    low: int
    high: int
    integer: bool = True
    power_of_two: bool = False

    @property
    def expected(self) -> str:
        kind = (
            "a power of two" if self.power_of_two else "an integer" if self.integer else "a number"
        )
        return f"{kind} from {self.low} to {self.high}"

    def holds(self, value: object) -> bool:
        types = int if self.integer else (int, float)
        if isinstance(value, bool) or not isinstance(value, types):
            return False
        if not self.low <= value <= self.high:  # Neither is true of NaN.
            return False
        return not (self.power_of_two and isinstance(value, int) and value & (value - 1))


def _number(low: int, high: int, **kind: bool) -> Any:
    return field(metadata={"range": _Range(low, high, **kind)})


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One kind of TPU: its SparseCores and their memory, in bytes.

    Raises:
        SparseCoreError: a number is out of its range, or contradicts another.
    """

    name: str
    sparse_cores_per_chip: int = _number(1, 1024, power_of_two=True)
    sparse_cores_per_device: int = _number(1, 1024, power_of_two=True)
    """SparseCores of one JAX device; on 7x a chip is two devices."""
    tiles_per_sparse_core: int = _number(1, 1024)
    float32_lanes: int = _number(1, 1024, power_of_two=True)
    """Elements of float32 that a tile works on at once."""
    bfloat16_lanes: int = _number(1, 1024, power_of_two=True)
    hbm_bytes: int = _number(2**20, 2**50)
    """HBM of the chip; its devices share it evenly."""
    hbm_bytes_per_second: float = _number(1, 10**18, integer=False)
    """Bandwidth of the chip's HBM, over all its cores."""
    ici_bytes_per_second: float = _number(1, 10**18, integer=False)
    """Bandwidth of the chip's links to other chips, both directions added."""
    tile_memory_bytes: int = _number(2**10, 2**40)
    """Local memory of one tile."""
    dma_granule_bytes: int = _number(4, 2**16, power_of_two=True)
    """Smallest piece of HBM that a transfer moves."""
    row_alignment_bytes: int = _number(4, 2**16, power_of_two=True)
    """Feature rows are padded to a multiple of this."""
    cost: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Numbers of the cost model that differ from its defaults; see `sdykit.sparsecore.cost`."""
    sources: tuple[tuple[str, float, str], ...] = field(default=(), repr=False, compare=False)
    """Field, number and source of the number; `source` looks it up."""

    def __post_init__(self) -> None:
        where = f"chip {self.name!r}"
        for name, allowed in RANGES.items():
            value = getattr(self, name)
            if not allowed.holds(value):
                raise SparseCoreError(
                    f"{where}: {name} is {shown(value)}; expected {allowed.expected}"
                )
        if self.sparse_cores_per_chip % self.sparse_cores_per_device:
            raise SparseCoreError(
                f"{where}: sparse_cores_per_device is {self.sparse_cores_per_device}; expected at"
                f" most the {self.sparse_cores_per_chip} of sparse_cores_per_chip"
            )

    @property
    def devices_per_chip(self) -> int:
        """JAX devices on one chip."""
        return self.sparse_cores_per_chip // self.sparse_cores_per_device

    @property
    def row_alignment(self) -> int:
        """Number of floats to a multiple of which rows of stacked tables are padded."""
        return self.row_alignment_bytes // _FLOAT_BYTES

    @property
    def spmem_bytes(self) -> int:
        """Bytes of SPMEM of one SparseCore: the memory of its tiles."""
        return self.tiles_per_sparse_core * self.tile_memory_bytes

    def source(self, number: str) -> str:
        """Return the source of a number; for an assumption the text begins with `assumption`.

        Args:
            number: the name of the field.

        Raises:
            SparseCoreError: a chip has no such number.
        """
        if number not in RANGES:
            raise SparseCoreError(f"a chip has no number {number!r}; {suggestion(number, RANGES)}")
        for name, value, source in self.sources:
            if (name, value) == (number, getattr(self, number)):
                return source
        return "assumption: given in a program"  # By `dataclasses.replace`, for instance.


RANGES: Final[dict[str, _Range]] = {
    each.name: each.metadata["range"] for each in fields(Chip) if "range" in each.metadata
}
"""The numbers of a chip by field, with the values that each can have."""


def _built_in(name: str) -> Chip:
    numbers = NUMBERS[name]
    values = {key: value for key, (value, _) in numbers.items()}
    sources = tuple((key, value, source) for key, (value, source) in numbers.items())
    return Chip(name=name, sources=sources, cost=COSTS.get(name, {}), **values)


CHIPS: Final[Mapping[str, Chip]] = {name: _built_in(name) for name in NUMBERS}
"""The known chips by name: `v4`, `v5p`, `v6e` (Trillium), `7x`."""


def chip(name_or_path: str | os.PathLike[str]) -> Chip:
    """Find a chip by name, or read one of your own from a JSON or TOML file.

    The file has the fields of `Chip` as keys. With `base = "v5p"`, numbers that it does not have
    are those of that chip; without, it must have all. Without a key `name`, the chip has the name
    of the file. The table `cost` is for numbers of the cost model, and need not be there.

    Raises:
        SparseCoreError: no chip has the name; or the file cannot be read, has an unknown
            key, lacks a number, or has one out of its range.
    """
    if not isinstance(name_or_path, (str, os.PathLike)):
        raise SparseCoreError(f"found {shown(name_or_path)}; expected a chip's name or a file")
    if isinstance(name_or_path, str) and not name_or_path.lower().endswith(SUFFIXES):
        if name_or_path in CHIPS:
            return CHIPS[name_or_path]
        raise SparseCoreError(
            f"there is no chip {shown(name_or_path)}, and it is not a file that ends in"
            f" {' or '.join(SUFFIXES)}; {suggestion(name_or_path, CHIPS)}"
        )
    path = os.fspath(name_or_path)
    return _from_keys(path, read_key_values(path))


def _from_keys(path: str, given: dict[str, Any]) -> Chip:
    known = ("base", "name", "cost", *RANGES)
    for key in given:
        if key not in known:
            raise SparseCoreError(f"{path}: error: unknown key {key!r}; {suggestion(key, known)}")
    numbers = {key: value for key, value in given.items() if key in RANGES}
    name = given.get("name", Path(path).stem)
    if not isinstance(name, str) or not name:
        raise SparseCoreError(
            f"{path}: error: name is {shown(name)}; expected a string that is not empty"
        )
    cost = given.get("cost", {})
    if not isinstance(cost, Mapping):
        raise SparseCoreError(f"{path}: error: cost is {shown(cost)}; expected a table of numbers")
    cost = {key: _with_source(value, f"file {path}") for key, value in cost.items()}
    missing = [key for key in RANGES if key not in numbers]
    if "base" not in given and missing:
        raise SparseCoreError(
            f"{path}: error: {', '.join(missing)} not given; expected every number, or a chip to"
            f' start from, as base = "v5p"'
        )
    sources = tuple((key, value, f"file {path}") for key, value in numbers.items())
    try:
        if "base" not in given:
            return Chip(name=name, sources=sources, cost=cost, **numbers)
        base = _base(given["base"])
        # The file's sources come first: it may repeat a number of the base.
        sources, cost = sources + base.sources, {**base.cost, **cost}
        return replace(base, name=name, sources=sources, cost=cost, **numbers)
    except SparseCoreError as error:
        raise SparseCoreError(f"{path}: error: {error}") from None


def _with_source(number: object, source: str) -> Mapping[str, object]:
    """Return a number of the table `cost` with the file as its source, if it has none."""
    fields = number if isinstance(number, Mapping) else {"value": number}
    return {"source": source, **fields}


def _base(name: object) -> Chip:
    if not isinstance(name, str) or name not in CHIPS:
        raise SparseCoreError(f"base is {shown(name)}; {suggestion(str(name), CHIPS)}")
    return CHIPS[name]
