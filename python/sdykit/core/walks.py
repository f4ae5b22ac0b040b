"""Walks that passes share."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir, rewrite

_MULTI_BLOCK = ("func.func", "scf.execute_region", "gpu.launch")
"""The registered ops whose regions may have several blocks."""


def ops_named(root: ir.Operation | ir.OpView, *names: str) -> list[ir.Operation]:
    """Return the ops below `root` that have one of the names, in post-order.

    An op comes after the ops in its regions; otherwise the order is program order. The pattern
    driver filters by name in C++ (about 0.01 us an op, 20 times as fast as a walk in Python), but
    skips blocks that cannot be reached from the entry of their region. Where there may be
    such blocks, the walk is in Python.
    """
    top = root.operation
    found, parents = _reachable(top, names, _MULTI_BLOCK)
    if _have_single_blocks(top, *parents):
        return found
    found = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if op.name in names and op != top:
            found.append(op)
        return ir.WalkResult.ADVANCE

    top.walk(collect, ir.WalkOrder.POST_ORDER)
    return found


def has_single_blocks(root: ir.Operation) -> bool:
    """Return whether all regions of an op and of those below it surely have one block at most.

    Then a value comes before its uses in program order.
    """
    return _have_single_blocks(root, *_reachable(root, _MULTI_BLOCK)[0])


def _have_single_blocks(root: ir.Operation, *parents: ir.Operation) -> bool:
    """Return it of an op and of those below it with one of the names in `_MULTI_BLOCK`."""
    # Ops of dialects unknown to the context may have any regions.
    if root.context.allow_unregistered_dialects:
        return False
    ops = [root, *parents] if root.name in _MULTI_BLOCK else parents
    return all(len(op.regions[0].blocks) <= 1 for op in ops)


def _reachable(root: ir.Operation, *groups: Sequence[str]) -> list[list[ir.Operation]]:
    """Return for each group of names the ops below `root` that have one of them."""
    patterns = rewrite.RewritePatternSet(root.context)
    found: list[list[ir.Operation]] = [[] for _ in groups]
    for names, ops in zip(groups, found, strict=True):

        def collect(
            op: ir.OpView, _: rewrite.PatternRewriter, ops: list[ir.Operation] = ops
        ) -> bool:
            ops.append(op.operation)
            return True  # No match: leave the op as it is and go on.

        for name in dict.fromkeys(names):
            patterns.add(name, collect)
    rewrite.walk_and_apply_patterns(root, patterns.freeze())
    return found
