"""Copies of ops with other operands: `clone` of the bindings does not map values."""

from __future__ import annotations

from sdykit.mlir import ir

Values = dict[ir.Value, ir.Value]
"""Maps each original value to its copy; grows with each clone."""


def clone_with(op: ir.Operation, values: Values) -> ir.Operation:
    """Copy an op to the insertion point; map its operands, and those in its regions."""
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
