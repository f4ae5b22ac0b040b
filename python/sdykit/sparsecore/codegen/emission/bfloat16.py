"""bfloat16, held as the upper half of a float32 in an `i16`.

Conversions and arithmetic follow IEEE 754 with ties to even, subnormal numbers included. Arithmetic
is done in float32 and rounded once. Since its 24 bits of precision are at least 2 * 8 + 2, sums,
differences, products, quotients and square roots are exactly rounded.
"""

from __future__ import annotations

from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.types import F32, F64, I1, I32, I64, Element, Type
from sdykit.sparsecore.codegen.emission.values import Value

_QUIET = 0x40
_MAX_EXACT = 1 << 53
"""Integers above it need not be exact in a double, which has 53 bits of precision."""
_LOW_BITS = (1 << 11) - 1
"""Mask of the bits of a 64-bit integer beyond the upper 53."""


def widen(e: Emitter, value: Value) -> Value:
    """Convert to float32, exactly."""
    type_ = value.type
    word = type_.of(I32).llvm
    wide = e.set(f"zext {value.operand} to {word}")
    bits = e.set(f"shl {word} {wide}, {_splat(type_, I32, 16)}")
    to = type_.of(F32)
    return Value(to, e.set(f"bitcast {word} {bits} to {to.llvm}"))


def narrow(e: Emitter, value: Value, to: Type) -> Value:
    """Round a float32 to the nearest bfloat16, ties to even; NaNs become quiet."""
    float_, word = value.type.llvm, value.type.of(I32).llvm

    def number(n: int) -> str:
        return _splat(to, I32, n)

    bits = e.set(f"bitcast {value.operand} to {word}")
    upper = e.set(f"lshr {word} {bits}, {number(16)}")
    odd = e.set(f"and {word} {upper}, {number(1)}")
    half = e.set(f"add {word} {odd}, {number(0x7FFF)}")
    up = e.set(f"add {word} {bits}, {half}")
    rounded = e.set(f"lshr {word} {up}, {number(16)}")
    quiet = e.set(f"or {word} {upper}, {number(_QUIET)}")
    nan = e.set(f"fcmp uno {float_} {value.text}, {value.text}")
    chosen = _select(e, to, nan, f"{word} {quiet}", f"{word} {rounded}")
    return Value(to, e.set(f"trunc {word} {chosen} to {to.llvm}"))


def float_from_double(e: Emitter, value: Value) -> Value:
    """Round a float64 to odd, to a float32: rounding that again gives the right bfloat16.

    Source: Boldo and Melquiond, "When double rounding is odd" (2005): of the two neighbours of a
    number that is not exact, the one whose last bit is 1.
    """
    type_ = value.type
    single, double, word = type_.of(F32), type_.of(F64), type_.of(I32).llvm
    near = Value(single, e.set(f"fptrunc {value.operand} to {single.llvm}"))
    back = Value(double, e.set(f"fpext {near.operand} to {double.llvm}"))
    size, back_size = (
        e.call(f"llvm.fabs.{type_.mangled}", double.llvm, [x.operand], [double.llvm])
        for x in (value, back)
    )
    bits = e.set(f"bitcast {near.operand} to {word}")
    over = e.set(f"fcmp ogt {double.llvm} {back_size}, {size}")
    inexact = e.set(f"fcmp one {double.llvm} {back_size}, {size}")
    down = e.set(f"zext {type_.of(I1).llvm} {over} to {word}")
    below = e.set(f"sub {word} {bits}, {down}")
    odd = e.set(f"or {word} {below}, {_splat(type_, I32, 1)}")
    chosen = _select(e, type_, inexact, f"{word} {odd}", f"{word} {bits}")
    return Value(single, e.set(f"bitcast {word} {chosen} to {single.llvm}"))


def without_double_rounding(e: Emitter, value: Value, *, signed: bool) -> Value:
    """Make a 64-bit integer exact in a double without changing the bfloat16 that it rounds to.

    A large one gets a middle value for its last 11 bits if they are not 0.
    """
    type_ = value.type
    word = type_.llvm

    def number(n: int) -> str:
        return _splat(type_, I64, n)

    low = e.set(f"and {word} {value.text}, {number(_LOW_BITS)}")
    high = e.set(f"xor {word} {value.text}, {low}")
    is_inexact = e.set(f"icmp ne {word} {low}, {number(0)}")
    middle = number(_LOW_BITS // 2 + 1)
    sticky = _select(e, type_, is_inexact, f"{word} {middle}", f"{word} {number(0)}")
    short = e.set(f"or {word} {high}, {sticky}")
    moved = value.text
    if signed:
        moved = e.set(f"add {word} {moved}, {number(_MAX_EXACT)}")
    limit = _MAX_EXACT * (2 if signed else 1)
    large = e.set(f"icmp ugt {word} {moved}, {number(limit)}")
    return Value(type_, _select(e, type_, large, f"{word} {short}", f"{word} {value.text}"))


def _select(e: Emitter, type_: Type, condition: str, a: str, b: str) -> str:
    return e.set(f"select {type_.of(I1).llvm} {condition}, {a}, {b}")


def _splat(type_: Type, element: Element, number: int) -> str:
    return str(number) if type_.shape is None else f"splat ({element.llvm} {number})"
