"""float32 values in a tile program, with Python's operators.

A scalar combines with a vector of any width. Every operation is rounded once; nothing is contracted
or reassociated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdykit.core.sparsecore.names import OPERATION
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder


@dataclass(frozen=True, eq=False)
class Number:
    """A float32 scalar, or a vector of them.

    Attributes:
        builder: the builder that ops are added with.
        value: the MLIR value, of type `f32` or `vector<nxf32>`.
    """

    builder: Builder
    value: ir.Value

    def __add__(self, other: Number | float) -> Number:
        return self._with("arith.addf", other)

    def __sub__(self, other: Number | float) -> Number:
        return self._with("arith.subf", other)

    def __mul__(self, other: Number | float) -> Number:
        return self._with("arith.mulf", other)

    def __truediv__(self, other: Number | float) -> Number:
        return self._with("arith.divf", other)

    def __radd__(self, other: float) -> Number:
        return self.constant(other) + self

    def __rsub__(self, other: float) -> Number:
        return self.constant(other) - self

    def __rmul__(self, other: float) -> Number:
        return self.constant(other) * self

    def __rtruediv__(self, other: float) -> Number:
        return self.constant(other) / self

    def __neg__(self) -> Number:
        return self._unary("arith.negf")

    def sqrt(self) -> Number:
        """Return the square root."""
        return self._unary("math.sqrt")

    def constant(self, number: float | np.float32) -> Number:
        """Return a constant of this value's type; the number is rounded to float32."""
        bits = f"0x{int(np.float32(number).view(np.uint32)):08X}"
        type_ = self.value.type
        text = f"dense<{bits}>" if isinstance(type_, ir.VectorType) else bits
        return Number(self.builder, self.builder.constant(text, type_))

    def at_least(self, low: Number | float) -> Number:
        """Return `low` where this is less; NaN and the sign of a zero are kept."""
        return self._bounded("olt", low)

    def at_most(self, high: Number | float) -> Number:
        """Return `high` where this is greater; NaN and the sign of a zero are kept."""
        return self._bounded("ogt", high)

    def sign(self) -> Number:
        """Return 1 or -1 by the sign of this; zeros and NaN are kept."""
        negative, positive = self.compare("olt", 0.0), self.compare("ogt", 0.0)
        b = self.builder
        above = b.select(positive, self.constant(1).value, self.value)
        return Number(b, b.select(negative, self.constant(-1).value, above))

    def compare(self, how: str, other: Number | float) -> ir.Value:
        """Compare element by element, by a predicate: `oeq`, `olt` and so on."""
        return self.builder.compare_floats(how, *self._matched(other))

    def where(self, condition: ir.Value, otherwise: Number) -> Number:
        """Return this if a scalar condition holds, else `otherwise`."""
        left, right = self._matched(otherwise)
        return Number(self.builder, self.builder.select(condition, left, right))

    def power(self, exponent: Number) -> Number:
        """Return the power, computed in float64 and rounded to float32 once.

        Square roots of positive numbers, and their reciprocals, are computed without the power
        function: rounded to float32 they are the same.

        Args:
            exponent: the exponent, a scalar.
        """
        b, type_ = self.builder, self.value.type
        is_positive = self._all_positive()

        def general() -> list[ir.Value]:
            return [self._wide_power(exponent)]

        def root() -> list[ir.Value]:
            return [self.sqrt().value]

        def reciprocal_root() -> list[ir.Value]:
            wide = b.floats("math.sqrt", self._wide())
            one = b.constant("dense<1.0>" if _is_vector(wide) else "1.0", wide.type)
            return [b.convert("arith.truncf", b.floats("arith.divf", one, wide), type_)]

        def not_root() -> list[ir.Value]:
            is_reciprocal = exponent.compare("oeq", -0.5)
            both = b.integers("arith.andi", is_positive, is_reciprocal)
            return b.choose(both, reciprocal_root, general, [type_])

        is_root = b.integers("arith.andi", is_positive, exponent.compare("oeq", 0.5))
        return Number(b, b.choose(is_root, root, not_root, [type_], marks=[OPERATION])[0])

    def power_each(self, exponents: ir.Value) -> ir.Value:
        """Return the power, rounded to float32 once.

        Args:
            exponents: the exponents, of this value's type.
        """
        b, wide = self.builder, Number(self.builder, exponents)._wide()
        power = b.floats("math.powf", self._wide(), wide)
        return b.convert("arith.truncf", power, self.value.type)

    def _all_positive(self) -> ir.Value:
        b, positive = self.builder, self.compare("ogt", 0.0)
        if not _is_vector(positive):
            return positive
        truth = b.type("i1")
        return b.op("vector.reduction", [positive], [truth], kind="#vector.kind<and>").result

    def _wide(self) -> ir.Value:
        wide = self.builder.with_element(self.value.type, "f64")
        return self.builder.convert("arith.extf", self.value, wide)

    def _wide_power(self, exponent: Number) -> ir.Value:
        return self.power_each(self._matched(exponent)[1])

    def _bounded(self, how: str, bound: Number | float) -> Number:
        left, right = self._matched(bound)
        b = self.builder
        return Number(b, b.select(b.compare_floats(how, left, right), right, left))

    def _unary(self, name: str) -> Number:
        return Number(self.builder, self.builder.floats(name, self.value))

    def _with(self, name: str, other: Number | float) -> Number:
        left, right = self._matched(other)
        return Number(self.builder, self.builder.floats(name, left, right))

    def _matched(self, other: Number | float) -> tuple[ir.Value, ir.Value]:
        """Return two values of one type: a scalar beside a vector is broadcast."""
        b, left = self.builder, self.value
        right = (other if isinstance(other, Number) else self.constant(other)).value
        if _is_vector(left) and not _is_vector(right):
            return left, b.splat(right, left.type)
        if _is_vector(right) and not _is_vector(left):
            return b.splat(left, right.type), right
        return left, right


def _is_vector(value: ir.Value) -> bool:
    return isinstance(value.type, ir.VectorType)
