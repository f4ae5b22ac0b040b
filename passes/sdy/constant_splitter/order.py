"""The order of ops in a module: an op, then its regions, then the op after it."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import ops_named
from sdykit.mlir import ir

# Registered ops whose regions may have several blocks.
_WITH_BLOCKS = ("func.func", "scf.execute_region", "gpu.launch")


def precedes(op: ir.Operation, other: ir.Operation) -> bool:
    """Tell whether `op` stands before `other`, which it may enclose; they are not the same."""
    if op.block == other.block:
        return op.is_before_in_block(other)
    path, other_path = _path(op), _path(other)
    for above, other_above in zip(path, other_path, strict=False):
        if above != other_above:
            if above.block == other_above.block:
                return above.is_before_in_block(other_above)
            return _place(above) < _place(other_above)
    return len(path) < len(other_path)


def _path(op: ir.Operation) -> list[ir.Operation]:
    """List the ops that enclose an op, outermost first, and the op."""
    path = [op]
    while (parent := path[-1].parent) is not None:
        path.append(parent.operation)
    return path[::-1]


def _place(op: ir.Operation) -> tuple[int, int]:
    """Count the regions of an op's parent, and their blocks, before the op's block."""
    parent, block = op.parent, op.block
    assert parent is not None
    return next(
        (region_index, block_index)
        for region_index, region in enumerate(parent.regions)
        for block_index, each in enumerate(region)
        if each == block
    )


def is_straight(module: ir.Operation) -> bool:
    """Tell whether all regions surely have one block, in which values precede their uses.

    Ops of dialects unknown to the context may have any regions.
    """
    if module.context.allow_unregistered_dialects:
        return False
    return all(len(op.regions[0].blocks) <= 1 for op in ops_named(module, *_WITH_BLOCKS))


def ops_anywhere(root: ir.Operation, names: Sequence[str], *, straight: bool) -> list[ir.Operation]:
    """List ops as `ops_named` does; unless `straight`, in unreachable blocks of any op, too."""
    if straight:
        return ops_named(root, *names)
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if op.name in names:
            found.append(op)
        return ir.WalkResult.ADVANCE

    root.walk(collect, ir.WalkOrder.POST_ORDER)
    return found
