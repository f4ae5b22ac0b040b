"""Find where the values of a program are used: the last use of a value, the first user of an op."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.mpmd.program import FRAGMENT, parent_of
from sdykit.mlir import ir

LastUses = dict[ir.Value, tuple[int, int]]
"""For each used value the position of the op with its last use, and the number of the operand."""


def last_uses(ops: Sequence[ir.Operation]) -> LastUses:
    """Find the last use of every value that a sequence of ops uses.

    A value that an op uses only inside its regions has the operand number -1.
    """
    uses: LastUses = {}
    for position, op in enumerate(ops):
        if op.name != FRAGMENT and len(op.regions):
            uses |= dict.fromkeys(_used_inside(op), (position, -1))
        uses |= {value: (position, number) for number, value in enumerate(op.operands)}
    return uses


def _used_inside(op: ir.Operation) -> set[ir.Value]:
    values: set[ir.Value] = set()

    def collect(inner: ir.Operation) -> ir.WalkResult:
        values.update(inner.operands)
        return ir.WalkResult.ADVANCE

    op.walk(collect)
    return values


def first_user(op: ir.Operation) -> ir.Operation | None:
    """Return the first op of the block, in program order, that uses a result of `op`, or None.

    A use inside the regions of an op counts as a use by that op.
    """
    block, first = op.block, None
    for use in (use for result in op.results for use in result.uses):
        user = _ancestor_in(block, use.owner.operation)
        if first is None or user.is_before_in_block(first):
            first = user
    return first


def _ancestor_in(block: ir.Block, op: ir.Operation) -> ir.Operation:
    while op.block != block:
        op = parent_of(op)
    return op
