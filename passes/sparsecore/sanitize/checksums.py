"""Checksums of buffers, which the program computes."""

from __future__ import annotations

from sdykit.core.sparsecore.elements import element_bytes
from sdykit.core.sparsecore.names import CHECK
from sdykit.core.sparsecore.views import Number
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.numbers import sizes_of, value_of
from sdykit.passes.sparsecore._instrument.ops import constant, create

_START, _PRIME = 0x4BF29CE484222325, 0x100000001B3
"""Those of the 64-bit FNV-1a hash (draft-eastlake-fnv); the start without its sign bit."""
_BITS_OF_BYTE, _WIDE = 8, 64


def checksum_of(buffer: ir.Value) -> ir.Value:
    """Add loops that compute the checksum of all elements of a buffer, an i64, in row-major order."""
    index, wide = ir.IndexType.get(), ir.IntegerType.get_signless(_WIDE)
    element = ir.MemRefType(buffer.type).element_type

    def nest(left: list[Number], indices: list[ir.Value], sum_: ir.Value) -> ir.Value:
        if not left:
            load = create("memref.load", [buffer, *indices], [element])
            load.attributes[CHECK] = ir.UnitAttr.get()
            mixed = create("arith.xori", [sum_, _bits_of(load.result)], [wide]).result
            return create("arith.muli", [mixed, constant(_PRIME, wide)], [wide]).result
        bounds = [constant(0, index), value_of(left[0]), constant(1, index)]
        loop = create("scf.for", [*bounds, sum_], [wide], regions=1)
        loop.attributes[CHECK] = ir.UnitAttr.get()
        block = loop.regions[0].blocks.append(index, wide)
        with ir.InsertionPoint(block):
            number, before = block.arguments
            create("scf.yield", [nest(left[1:], [*indices, number], before)])
        return loop.result

    return nest(sizes_of(buffer), [], constant(_START, wide))


def _bits_of(value: ir.Value) -> ir.Value:
    """Return the bits of an integer or float as an i64; equal values may have different bits."""
    wide = ir.IntegerType.get_signless(_WIDE)
    if isinstance(value.type, ir.IndexType):
        return create("arith.index_cast", [value], [wide]).result
    if isinstance(value.type, ir.FloatType):
        bits = ir.IntegerType.get_signless(_BITS_OF_BYTE * element_bytes(value.type))
        value = create("arith.bitcast", [value], [bits]).result
    if ir.IntegerType(value.type).width == _WIDE:
        return value
    return create("arith.extui", [value], [wide]).result
