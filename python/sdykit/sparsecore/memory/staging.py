"""The buffers of a chip program that are staged in HBM, as they do not fit in SPMEM."""

from __future__ import annotations

from math import prod

from sdykit.core import ops_named
from sdykit.core.sparsecore.names import GATHER_OPERAND, NAME, SIZE
from sdykit.mlir import ir
from sdykit.sparsecore.memory.ledger import Entry
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec

_SPMEM = '"spmem"'


def staged_in(module: ir.Module, spec: TileSpec, *, owner: str = "") -> list[Entry]:
    """Return the gather operands of a program that are in HBM, for all SparseCores of a device.

    Args:
        module: the program in the chip reading, laid out.
        spec: the spec of the program.
        owner: the name of the table; "": the label of the spec.
    """
    phase = "lookup" if isinstance(spec, LookupSpec) else "update"
    return [
        Entry(
            kind="temporary",
            owner=owner or spec.label,
            name=f"{ir.StringAttr(alloc.attributes[NAME]).value}, staged in HBM",
            bytes=_bytes(ir.MemRefType(alloc.results[0].type)) * spec.sparse_cores,
            phase=phase,
            note=_note(alloc, spec.sparse_cores),
        )
        for alloc in ops_named(module.operation, "memref.alloc")
        if {NAME, GATHER_OPERAND} <= set(alloc.attributes.keys()) and not _is_in_spmem(alloc)
    ]


def _is_in_spmem(alloc: ir.Operation) -> bool:
    return str(ir.MemRefType(alloc.results[0].type).memory_space) == _SPMEM


def _bytes(type_: ir.MemRefType) -> int:
    element = type_.element_type
    bits = element.width if isinstance(element, (ir.IntegerType, ir.FloatType)) else 64
    return prod(type_.shape) * -(-bits // 8)


def _note(alloc: ir.Operation, cores: int) -> str:
    type_ = ir.MemRefType(alloc.results[0].type)
    shape = "x".join(map(str, [*type_.shape, type_.element_type]))
    if SIZE not in alloc.attributes:
        return f"{shape} of each of {cores} SparseCores"
    sizes = " x ".join(ir.StringAttr(each).value for each in ir.ArrayAttr(alloc.attributes[SIZE]))
    return f"{shape} of each of {cores} SparseCores: {sizes}"
