"""What an index of a kernel is a multiple of, as far as its text says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Function

_CASTS = {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"}
_SUMS = {"arith.addi", "arith.subi"}
_CHOICES = {"arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui"}
_REMAINDERS = {"arith.remsi", "arith.remui"}
_QUOTIENTS = {"arith.divsi", "arith.divui"}


@dataclass(frozen=True, slots=True)
class Multiple:
    """What all values of an index are multiples of.

    Attributes:
        of: the number; 0 if the index is always 0.
        is_exact: whether the index takes values that are multiples of no greater number. It is unknown,
            and False, if the index depends on what the kernel reads.
    """

    of: int
    is_exact: bool


_UNKNOWN = Multiple(1, is_exact=False)


class Multiples:
    """What the indices of one function are multiples of.

    Constants, loop counters and the positions of subcores are known; so is what follows from them.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._found: dict[ir.Value, Multiple] = {}

    def of(self, value: ir.Value) -> Multiple:
        """Return what an integer is a multiple of."""
        if value not in self._found:
            self._found[value] = self._compute(value)
        return self._found[value]

    def _compute(self, value: ir.Value) -> Multiple:
        if isinstance(value, ir.BlockArgument):
            return self._of_argument(value)
        op: Any = ir.OpResult(value).owner
        name = op.name
        if name == "arith.constant":
            return _of_constant(op)
        if name in _CASTS:
            return self.of(op.operands[0])
        if name in _SUMS or name in _CHOICES:
            return _either(self.of(op.operands[0]), self.of(op.operands[1]))
        if name == "arith.select":
            return _either(self.of(op.operands[1]), self.of(op.operands[2]))
        if name == "arith.muli":
            a, b = self.of(op.operands[0]), self.of(op.operands[1])
            return Multiple(a.of * b.of, a.is_exact and b.is_exact)
        if name in _REMAINDERS:
            return _either(self.of(op.operands[0]), self.of(op.operands[1]))
        if name in _QUOTIENTS:
            return _quotient(self.of(op.operands[0]), self.of(op.operands[1]))
        if name == "tpu.assume_multiple":
            return Multiple(op.opview.multiple.value, is_exact=False)
        return _UNKNOWN

    def _of_argument(self, value: ir.BlockArgument) -> Multiple:
        if value in self._function.indices:
            bound = self._function.bounds[self._function.indices.index(value)]
            return Multiple(0 if bound == 1 else 1, is_exact=True)
        loop = value.owner.owner
        if loop.operation.name != "scf.for" or value.arg_number != 0:
            return _UNKNOWN
        lower, step = loop.operation.operands[0], loop.operation.operands[2]
        return _either(self.of(lower), self.of(step))


def _of_constant(op: Any) -> Multiple:
    value = op.attributes["value"]
    return (
        Multiple(abs(value.value), is_exact=True) if isinstance(value, ir.IntegerAttr) else _UNKNOWN
    )


def _either(a: Multiple, b: Multiple) -> Multiple:
    return Multiple(math.gcd(a.of, b.of), a.is_exact and b.is_exact)


def _quotient(a: Multiple, b: Multiple) -> Multiple:
    if b.of == 0 or a.of % b.of:
        return Multiple(1, a.is_exact and b.is_exact)
    return Multiple(a.of // b.of, a.is_exact and b.is_exact)
