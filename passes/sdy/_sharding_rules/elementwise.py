"""Rules of element-wise ops: dimension d of every tensor is factor d."""

from __future__ import annotations

from typing import Final

from sdykit.core.sdy.rules import RuleBuilder
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules.table import rule

_STABLEHLO: Final = [
    "abs",
    "add",
    "and",
    "atan2",
    "cbrt",
    "ceil",
    "count_leading_zeros",
    "compare",
    "complex",
    "convert",
    "cosine",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce_precision",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
]

ELEMENTWISE: Final = frozenset(f"stablehlo.{name}" for name in _STABLEHLO)
"""The ops that compute each element of the result from the elements at its position."""

_COLLECTIVES: Final = (
    "all_reduce",
    "collective_broadcast",
    "collective_permute",
    "cross-replica-sum",
)


@rule(*ELEMENTWISE, *(f"stablehlo.{name}" for name in _COLLECTIVES), "sdy.sharding_constraint")
def elementwise(op: ir.Operation, rule: RuleBuilder) -> bool:
    if not isinstance(op.results[0].type, ir.RankedTensorType):
        return False
    for dim, size in enumerate(rule.results[0]):
        rule.add([dim] * len(rule.operands), [dim] * len(rule.results), size)
    return True


@rule("mpmd.transfer")
def transfer(op: ir.Operation, rule: RuleBuilder) -> None:
    rule.pointwise(rule.results[0])


@rule("stablehlo.select")
def select(op: ir.Operation, rule: RuleBuilder) -> None:
    """A predicate that is a scalar has no dimensions."""
    rule.pointwise(rule.results[0])


@rule("stablehlo.clamp")
def clamp(op: ir.Operation, rule: RuleBuilder) -> None:
    """Bounds that are scalars have no dimensions."""
    rule.pointwise(rule.operands[1])
