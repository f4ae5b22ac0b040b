"""Slices, pads and updates: their sizes become those of the parts."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.spmd.local import emit
from sdykit.spmd.local.by_rule import Kind, Step, copied


def _numbers(op: ir.Operation, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def _slice(step: Step) -> list[ir.Value]:
    """A dimension that is divided is kept whole: its limit is that of the part."""
    limits = _numbers(step.op, "limit_indices")
    for dim, size in enumerate(emit.shape_of(step.operands[0].value)):
        if step.axes(0, dim):
            limits[dim] = size
    return copied(step, {"limit_indices": emit.integers(limits)})


def _dynamic_slice(step: Step) -> list[ir.Value]:
    """A dimension that is divided is kept whole, so its start is 0, wherever it was to begin."""
    sizes = ir.RankedTensorType(step.types[0]).shape
    if not sizes:
        return [step.operands[0].value]  # MLIR cannot read such an op as it prints it.
    return copied(step, {"slice_sizes": emit.integers(sizes)})


def _is_untouched(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether a pad leaves the dimension of a factor as it is."""
    dim = next(dim for dim, factors in enumerate(rule.operands[0]) if factor in factors)
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return not any(_numbers(op, name)[dim] for name in names)


def _is_of_operand(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether a factor of a reshape is one of its operand too: another one only fits sizes."""
    return any(factor in factors for factors in rule.operands[0])


def _is_of_all(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether an update has all of the dimension of a factor."""
    return all(
        any(factor in factors for factors in mapped)
        for mapped in (*rule.operands[:2], *rule.results)
    )


RESHAPE = Kind(allowed=_is_of_operand)
SLICE = Kind(_slice)
DYNAMIC_SLICE = Kind(_dynamic_slice)
PAD = Kind(allowed=_is_untouched)
UPDATE = Kind(allowed=_is_of_all)
