"""Floats of 8 and 16 bits, held as integers of that width.

Conversions follow IEEE 754 with ties to even, subnormal numbers included. Arithmetic is done in
float32 and rounded once. Since its 24 bits of precision are at least twice those of the narrow
type and 2 more, sums, differences, products, quotients and square roots are exactly rounded.
`bfloat16` has conversions of its own, which need fewer instructions.
"""

from __future__ import annotations

from sdykit.sparsecore.codegen.emission import bfloat16
from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.formats import BIAS, FORMATS, Format
from sdykit.sparsecore.codegen.emission.literals import literal
from sdykit.sparsecore.codegen.emission.types import BF16, F32, I1, I32, Element, Type
from sdykit.sparsecore.codegen.emission.values import Value

_FRACTION = 23
"""Bits of a float32's fraction."""
_INFINITY = 0x7F800000
_MAGNITUDE = 0x7FFFFFFF


def widen(e: Emitter, value: Value) -> Value:
    """Convert to float32, exactly."""
    if value.type.element is BF16:
        return bfloat16.widen(e, value)
    bits = _Bits(e, value.type)
    form, to = FORMATS[value.type.element.name], value.type.of(F32)
    word = e.set(f"zext {value.operand} to {bits.word}")
    magnitude = bits.op("and", word, (1 << form.bits) - 1)
    moved = bits.op("shl", magnitude, _FRACTION - form.fraction)
    # A subnormal number is one of float32, too, until it is rescaled.
    number = e.set(f"bitcast {bits.word} {moved} to {to.llvm}")
    scale = bits.float(float(2**form.rescaling))
    scaled = e.set(f"fmul {to.llvm} {number}, {scale}")
    found = e.set(f"bitcast {to.llvm} {scaled} to {bits.word}")
    if form.has_infinity:
        special = bits.op("or", moved, _INFINITY)
        found = bits.choose(bits.compare("uge", magnitude, form.infinity), special, found)
    else:
        whole = magnitude if form.negative_zero else word
        found = bits.choose(bits.compare("eq", whole, form.nan), bits.number(_NAN), found)
    sign = bits.op("shl", bits.op("lshr", word, form.bits), 31)
    return Value(to, e.set(f"bitcast {bits.word} {bits.both('or', found, sign)} to {to.llvm}"))


_NAN = 0x7FC00000
"""The bits of a quiet NaN of float32."""


def narrow(e: Emitter, value: Value, to: Type) -> Value:
    """Round a float32 to the nearest number of a type, ties to even; NaNs become quiet.

    Numbers that are too large become infinite, or NaN if the type has no infinity.
    """
    if to.element is BF16:
        return bfloat16.narrow(e, value, to)
    form, bits = FORMATS[to.element.name], _Bits(e, to)
    word = e.set(f"bitcast {value.operand} to {bits.word}")
    size = bits.op("and", word, _MAGNITUDE)
    small = _subnormal(e, bits, form, size, value.type)
    least = (form.rescaling + 1) << _FRACTION
    found = bits.choose(bits.compare("ult", size, least), small, _normal(bits, form, size))
    found = bits.choose(
        bits.compare("ugt", found, form.infinity), bits.number(form.infinity), found
    )
    found = bits.choose(bits.compare("ugt", size, _INFINITY), bits.number(form.nan), found)
    sign = bits.op("shl", bits.op("lshr", word, 31), form.bits)
    if not form.negative_zero:
        # 0 and NaN have no sign.
        has_none = bits.both(
            "or",
            bits.compare("eq", found, 0),
            bits.compare("eq", found, form.nan),
            type_=to.of(I1).llvm,
        )
        sign = bits.choose(has_none, bits.number(0), sign)
    return Value(to, e.set(f"trunc {bits.word} {bits.both('or', found, sign)} to {to.llvm}"))


def _normal(bits: _Bits, form: Format, size: str) -> str:
    """Return the bits of a float32 rounded to a number that is not subnormal."""
    dropped = _FRACTION - form.fraction
    odd = bits.op("and", bits.op("lshr", size, dropped), 1)
    up = bits.op("add", size, (1 << (dropped - 1)) - 1)
    rounded = bits.op("lshr", bits.both("add", up, odd), dropped)
    return bits.op("sub", rounded, form.rescaling << form.fraction)


def _subnormal(e: Emitter, bits: _Bits, form: Format, size: str, type_: Type) -> str:
    """Return the bits of a float32 rounded to a multiple of the smallest number.

    The sum with a number whose last bit is worth as much is rounded there.
    """
    place = 1 - form.bias - form.fraction + _FRACTION
    number = e.set(f"bitcast {bits.word} {size} to {type_.llvm}")
    total = e.set(f"fadd {type_.llvm} {number}, {bits.float(2.0**place)}")
    found = e.set(f"bitcast {type_.llvm} {total} to {bits.word}")
    return bits.op("sub", found, (place + BIAS) << _FRACTION)


class _Bits:
    """Adds instructions on the bits of a float32, or of a vector of them.

    Args:
        e: the emitter.
        type_: a type of the same shape.
    """

    def __init__(self, e: Emitter, type_: Type) -> None:
        self._e, self._type = e, type_
        self.word = type_.of(I32).llvm

    def number(self, number: int) -> str:
        """Return a constant."""
        return self._constant(I32, str(number - (1 << 32) if number >> 31 else number))

    def float(self, number: float) -> str:
        """Return a constant float32."""
        return self._constant(F32, literal(F32, number))

    def op(self, opcode: str, value: str, number: int) -> str:
        """Return the result of an instruction of a value and a constant."""
        return self.both(opcode, value, self.number(number))

    def both(self, opcode: str, left: str, right: str, *, type_: str = "") -> str:
        """Return the result of an instruction of two values."""
        return self._e.set(f"{opcode} {type_ or self.word} {left}, {right}")

    def compare(self, predicate: str, value: str, number: int) -> str:
        """Return how a value compares with a constant."""
        return self.op(f"icmp {predicate}", value, number)

    def choose(self, condition: str, left: str, right: str) -> str:
        """Return the first value where a condition holds, otherwise the second."""
        condition_type = self._type.of(I1).llvm
        return self._e.set(
            f"select {condition_type} {condition}, {self.word} {left}, {self.word} {right}"
        )

    def _constant(self, element: Element, text: str) -> str:
        return text if self._type.shape is None else f"splat ({element.llvm} {text})"
