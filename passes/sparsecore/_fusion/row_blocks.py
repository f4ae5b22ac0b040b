"""Blocks of rows: the loops that find the rows of a block, and that go over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import fail
from sdykit.mlir import ir
from sdykit.passes.sparsecore._fusion.accesses import (
    LOAD,
    STORE,
    first_index_of,
    integer_of,
    maker_of,
)
from sdykit.passes.sparsecore._fusion.loops import (
    FOR,
    WHILE,
    end_of,
    is_same,
    loop_around,
    ops_of,
    round_of,
)
from sdykit.passes.sparsecore._programs.nesting import place_in

CONSTANT = "arith.constant"
_LESS = 2
_INDEXED = {LOAD: 2, STORE: 3}
"""Operands of accesses with one index."""
_EXPECTED = (
    "expected a loop over blocks that has constants, a loop that finds rows as long as positions "
    "and room are left, each with the loop that looks for its end, and one over all that were found"
)


@dataclass(frozen=True)
class RowBlocks:
    """The loops.

    Attributes:
        blocks: over blocks.
        find: finds rows.
        end: looks for the end of a row, in `find`.
        reduce: over the rows.
        room: for how many rows there is room.
    """

    blocks: ir.Operation
    find: ir.Operation
    end: ir.Operation
    reduce: ir.Operation
    room: int


def row_blocks_of(held: Sequence[ir.Operation]) -> RowBlocks:
    """Find the loops by the allocations that what is known of rows goes through.

    Raises:
        PassFailure: they are not such loops.
    """
    uses = [use.owner.operation for alloc in held for use in alloc.results[0].uses]
    stores, loads = ([use for use in uses if use.name == name] for name in (STORE, LOAD))
    are_single = len({store.operands[1] for store in stores}) == len(stores) == len(held)
    find = loop_around(stores[0], WHILE) if are_single else None
    blocks = find and loop_around(find, WHILE)
    reduce = place_in(round_of(blocks), loads[0]) if blocks and loads else None
    if find is None or blocks is None or reduce is None or not _go_over(blocks, find, reduce):
        fail(held[0], f"is for what is known of rows; {_EXPECTED}")
    end, room = maker_of(end_of(round_of(find)).operands[0]), _room_of(blocks, find)
    users = [] if end is None else [use.owner.operation for use in end.results[0].uses]
    is_used = any(user != end_of(round_of(find)) and user not in stores for user in users)
    if end is None or room is None or is_used or not _looks_on(find, end):
        fail(find, f"finds rows; {_EXPECTED}")
    for op in uses:
        is_load = op.name == LOAD
        number = round_of(reduce).arguments[0] if is_load else round_of(find).arguments[1]
        is_known = _INDEXED.get(op.name) == len(op.operands) and is_same(first_index_of(op), number)
        if not is_known or not (is_load or _is_in_time(op, end)):
            fail(op, f"uses what is known of rows; {_EXPECTED}")
    return RowBlocks(blocks, find, end, reduce, room)


def _go_over(blocks: ir.Operation, find: ir.Operation, reduce: ir.Operation) -> bool:
    """Tell whether a round finds rows from its position on, goes over them, and goes on there."""
    block = round_of(blocks)
    others = [op for op in ops_of(block) if op not in (find, reduce)]
    first = list(block.arguments)
    return (
        reduce.name == FOR
        and all(op.name == CONSTANT for op in others)
        and condition_of(find) is not None
        and condition_of(blocks) is not None
        and len(first) == 1
        and list(find.operands)[:1] == list(reduce.operands)[3:] == first
        and [integer_of(value) for value in list(find.operands)[1:]] == [0]
        and [integer_of(reduce.operands[k]) for k in (0, 2)] == [0, 1]
        and reduce.operands[1] == find.results[1]
        and list(end_of(block).operands) == [find.results[0]]
        # Nobody else can know of blocks, as there will be none.
        and [len(list(value.uses)) for value in (*first, *find.results)] == [2, 1, 1]
    )


def _room_of(blocks: ir.Operation, find: ir.Operation) -> int | None:
    """Give how many rows a block has at most; None: the conditions are other ones."""
    both, is_left = condition_of(find), condition_of(blocks)
    if both is None or both.name != "arith.andi":
        return None
    position, number = find.regions[0].blocks[0].arguments
    last, room = (
        limit_of(maker_of(side), value)
        for side, value in zip(both.operands, (position, number), strict=True)
    )
    same = limit_of(is_left, blocks.regions[0].blocks[0].arguments[0])
    return integer_of(room) if room is not None and is_same(last, same) else None


def _looks_on(find: ir.Operation, end: ir.Operation) -> bool:
    """Tell whether an op looks for the end of a row one by one, behind the first position."""
    position, number = round_of(find).arguments
    return (
        end.name == WHILE
        and end.block == round_of(find)
        and len(end.operands) == 1
        and condition_of(end) is not None
        and _is_next(end.operands[0], position)
        and _is_next(end_of(round_of(end)).operands[0], round_of(end).arguments[0])
        and _is_next(end_of(round_of(find)).operands[1], number)
    )


def _is_in_time(store: ir.Operation, end: ir.Operation) -> bool:
    """Tell whether what is stored is the end of a row, or known before that."""
    if store.block != end.block:
        return False
    return store.operands[0] == end.results[0] or store.is_before_in_block(end)


def _is_next(value: ir.Value, before: ir.Value) -> bool:
    op = maker_of(value)
    if op is None or op.name != "arith.addi":
        return False
    return op.operands[0] == before and integer_of(op.operands[1]) == 1


def condition_of(loop: ir.Operation) -> ir.Operation | None:
    """Give the op that says whether an `scf.while` goes on; None: it changes what is carried."""
    before = loop.regions[0].blocks[0]
    condition, *carried = end_of(before).operands
    return maker_of(condition) if carried == list(before.arguments) else None


def limit_of(op: ir.Operation | None, value: ir.Value) -> ir.Value | None:
    """Give what a value is less than if a comparison holds; None: the op is something else."""
    if op is None or op.name != "arith.cmpi" or op.operands[0] != value:
        return None
    is_less = ir.IntegerAttr(op.attributes["predicate"]).value == _LESS
    return op.operands[1] if is_less else None
