"""Adding ops to a tile program, where the innermost insertion point is."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir


def create(
    name: str,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type] = (),
    regions: int = 0,
    **attributes: ir.Attribute,
) -> ir.Operation:
    """Add an op at the innermost insertion point."""
    return ir.Operation.create(
        name,
        results=list(results),
        operands=list(operands),
        attributes=attributes,
        regions=regions,
    )


def constant(value: int, type_: ir.Type) -> ir.Value:
    """Add an integer or index constant."""
    return create("arith.constant", [], [type_], value=ir.IntegerAttr.get(type_, value)).result


def compare(predicate: int, a: ir.Value, b: ir.Value) -> ir.Value:
    """Add `arith.cmpi`."""
    bits = ir.IntegerType.get_signless(64)
    truth = ir.IntegerType.get_signless(1)
    attribute = ir.IntegerAttr.get(bits, predicate)
    return create("arith.cmpi", [a, b], [truth], predicate=attribute).result


def wide(values: Sequence[ir.Value]) -> list[ir.Value]:
    """Convert positions to i64, the type of the values of a report."""
    bits = ir.IntegerType.get_signless(64)
    return [create("arith.index_cast", [value], [bits]).result for value in values]
