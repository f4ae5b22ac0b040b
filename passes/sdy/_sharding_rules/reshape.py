"""The rule of a reshape: which parts of its dimensions correspond."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sdykit.core.sdy.rules import RuleBuilder
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules.table import rule


@dataclass
class _Side:
    """A walk over the dimensions of the operand or of the result.

    Attributes:
        shape: the dimensions.
        dim: the number of the dimension that was begun last.
        dims: the product of the sizes of the dimensions that have been begun.
        factors: the product of the factors that have been made.
    """

    shape: tuple[int, ...]
    dim: int = -1
    dims: int = 1
    factors: int = 1

    @property
    def left(self) -> int:
        """The part of the dimension that has no factor yet."""
        return self.dims // self.factors

    @property
    def next_size(self) -> int | None:
        """The size of the next dimension, if the one that was begun is done."""
        following = self.dim + 1
        if self.dims != self.factors or following == len(self.shape):
            return None
        return self.shape[following]

    def begin(self) -> int:
        self.dim += 1
        self.dims *= self.shape[self.dim]
        return self.dim


@rule("stablehlo.reshape")
def reshape(op: ir.Operation, rule: RuleBuilder) -> bool:
    operand, result = _Side(rule.operands[0]), _Side(rule.results[0])
    if 0 in operand.shape:
        return False
    while True:
        if operand.next_size == 1:
            rule.add([operand.begin()], [None], 1)
        elif result.next_size == 1:
            rule.add([None], [result.begin()], 1)
        else:
            if operand.next_size is not None:
                operand.begin()
            if result.next_size is not None:
                result.begin()
            if operand.left == 1 and result.left == 1:
                return True
            _add_factors(rule, operand, result)


def _add_factors(rule: RuleBuilder, operand: _Side, result: _Side) -> None:
    """Add a factor to both sides if they are as far; else to the one with fewer factors, or to each its own."""
    common = math.gcd(operand.left, result.left)
    is_even = operand.factors == result.factors
    if is_even and common > 1:
        rule.add([operand.dim], [result.dim], common)
        operand.factors *= common
        result.factors *= common
        return
    smaller, larger = sorted((operand, result), key=lambda side: side.factors)
    for side in (operand, result) if is_even else (smaller,):
        size = side.left if is_even else _next(smaller, larger, common)
        in_operand = operand.dim if side is operand else None
        in_result = result.dim if side is result else None
        rule.add([in_operand], [in_result], size)
        side.factors *= size


def _next(smaller: _Side, larger: _Side, common: int) -> int:
    """Return the factor of the side with the smaller product: what it lacks, if that divides what is left of it."""
    lacking, rest = divmod(larger.factors, smaller.factors)
    if not rest and smaller.left % lacking == 0:
        return lacking
    return smaller.left // common if smaller.left > common else smaller.left
