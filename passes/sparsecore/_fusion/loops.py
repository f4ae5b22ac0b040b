"""Loops that passes join: what is in them, and what two of them have in common."""

from __future__ import annotations

from sdykit.core import ops_named
from sdykit.mlir import ir
from sdykit.passes.sparsecore._fusion.accesses import integer_of, maker_of

FOR, WHILE = "scf.for", "scf.while"
ALLOC = "memref.alloc"


def marked_in(entry: ir.Operation, mark: str) -> list[ir.Operation]:
    """List the allocations of an entry function that have an attribute, in program order."""
    return [op for op in ops_named(entry, ALLOC) if mark in op.attributes]


def round_of(loop: ir.Operation) -> ir.Block:
    """Give what a round does; for an `scf.while`, behind its condition."""
    return loop.regions[len(loop.regions) - 1].blocks[0]


def ops_of(block: ir.Block) -> list[ir.Operation]:
    """List the ops of a block but the last one, which ends it."""
    return [view.operation for view in block][:-1]


def end_of(block: ir.Block) -> ir.Operation:
    """Give the op that ends a block."""
    return block.operations[len(block.operations) - 1].operation


def loop_around(op: ir.Operation, name: str) -> ir.Operation | None:
    """Give the loop of a name whose rounds have an op; None: there is none."""
    parent = op.parent
    return parent.operation if parent is not None and parent.operation.name == name else None


def ops_between(first: ir.Operation, last: ir.Operation) -> list[ir.Operation]:
    """List the ops of a block that are behind one and before another of the block."""
    ops = ops_of(first.block)
    return ops[ops.index(first) + 1 : ops.index(last)]


def count_the_same(first: ir.Operation, second: ir.Operation) -> bool:
    """Tell whether two `scf.for` count from and to the same numbers, in the same steps."""
    pairs = zip(list(first.operands)[:3], list(second.operands)[:3], strict=True)
    return all(is_same(*pair) for pair in pairs)


def is_equal(a: ir.Value, b: ir.Value, number: ir.Value, other: ir.Value) -> bool:
    """Tell whether two values are computed alike from the number of a round, and from another's."""
    left, known = [(a, b)], set[tuple[ir.Value, ir.Value]]()
    while left:
        pair = left.pop()
        if pair in known or (pair[1] != other and is_same(*pair)) or pair == (number, other):
            continue
        known.add(pair)
        first, second = (maker_of(value) for value in pair)
        if first is None or second is None or not _do_the_same(first, second):
            return False
        left += zip(first.operands, second.operands, strict=True)
    return True


def _do_the_same(first: ir.Operation, second: ir.Operation) -> bool:
    """Tell whether two ops of arithmetic give the same for the same operands."""
    return (
        first.name.startswith("arith.")
        and (first.name, len(first.results)) == (second.name, 1)
        and len(first.operands) == len(second.operands)
        and _attributes_of(first) == _attributes_of(second)
    )


def _attributes_of(op: ir.Operation) -> dict[str, ir.Attribute]:
    return {name: op.attributes[name] for name in op.attributes}


def is_same(a: ir.Value | None, b: ir.Value | None) -> bool:
    """Tell whether there are two values, and they are one, or the same constant."""
    if a is None or b is None:  # A value cannot be compared with nothing.
        return False
    return a == b or (integer_of(a) is not None and integer_of(a) == integer_of(b))
