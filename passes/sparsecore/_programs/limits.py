"""What the buffers of a phase are for, and the limits with which they would fit in SPMEM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sdykit.core import fail
from sdykit.core.sparsecore.elements import element_bytes
from sdykit.core.sparsecore.names import NAME, SIZE, TILES
from sdykit.core.sparsecore.sizes import SizeError, evaluate, names_in
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.entry import (
    aligned,
    bytes_of,
    limits_of_partitions,
    sizes_of,
)

_IDS = "max_ids_per_partition"
_UNIQUE = "max_unique_ids_per_partition"
_SAMPLES = "samples_per_core"
_LOWERED = (_UNIQUE, _IDS, _SAMPLES)
"""The limits that are lowered in search for a layout that fits, one at a time."""


@dataclass(frozen=True)
class Buffer:
    """A buffer whose size follows from limits.

    Attributes:
        name: its name in the program.
        sizes: the size of each dimension, as an expression.
        element: the bytes of an element.
        tiles: the number of tiles that hold it together.
        bytes: its size in each tile.
    """

    name: str
    sizes: tuple[str, ...]
    element: int
    tiles: int
    bytes: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names that its size follows from."""
        return tuple(dict.fromkeys(name for size in self.sizes for name in names_in(size)))

    def aligned_with(self, sizes: Mapping[str, int]) -> int:
        """Return its aligned size in each tile, in bytes, with other values of the names."""
        whole = prod(evaluate(size, sizes) for size in self.sizes) * self.element
        return aligned(-(-whole // self.tiles))

    @property
    def product(self) -> str:
        """The product that its number of elements is."""
        return " x ".join(self.sizes)


def limited_buffers(allocations: Sequence[ir.Operation]) -> list[Buffer] | None:
    """Return allocations as buffers, the largest first; None if one does not tell name and size.

    Raises:
        PassFailure: an attribute or an expression is invalid.
    """
    if not all(NAME in each.attributes and SIZE in each.attributes for each in allocations):
        return None
    return sorted(map(_buffer, allocations), key=lambda each: -each.bytes)


def _buffer(alloc: ir.Operation) -> Buffer:
    name, sizes = alloc.attributes[NAME], alloc.attributes[SIZE]
    texts = tuple(
        each.value
        for each in (sizes if isinstance(sizes, ir.ArrayAttr) else ())
        if isinstance(each, ir.StringAttr)
    )
    type_ = ir.MemRefType(alloc.results[0].type)
    if not isinstance(name, ir.StringAttr) or len(texts) != type_.rank:
        fail(
            alloc,
            f"has the attributes '{NAME}' = {name} and '{SIZE}' = {sizes}; expected a name, and an "
            f"expression for each of {type_.rank} dimensions",
        )
    size = bytes_of(alloc)
    tiles = ir.IntegerAttr(alloc.attributes[TILES]).value if TILES in alloc.attributes else 1
    return Buffer(name.value, texts, element_bytes(type_.element_type), tiles, size)


def describe_layout(
    location: ir.Location,
    buffers: Sequence[Buffer],
    entry: ir.Operation,
    memory: int,
) -> str:
    """Return the buffers, the values of their sizes, and the limits that would fit, for an error.

    Args:
        location: where an error about the sizes is reported.
        buffers: the buffers of a phase.
        entry: the entry function, which has the values of the names in their sizes.
        memory: the bytes of a tile's SPMEM.

    Raises:
        PassFailure: a size is not an expression of these names.
    """
    sizes, limits = sizes_of(entry), limits_of_partitions(entry)
    try:
        for each in buffers:
            each.aligned_with(sizes)
    except SizeError as error:
        fail(location, str(error))
    names = dict.fromkeys(name for each in buffers for name in each.names)
    values = ", ".join(f"{name} = {sizes[name]}{_whose(name, sizes, limits)}" for name in names)
    fitting = _fitting(buffers, sizes, memory).items()
    fits = " or ".join(f"{name} = {value}" for name, value in fitting)
    return (
        f"{_listed(buffers)}; with {values or 'no limits'}. To fit: "
        f"{fits or 'no lower limit alone is enough'}"
    )


def _whose(name: str, sizes: Mapping[str, int], limits: Mapping[str, Sequence[int]]) -> str:
    """Return which partition has the limit that a size is, if partitions have limits of their own."""
    found = [at for at, limit in enumerate(limits.get(name, ())) if limit >= sizes[name]]
    if not found:
        return ""
    others = f", and of {len(found) - 1} more" if len(found) > 1 else ""
    return f" (that of partition {found[0]}{others})"


def _listed(buffers: Sequence[Buffer]) -> str:
    """Return the bytes of each buffer, those of one size together."""
    alike: dict[tuple[int, str], list[str]] = {}
    for each in buffers:
        alike.setdefault((each.bytes, each.product), []).append(each.name)
    return "; ".join(
        f"{', '.join(names)} {size}{' each' if len(names) > 1 else ''} ({product})"
        for (size, product), names in alike.items()
    )


def _fitting(buffers: Sequence[Buffer], sizes: Mapping[str, int], memory: int) -> dict[str, int]:
    """Return the highest value of each limit with which all buffers fit, others unchanged."""
    found: dict[str, int] = {}
    used = {name for each in buffers for name in each.names}
    for name in _LOWERED:
        if name not in used or name not in sizes:
            continue
        low, high = 0, sizes[name]  # It fits with `low`, if that is not 0, and not with `high`.
        while high - low > 1:
            middle = (low + high) // 2
            changed = _lowered(sizes, name, middle)
            fits = sum(each.aligned_with(changed) for each in buffers) <= memory
            low, high = (middle, high) if fits else (low, middle)
        if low:
            found[name] = low
    return found


def _lowered(sizes: Mapping[str, int], name: str, value: int) -> dict[str, int]:
    """Return sizes with a lower limit; there are no more unique ids than ids."""
    changed = {**sizes, name: value}
    if name == _IDS and _UNIQUE in changed:
        changed[_UNIQUE] = min(changed[_UNIQUE], value)
    return changed
