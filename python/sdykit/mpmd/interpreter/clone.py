"""Copies of ops with other operands: the bindings clone, but do not map values."""

from __future__ import annotations

from sdykit.mlir import ir

Values = dict[ir.Value, ir.Value]
"""Which value stands for which; grows with each clone."""


def clone_with(op: ir.Operation, values: Values) -> ir.Operation:
    """Copy an op to the insertion point, its operands (in its regions, too) mapped."""
    clone = op.clone()

    def remap(inner: ir.Operation) -> ir.WalkResult:
        for index, operand in enumerate(list(inner.operands)):
            if operand in values:
                inner.operands[index] = values[operand]
        return ir.WalkResult.ADVANCE

    if len(clone.regions):
        clone.walk(remap)
    else:
        remap(clone)
    values.update(zip(op.results, clone.results, strict=True))
    return clone
