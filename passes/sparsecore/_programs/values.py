"""Values: the ops that compute them, and the numbers that they always are."""

from __future__ import annotations

from sdykit.mlir import ir


def maker_of(value: ir.Value) -> ir.Operation | None:
    """Return the op that a value is a result of, or None if it is a block's argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def integer_of(value: ir.Value) -> int | None:
    """Return the number that a value always is, or None if it is no constant."""
    maker = maker_of(value)
    if maker is None or maker.name != "arith.constant":
        return None
    attribute = maker.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def is_same(a: ir.Value, b: ir.Value) -> bool:
    """Return whether two values are one, or the same constant."""
    return a == b or (integer_of(a) is not None and integer_of(a) == integer_of(b))
