"""Literals of LLVM IR: constants need no instructions, they are operands."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from sdykit.sparsecore.codegen.emission.formats import bits_of
from sdykit.sparsecore.codegen.emission.types import Element, Type, flat
from sdykit.sparsecore.codegen.emission.values import Value

Number = int | float


def literal(element: Element, number: Number) -> str:
    """Return a scalar constant; floats are the bits of a double, which LLVM reads exactly."""
    if element.is_narrow_float:
        return str(bits_of(element, float(number)))
    if element.is_float:
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    number = int(number)
    if element.bits == 1:
        return "true" if number & 1 else "false"
    half = 1 << (element.bits - 1)
    return str((number + half) % (2 * half) - half)


def splat(type_: Type, number: Number) -> Value:
    """Return a constant scalar, or a constant vector of equal elements."""
    text = literal(type_.element, number)
    if type_.shape is not None:
        text = f"splat ({type_.element.llvm} {text})"
    return Value(type_, text)


def vector(element: Element, numbers: Sequence[Number]) -> Value:
    """Return a constant vector with one dimension."""
    items = ", ".join(f"{element.llvm} {literal(element, number)}" for number in numbers)
    return Value(flat(element, len(numbers)), f"<{items}>")
