"""What an op is within, and what runs behind it."""

from __future__ import annotations

from collections.abc import Iterator

from sdykit.core import FUNC
from sdykit.mlir import ir


def parents_of(op: ir.Operation) -> Iterator[ir.Operation]:
    """Give an op and those that it is within, outwards, up to the function."""
    outer: ir.Operation | ir.OpView | None = op
    while outer is not None and outer.operation.name != FUNC:
        yield outer.operation
        outer = outer.operation.parent


def place_in(block: ir.Block, op: ir.Operation) -> ir.Operation | None:
    """Give the op of a block that another one is, or is within; None: it is elsewhere."""
    return next((each for each in parents_of(op) if each.block == block), None)


def is_behind(first: ir.Operation, op: ir.Operation) -> bool:
    """Tell whether an op runs behind another one, in its block or nested there."""
    place = place_in(first.block, op)
    return place is not None and first.is_before_in_block(place)


def is_within(outer: ir.Operation, op: ir.Operation) -> bool:
    """Tell whether an op is nested in another one."""
    return op != outer and outer in parents_of(op)


def is_made_within(outer: ir.Operation, value: ir.Value) -> bool:
    """Tell whether a value is of an op, or a block, that is nested in an op."""
    owner = value.owner
    if not isinstance(owner, ir.Block):
        return is_within(outer, owner.operation)
    return outer in parents_of(owner.owner.operation)
