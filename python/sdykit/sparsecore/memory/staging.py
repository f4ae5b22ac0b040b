"""The buffers of a chip program that are staged in HBM, as they do not fit in SPMEM."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from sdykit.core import ops_named
from sdykit.core.sparsecore.elements import element_bytes
from sdykit.core.sparsecore.names import GATHER_OPERAND, NAME, SIZE, TILES
from sdykit.core.sparsecore.sizes import names_in
from sdykit.mlir import ir
from sdykit.sparsecore.memory.ledger import Entry
from sdykit.sparsecore.memory.stack import hbm_stack
from sdykit.sparsecore.tile.lookup.held import GATHERED, RECEIVED
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec
from sdykit.sparsecore.tile.update.held import GRADIENT_SUMS, gathered_name

_IN_STACK: Final = (GATHERED, RECEIVED, GRADIENT_SUMS, gathered_name("table"))
"""The rows that the formulas of the HBM stack have room for."""
_SPMEM = '"spmem"'


def staged_in(module: ir.Module, spec: TileSpec, *, owner: str = "") -> list[Entry]:
    """Return the gather operands of a program that are in HBM, for all SparseCores of a device.

    Rows that the HBM stack has room for are not counted again.

    Args:
        module: the program in the chip reading, laid out.
        spec: the spec of the program.
        owner: the name of the table; "": the label of the spec.
    """
    stack, found = hbm_stack(spec), list[Entry]()
    left = stack.row_bytes if stack else 0
    for alloc in ops_named(module.operation, "memref.alloc"):
        if not {NAME, GATHER_OPERAND} <= set(alloc.attributes.keys()) or _is_in_spmem(alloc):
            continue
        name = ir.StringAttr(alloc.attributes[NAME]).value
        size = (
            _bytes(ir.MemRefType(alloc.results[0].type)) * spec.sparse_cores * _holders(alloc, spec)
        )
        in_stack = min(size, left) if name in _IN_STACK else 0
        left -= in_stack
        besides = f", besides {in_stack} bytes in the HBM stack" if in_stack else ""
        found.append(
            Entry(
                kind="temporary",
                owner=owner or spec.label,
                name=f"{name}, staged in HBM",
                bytes=size - in_stack,
                phase="lookup" if isinstance(spec, LookupSpec) else "update",
                note=f"{_note(alloc, spec)}{besides}",
            )
        )
    return found


def _is_in_spmem(alloc: ir.Operation) -> bool:
    return str(ir.MemRefType(alloc.results[0].type).memory_space) == _SPMEM


def _bytes(type_: ir.MemRefType) -> int:
    return prod(type_.shape) * element_bytes(type_.element_type)


def _note(alloc: ir.Operation, spec: TileSpec) -> str:
    type_, tiles = ir.MemRefType(alloc.results[0].type), _holders(alloc, spec)
    of_tiles = f"each of {tiles} tiles of " if tiles > 1 else ""
    shape = "x".join(map(str, [*type_.shape, type_.element_type]))
    whole = f"{shape} of {of_tiles}each of {spec.sparse_cores} SparseCores"
    if SIZE not in alloc.attributes:
        return whole
    sizes = [ir.StringAttr(each).value for each in ir.ArrayAttr(alloc.attributes[SIZE])]
    return f"{whole}: {' x '.join(sizes)}{_whose(sizes, spec)}"


def _holders(alloc: ir.Operation, spec: TileSpec) -> int:
    """Return the number of tiles of a SparseCore that have such a buffer each; 1: they share it."""
    return 1 if TILES in alloc.attributes else spec.hardware.tiles_per_sparse_core


def _whose(sizes: Sequence[str], spec: TileSpec) -> str:
    """Return which partitions have the limits that sizes follow from, if these have their own."""
    names = {name for size in sizes for name in names_in(size)}
    limits = zip(
        ("max_ids_per_partition", "max_unique_ids_per_partition"),
        spec.limits_of_partitions,
        strict=True,
    )
    return "".join(
        f", {name} of partition {each.index(max(each))}"
        for name, each in limits
        if name in names and each
    )
