"""`math.exp` of float32, on vectors as a whole; see `sdykit.sparsecore.mosaic.exponential`."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.exponential import (
    BIAS,
    COEFFICIENTS,
    EXPONENT_BIT,
    LIMIT,
    LN_2,
    LOG2_E,
    SHIFT,
)
from sdykit.sparsecore.mosaic.lowering.vectors.arithmetic import constant, element_name
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import is_narrow_float
from sdykit.sparsecore.tile.builder.ops import Builder


def exponential(b: Builder, value: ir.Value) -> ir.Value:
    """Return e to the power of floats of up to 32 bits, scalars or vectors.

    That of a narrower float is the one of the float32, rounded.
    """
    if is_narrow_float(element_name(value.type)):
        wide = b.convert("arith.extf", value, b.with_element(value.type, "f32"))
        return b.convert("arith.truncf", exponential(b, wide), value.type)
    double = b.with_element(value.type, "f64")
    x = _limited(b, b.convert("arith.extf", value, double))
    shifted = _add(b, _multiply(b, x, LOG2_E), SHIFT)
    k = _add(b, shifted, -SHIFT)
    r = b.floats("arith.subf", x, _multiply(b, k, LN_2))
    first, *others = COEFFICIENTS
    power = constant(b, first, double)
    for coefficient in others:
        power = _add(b, b.floats("arith.mulf", power, r), coefficient)
    result = b.floats("arith.mulf", power, _power_of_two(b, shifted))
    return b.convert("arith.truncf", result, value.type)


def _limited(b: Builder, x: ir.Value) -> ir.Value:
    """Return numbers between the limits; NaN stays NaN."""
    for how, limit in (("ogt", LIMIT), ("olt", -LIMIT)):
        bound = constant(b, limit, x.type)
        x = b.select(b.compare_floats(how, x, bound), bound, x)
    return x


def _power_of_two(b: Builder, shifted: ir.Value) -> ir.Value:
    """Return 2 to the power of the integer in the lowest bits of a float64."""
    words = b.with_element(shifted.type, "i64")
    bits = b.convert("arith.bitcast", shifted, words)
    moved = b.integers("arith.shli", bits, constant(b, EXPONENT_BIT, words))
    one = constant(b, BIAS << EXPONENT_BIT, words)
    return b.convert("arith.bitcast", b.integers("arith.addi", moved, one), shifted.type)


def _add(b: Builder, x: ir.Value, number: float) -> ir.Value:
    return b.floats("arith.addf", x, constant(b, number, x.type))


def _multiply(b: Builder, x: ir.Value, number: float) -> ir.Value:
    return b.floats("arith.mulf", x, constant(b, number, x.type))
