"""The entry function of a tile program, its phases, and their allocations in SPMEM."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sdykit.core import FUNC, fail, ops_named
from sdykit.core.sparsecore.elements import element_bytes
from sdykit.core.sparsecore.names import ENTRY, LIMITS_OF_PARTITIONS, SIZES, TILE_MEMORY, TILES
from sdykit.mlir import ModuleOp, ir

ALIGNMENT = 64
"""The alignment of allocations in SPMEM, in bytes."""
_ALLOC = "memref.alloc"
_SPMEM = '"spmem"'
_PHASE = "scf.parallel"


def entry_of(module: ModuleOp) -> ir.Operation | None:
    """Return the entry function, or None for modules without one.

    Raises:
        PassFailure: the function has no body.
    """
    entry = next((op for op in ops_named(module, FUNC) if ENTRY in op.attributes), None)
    if entry is not None and not list(entry.regions[0]):
        fail(entry, "is the entry function and has no body; expected a function with a body")
    return entry


def phases_of(entry: ir.Operation) -> list[ir.Operation]:
    """Return the phases of a program: the parallel loops at the top of the entry function."""
    return [op.operation for op in entry.regions[0].blocks[0] if op.operation.name == _PHASE]


def allocations_in(phase: ir.Operation) -> list[ir.Operation]:
    """Return the allocations of a phase in SPMEM, in program order."""
    return [op for op in ops_named(phase, _ALLOC) if _is_in_spmem(op.results[0].type)]


def _is_in_spmem(type_: ir.Type) -> bool:
    return isinstance(type_, ir.MemRefType) and str(type_.memory_space) == _SPMEM


def bytes_of(alloc: ir.Operation) -> int:
    """Return the size of an allocation in bytes; with `sparsecore.tiles`, that of a tile's share.

    Raises:
        PassFailure: the size is not static, or the number of tiles is not a positive integer.
    """
    type_ = ir.MemRefType(alloc.results[0].type)
    if not type_.has_static_shape:
        fail(alloc, f"allocates '{type_}' in SPMEM; expected static sizes")
    size = prod(type_.shape) * element_bytes(type_.element_type)
    if TILES not in alloc.attributes:
        return size
    tiles = alloc.attributes[TILES]
    if not isinstance(tiles, ir.IntegerAttr) or tiles.value < 1:
        fail(alloc, f"has the attribute '{TILES}' = {tiles}; expected a positive integer")
    return -(-size // tiles.value)


def total_bytes(allocations: Sequence[ir.Operation]) -> int:
    """Return the size of several allocations in bytes, one after another, aligned."""
    return sum(aligned(bytes_of(each)) for each in allocations)


def aligned(size: int) -> int:
    """Round a size up to a multiple of `ALIGNMENT`."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def tile_memory(entry: ir.Operation) -> int | None:
    """Return the size of a tile's memory in bytes, or None if the entry function does not say.

    Raises:
        PassFailure: the attribute is not an integer.
    """
    if TILE_MEMORY not in entry.attributes:
        return None
    attribute = entry.attributes[TILE_MEMORY]
    if not isinstance(attribute, ir.IntegerAttr):
        fail(entry, f"has the attribute '{TILE_MEMORY}' = {attribute}; expected an integer")
    return attribute.value


def sizes_of(entry: ir.Operation) -> dict[str, int]:
    """Return the values that sizes of allocations are computed with, by name.

    Raises:
        PassFailure: the attribute does not hold integers.
    """
    if SIZES not in entry.attributes:
        return {}
    found = entry.attributes[SIZES]
    pairs = [found[k] for k in range(len(found))] if isinstance(found, ir.DictAttr) else []
    values = [(each.name, each.attr) for each in pairs]
    sizes = {name: value.value for name, value in values if isinstance(value, ir.IntegerAttr)}
    if not isinstance(found, ir.DictAttr) or len(sizes) < len(pairs):
        fail(entry, f"has the attribute '{SIZES}' = {found}; expected integers by name")
    return sizes


def limits_of_partitions(entry: ir.Operation) -> dict[str, tuple[int, ...]]:
    """Return the limits that differ from partition to partition, in the order of these, by name.

    Raises:
        PassFailure: the attribute does not hold lists of integers.
    """
    if LIMITS_OF_PARTITIONS not in entry.attributes:
        return {}
    found = entry.attributes[LIMITS_OF_PARTITIONS]
    pairs = [found[k] for k in range(len(found))] if isinstance(found, ir.DictAttr) else []
    limits = {
        each.name: tuple(each.attr) for each in pairs if isinstance(each.attr, ir.DenseI64ArrayAttr)
    }
    if not limits or len(limits) < len(pairs):
        fail(
            entry,
            f"has the attribute '{LIMITS_OF_PARTITIONS}' = {found}; expected lists of integers by name",
        )
    return limits
