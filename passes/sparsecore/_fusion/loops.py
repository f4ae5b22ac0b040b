"""Loops that passes join: what is in them, and what two of them have in common."""

from __future__ import annotations

from collections.abc import Iterator

from sdykit.core import ops_named
from sdykit.core.sparsecore.names import JOINED
from sdykit.mlir import ir
from sdykit.passes.sparsecore._fusion.accesses import integer_of

FOR, WHILE = "scf.for", "scf.while"


def joined_in(entry: ir.Operation) -> Iterator[tuple[ir.Operation, ir.Value]]:
    """Yield the loops that `-sparsecore-join-row-steps` has made, and the number of the row in each."""
    for loop in ops_named(entry, WHILE):
        if JOINED in loop.attributes:
            yield loop, body_of(loop).arguments[1]


def body_of(loop: ir.Operation) -> ir.Block:
    """Return the block that a loop repeats; for an `scf.while`, the one after its condition."""
    return loop.regions[len(loop.regions) - 1].blocks[0]


def ops_of(block: ir.Block) -> list[ir.Operation]:
    """Return the ops of a block but the last one, which ends it."""
    return [view.operation for view in block][:-1]


def end_of(block: ir.Block) -> ir.Operation:
    """Return the op that ends a block."""
    return block.operations[len(block.operations) - 1].operation


def ops_between(first: ir.Operation, last: ir.Operation) -> list[ir.Operation]:
    """Return the ops of a block that are after one and before another of the block."""
    ops = ops_of(first.block)
    return ops[ops.index(first) + 1 : ops.index(last)]


def is_same(a: ir.Value | None, b: ir.Value | None) -> bool:
    """Return whether there are two values, and they are one, or the same constant."""
    if a is None or b is None:  # A value cannot be compared with nothing.
        return False
    return a == b or (integer_of(a) is not None and integer_of(a) == integer_of(b))
