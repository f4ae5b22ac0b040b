"""Constants, which become operands and no instructions."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.codegen._bfloat16 import bits_of
from sdykit.sparsecore.codegen._located import error_of
from sdykit.sparsecore.codegen._translator import Translator
from sdykit.sparsecore.codegen._types import BF16, Element, Type, flat
from sdykit.sparsecore.codegen._values import Value

_BF16_ITEM = re.compile(r"[^\[\],\s]+")
Number = int | float


def literal(element: Element, number: Number) -> str:
    """Write a scalar constant; floats as the bits of a double, which LLVM reads exactly."""
    if element is BF16:
        return str(bits_of(float(number)))
    if element.is_float:
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    number = int(number)
    if element.bits == 1:
        return "true" if number & 1 else "false"
    half = 1 << (element.bits - 1)
    return str((number + half) % (2 * half) - half)


def splat(type_: Type, number: Number) -> Value:
    """Make a constant that has the same number everywhere."""
    text = literal(type_.element, number)
    if type_.shape is not None:
        text = f"splat ({type_.element.llvm} {text})"
    return Value(type_, text)


def vector(element: Element, numbers: Sequence[Number]) -> Value:
    """Make a flat constant vector."""
    items = ", ".join(f"{element.llvm} {literal(element, number)}" for number in numbers)
    return Value(flat(element, len(numbers)), f"<{items}>")


def constant(t: Translator, op: ir.Operation) -> None:
    """Translate `arith.constant`."""
    type_ = t.result_type(op)
    attribute = op.attributes["value"]
    if isinstance(attribute, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr):
        t[op.results[0]] = splat(type_, _exact(attribute))
        return
    if not isinstance(attribute, ir.DenseElementsAttr):
        raise error_of(op, f"expected a number or dense numbers, found '{attribute}'")
    if attribute.is_splat:
        t[op.results[0]] = splat(type_, _exact(attribute.get_splat_value()))
        return
    text = vector(type_.element, _numbers(attribute, type_.element)).text
    t[op.results[0]] = Value(type_, text)


def _exact(attribute: ir.Attribute) -> Number:
    if isinstance(attribute, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr):
        return attribute.value
    raise TypeError(attribute)


def _numbers(attribute: ir.DenseElementsAttr, element: Element) -> list[Number]:
    if element is BF16:
        return _bfloat16_numbers(str(attribute))
    assert isinstance(attribute, ir.DenseIntElementsAttr | ir.DenseFPElementsAttr)
    return [attribute[k] for k in range(len(attribute))]


def _bfloat16_numbers(text: str) -> list[Number]:
    """Read dense bfloat16 numbers from their text: the bindings cannot read them.

    Many of them are written as the bytes of all, as in `dense<"0x803F...">`.
    """
    body = text[text.index("<") + 1 : text.rindex("> :")]
    if body.startswith('"0x'):
        data = bytes.fromhex(body[3:-1])
        words = [word for (word,) in struct.iter_unpack("<H", data)]
    else:
        items = _BF16_ITEM.findall(body)
        words = [int(item, 16) if "0x" in item else bits_of(float(item)) for item in items]
    return [struct.unpack("<f", struct.pack("<I", (word & 0xFFFF) << 16))[0] for word in words]


OPS = {"arith.constant": constant}
