"""Attributes of ops as Python values."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.memory import Access
from sdykit.sparsecore.codegen.emission.types import Element


def integers(op: ir.Operation, name: str) -> list[int]:
    """Return an array of integers, such as `static_sizes`."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def integer(op: ir.Operation, name: str, default: int = 0) -> int:
    """Return an integer, or `default` if the op has no such attribute."""
    attributes = op.attributes
    return ir.IntegerAttr(attributes[name]).value if name in attributes else default


def flag(op: ir.Operation, name: str) -> bool:
    """Return a boolean, or whether the op has a unit attribute; False if there is none."""
    attributes = op.attributes
    if name not in attributes:
        return False
    attribute = attributes[name]
    return not isinstance(attribute, ir.BoolAttr) or attribute.value


def enumerator(op: ir.Operation, name: str) -> str:
    """Return the word in an attribute such as `#vector.kind<add>`, or "" if there is none."""
    attributes = op.attributes
    if name not in attributes:
        return ""
    text = str(attributes[name])
    return text[text.index("<") + 1 : -1]


def instruction_flags(op: ir.Operation) -> str:
    """Return LLVM's keywords for the fast-math, overflow and `exact` flags of an op."""
    if not len(op.attributes):
        return ""
    words = [
        *enumerator(op, "fastmath").split(","),
        *enumerator(op, "overflowFlags").replace(" ", "").split(","),
    ]
    if flag(op, "isExact"):
        words.append("exact")
    return " ".join(word for word in words if word not in {"", "none"})


def segments(op: ir.Operation) -> list[list[ir.Value]]:
    """Return the operands of an op, split by `operandSegmentSizes`."""
    remaining = iter(op.operands)
    sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    return [[next(remaining) for _ in range(size)] for size in sizes]


def access_of(op: ir.Operation, element: Element) -> Access:
    """Return how an op accesses memory; `alignment` is by default the size of an element."""
    if not len(op.attributes):
        return Access(element.bytes)
    return Access(integer(op, "alignment", element.bytes), flag(op, "nontemporal"))
