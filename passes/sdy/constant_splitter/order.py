"""The order of ops in a module: an op, then those in its regions, then the op after it."""

from __future__ import annotations

from sdykit.mlir import ir


def precedes(op: ir.Operation, other: ir.Operation) -> bool:
    """Return whether an op comes before another one, in whose regions it may not be."""
    if op.block == other.block:
        return op.is_before_in_block(other)
    path, other_path = _path(op), _path(other)
    for above, other_above in zip(path, other_path, strict=False):
        if above.block != other_above.block:
            parent = above.parent
            assert parent is not None  # It is the op before in both paths.
            blocks = [block for region in parent.operation.regions for block in region]
            return blocks.index(above.block) < blocks.index(other_above.block)
        if above != other_above:
            return above.is_before_in_block(other_above)
    return len(path) < len(other_path)


def _path(op: ir.Operation) -> list[ir.Operation]:
    """Return the ops that enclose an op, but for the outermost, and the op; outer ones first."""
    path: list[ir.Operation] = []
    while (parent := op.parent) is not None:
        path.append(op)
        op = parent.operation
    return path[::-1]
