"""Where ops are nested, and which run after others."""

from __future__ import annotations

from collections.abc import Iterator

from sdykit.core import FUNC
from sdykit.mlir import ir


def parents_of(op: ir.Operation) -> Iterator[ir.Operation]:
    """Yield an op and the ops that it is nested in, outwards, up to the function."""
    outer: ir.Operation | ir.OpView | None = op
    while outer is not None and outer.operation.name != FUNC:
        yield outer.operation
        outer = outer.operation.parent


def ops_in(op: ir.Operation, *without: str) -> list[ir.Operation]:
    """Return the ops in the regions of an op, in program order.

    Args:
        op: the op.
        without: names of attributes; ops that have one are left out, with the ops in them.
    """
    found: list[ir.Operation] = []
    add, advance, skip = found.append, ir.WalkResult.ADVANCE, ir.WalkResult.SKIP

    def visit(inner: ir.Operation) -> ir.WalkResult:
        add(inner)
        return advance

    def visit_others(inner: ir.Operation) -> ir.WalkResult:
        if has_mark(inner, *without) and inner != op:
            return skip
        add(inner)
        return advance

    op.walk(visit_others if without else visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]


def has_mark(op: ir.Operation, *names: str) -> bool:
    """Return whether an op has one of some attributes."""
    attributes = op.attributes
    if not len(attributes):  # Most ops have none: it is faster than to look for each name.
        return False
    return any(name in attributes for name in names)


def place_in(block: ir.Block, op: ir.Operation) -> ir.Operation | None:
    """Return the op of a block that an op is, or is nested in; None: it is not in the block."""
    return next((each for each in parents_of(op) if each.block == block), None)


def is_after(first: ir.Operation, op: ir.Operation) -> bool:
    """Return whether an op runs after another one, in the same block or nested there."""
    place = place_in(first.block, op)
    return place is not None and first.is_before_in_block(place)


def ops_between(first: ir.Operation, last: ir.Operation) -> list[ir.Operation]:
    """Return the ops of a block that are after one and before another of the block."""
    ops = [view.operation for view in first.block]
    return ops[ops.index(first) + 1 : ops.index(last)]


def is_within(outer: ir.Operation, op: ir.Operation) -> bool:
    """Return whether an op is nested in another one."""
    return op != outer and outer in parents_of(op)


def is_made_within(outer: ir.Operation, value: ir.Value) -> bool:
    """Return whether a value is defined by an op, or a block, that is nested in an op."""
    return outer in parents_of(block_of(value).owner.operation)


def block_of(value: ir.Value) -> ir.Block:
    """Return the block that a value is an argument of, or that has the op that it is a result of."""
    owner = value.owner
    return owner if isinstance(owner, ir.Block) else owner.operation.block


def is_used(op: ir.Operation) -> bool:
    """Return whether an op uses a result of another one."""
    return any(next(iter(result.uses), None) is not None for result in op.results)
