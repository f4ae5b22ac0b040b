"""Walks that passes share, and the fast ways through the bindings."""

from __future__ import annotations

from sdykit.mlir import ir, rewrite


def ops_named(root: ir.Operation | ir.OpView, *names: str) -> list[ir.Operation]:
    """List the ops below `root` that have one of the names, in post-order.

    An op comes after the ops in its regions; otherwise in program order. The pattern
    driver filters by name in C++ (about 0.01 us an op, 20 times as fast as a Python
    walk), but skips blocks that cannot be reached from their region's entry.
    """
    found: list[ir.Operation] = []

    def collect(op: ir.OpView, _: rewrite.PatternRewriter) -> bool:
        found.append(op.operation)
        return True  # No match: leave the op as it is and go on.

    patterns = rewrite.RewritePatternSet(root.context)
    for name in names:
        patterns.add(name, collect)
    rewrite.walk_and_apply_patterns(root.operation, patterns.freeze())
    return found
