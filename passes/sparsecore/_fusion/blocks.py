"""Blocks of rows that need no room any more: one loop is over all rows."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.passes.sparsecore._fusion.accesses import maker_of
from sdykit.passes.sparsecore._fusion.loops import WHILE, body_of, end_of, ops_of

_AND, _COMPARE = "arith.andi", "arith.cmpi"


def join_blocks_of_rows(loop: ir.Operation) -> None:
    """Let a joined loop run as long as rows are left, if no buffer depends on the number of a row.

    The loop over blocks around it, which runs as long, is erased then.
    """
    before, body = (region.blocks[0] for region in loop.regions)
    number, more = body.arguments[1], maker_of(end_of(body).operands[1])
    users = [use.owner.operation for use in number.uses]
    if more is None or users != [more] or list(loop.results[1].uses):
        return
    condition = end_of(before)
    both = maker_of(condition.operands[0])
    if both is not None and both.name == _AND:
        is_left = [side for side in both.operands if _is_of(side, before.arguments[0])]
        has_room = [side for side in both.operands if _is_of(side, before.arguments[1])]
        if len(is_left) == len(has_room) == 1:
            condition.operands[0] = is_left[0]
    _erase_blocks(loop)


def _erase_blocks(loop: ir.Operation) -> None:
    """Erase the loop over blocks around a loop that has the same condition."""
    blocks = loop.parent
    if blocks is None or blocks.operation.name != WHILE or len(blocks.operation.results) != 1:
        return
    outer = blocks.operation
    sides = [maker_of(end_of(each.regions[0].blocks[0]).operands[0]) for each in (outer, loop)]
    positions = [each.regions[0].blocks[0].arguments[0] for each in (outer, loop)]
    body = body_of(outer)
    is_passed_on = (
        loop.operands[0] == body.arguments[0] and end_of(body).operands[0] == loop.results[0]
    )
    if ops_of(body) != [loop] or not is_passed_on or not _is_same_test(sides, positions):
        return
    loop.operands[0] = outer.operands[0]
    loop.move_before(outer)
    outer.results[0].replace_all_uses_with(loop.results[0])
    outer.erase()


def _is_of(value: ir.Value, argument: ir.Value) -> bool:
    """Return whether a value compares an argument with another value."""
    op = maker_of(value)
    return op is not None and op.name == _COMPARE and op.operands[0] == argument


def _is_same_test(sides: list[ir.Operation | None], positions: list[ir.Value]) -> bool:
    """Return whether two ops compare each its position with the same value, alike."""
    first, second = sides
    if first is None or second is None or {first.name, second.name} != {_COMPARE}:
        return False
    return (
        [first.operands[0], second.operands[0]] == positions
        and first.operands[1] == second.operands[1]
        and first.attributes["predicate"] == second.attributes["predicate"]
    )
