"""`arith` with a result for every operand: division by zero, wide shifts, large floats.

Code generation leaves these undefined, as MLIR does. Here x / 0 has all bits set and x rem 0 is x;
the smallest integer divided by -1 is itself, with remainder 0; shifts by the width or more give 0,
or the sign; floats out of the range of an integer become the nearest integer, NaN becomes 0.
"""

from __future__ import annotations

from collections.abc import Callable

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import is_narrow_float
from sdykit.sparsecore.mosaic.types import bits_of
from sdykit.sparsecore.tile.builder.ops import Builder

Binary = Callable[[Builder, str, ir.Value, ir.Value], ir.Value]
"""Adds the ops of an op of that name, on two integers or vectors of them."""


def element_name(type_: ir.Type) -> str:
    """Return the name of the element type of a vector, or of a scalar type."""
    return str(type_.element_type if isinstance(type_, ir.VectorType) else type_)


def width(type_: ir.Type) -> int:
    """Return the bits of an integer type, or of the elements of a vector; those of index are 64."""
    return bits_of(element_name(type_))


def constant(b: Builder, number: float | str, type_: ir.Type) -> ir.Value:
    """Return a constant; of a vector type, the number in each lane."""
    text = f"dense<{number}>" if isinstance(type_, ir.VectorType) else str(number)
    return b.constant(text, type_)


def divided(b: Builder, name: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """Add a division; see the module for what it returns."""
    zero, ones = constant(b, 0, left.type), constant(b, -1, left.type)
    safe, is_zero, is_minus = _safe_divisor(b, name, right)
    result = b.integers(name, left, safe)
    if is_minus is not None:
        result = b.select(is_minus, b.integers("arith.subi", zero, left), result)
    return result if is_zero is None else b.select(is_zero, ones, result)


def remainder(b: Builder, name: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """Add a remainder; see the module for what it returns."""
    safe, is_zero, _ = _safe_divisor(b, name, right)
    result = b.integers(name, left, safe)
    return result if is_zero is None else b.select(is_zero, left, result)


def _safe_divisor(
    b: Builder, name: str, right: ir.Value
) -> tuple[ir.Value, ir.Value | None, ir.Value | None]:
    """Return a divisor with 1 for 0 and -1; where it is 0; where it is -1. None: nowhere."""
    is_signed = name.endswith("si")
    known = numbers_of(right)
    if known is not None and 0 not in known and not (is_signed and -1 in known):
        return right, None, None
    is_zero = b.compare("eq", right, constant(b, 0, right.type))
    is_minus, wrong = None, is_zero
    if is_signed:
        is_minus = b.compare("eq", right, constant(b, -1, right.type))
        wrong = b.integers("arith.ori", is_zero, is_minus)
    return b.select(wrong, constant(b, 1, right.type), right), is_zero, is_minus


def numbers_of(value: ir.Value) -> set[int] | None:
    """Return the different integers in a constant, or None if a value is no constant."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    if isinstance(attribute, ir.IntegerAttr):
        return {attribute.value}
    if not isinstance(attribute, ir.DenseIntElementsAttr):
        return None
    if attribute.is_splat:
        return {ir.IntegerAttr(attribute.get_splat_value()).value}
    return {attribute[at] for at in range(len(attribute))}


def shifted(b: Builder, name: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """Add a shift; see the module for what it returns."""
    bits, known = width(left.type), numbers_of(right)
    if known is not None and all(0 <= number < bits for number in known):
        return b.integers(name, left, right)
    if name == "arith.shrsi":
        last = constant(b, bits - 1, right.type)
        return b.integers(name, left, b.integers("arith.minui", right, last))
    is_within = b.compare("ult", right, constant(b, bits, right.type))
    return b.select(is_within, b.integers(name, left, right), constant(b, 0, left.type))


def rounded_to_integer(b: Builder, name: str, value: ir.Value, type_: ir.Type) -> ir.Value:
    """Add a conversion of floats to integers, towards 0; see the module for what it returns."""
    if is_narrow_float(element_name(value.type)):
        value = b.convert("arith.extf", value, b.with_element(value.type, "f32"))
    bits, is_signed = width(type_), name == "arith.fptosi"
    low = -(2 ** (bits - 1)) if is_signed else 0
    high = 2 ** (bits - is_signed)
    found = b.convert(name, value, type_)
    above = b.compare_floats("oge", value, constant(b, float(high), value.type))
    # The negation of an ordered comparison holds for NaN, too.
    at_least = b.compare_floats("oge", value, constant(b, float(low), value.type))
    found = b.select(above, constant(b, high - 1 if is_signed else -1, type_), found)
    below = constant(b, low, type_)
    if is_signed:
        is_nan = b.compare_floats("uno", value, value)
        below = b.select(is_nan, constant(b, 0, type_), below)
    return b.select(at_least, found, below)


DIVISIONS = ("arith.divsi", "arith.divui", "arith.ceildivsi", "arith.ceildivui", "arith.floordivsi")
REMAINDERS = ("arith.remsi", "arith.remui")
SHIFTS = ("arith.shli", "arith.shrsi", "arith.shrui")
TO_INTEGERS = ("arith.fptosi", "arith.fptoui")
BINARY: dict[str, Binary] = {
    **dict.fromkeys(DIVISIONS, divided),
    **dict.fromkeys(REMAINDERS, remainder),
    **dict.fromkeys(SHIFTS, shifted),
}
"""What is added for an op of two integers."""
