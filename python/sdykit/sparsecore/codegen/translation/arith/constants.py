"""`arith.constant`, which becomes an operand and no instruction."""

from __future__ import annotations

import re

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.formats import number_of
from sdykit.sparsecore.codegen.emission.literals import Number, splat, vector
from sdykit.sparsecore.codegen.emission.types import Element
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator

_ITEM = re.compile(r"[^\[\],\s]+")


def _constant(t: Translator, op: ir.Operation) -> None:
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
    if element.is_narrow_float:
        return _narrow_numbers(str(attribute), element)
    assert isinstance(attribute, ir.DenseIntElementsAttr | ir.DenseFPElementsAttr)
    return [attribute[k] for k in range(len(attribute))]


def _narrow_numbers(text: str, element: Element) -> list[Number]:
    """Return dense floats of fewer than 32 bits from their text: the bindings cannot read them.

    Large attributes are written as the bytes of all numbers, as in `dense<"0x803F...">`.
    """
    body = text[text.index("<") + 1 : text.rindex("> :")]
    if body.startswith('"0x'):
        words = np.frombuffer(bytes.fromhex(body[3:-1]), f"<u{element.bytes}")
        return [number_of(element, int(word)) for word in words]
    items = _ITEM.findall(body)
    return [number_of(element, int(i, 16)) if "0x" in i else float(i) for i in items]


OPS: dict[str, Handler] = {"arith.constant": _constant}
