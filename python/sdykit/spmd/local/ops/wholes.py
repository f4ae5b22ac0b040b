"""Ops whose rules say more than that devices can work on parts."""

from __future__ import annotations

from sdykit.core.sdy.user_rules import user_rule
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.passes.sdy._sharding_rules import RULE
from sdykit.spmd.local import emit
from sdykit.spmd.local.by_rule import Kind, Step
from sdykit.spmd.local.copies import copy_of


def _is_batch(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether a factor is one dimension of all tensors of a custom call, or its rule is a user's."""
    target = ir.StringAttr(op.attributes["call_target_name"]).value
    if RULE in op.attributes or user_rule(target) is not None:
        return True
    tensors = [mapped for mapped in rule.tensors if mapped]
    places = {
        next((dim for dim, factors in enumerate(mapped) if factor in factors), None)
        for mapped in tensors
    }
    return len(places) == 1 and None not in places


def _fft(step: Step) -> list[ir.Value]:
    """Transform tensors that are row-major: of others, XLA's CPU client knows no FFT.

    XLA keeps no such layout by itself where a collective along a minor dimension comes before or after.
    """
    (operand,) = step.operands
    (result,) = copy_of(step.op, [emit.row_major(operand.value)], step.types)
    return [emit.row_major(result)]


CUSTOM_CALL = Kind(allowed=_is_batch)
FFT = Kind(_fft)
RANDOM_BITS = Kind(allowed=lambda op, rule, factor: False)
"""Every bit depends on its position in the whole tensor."""
