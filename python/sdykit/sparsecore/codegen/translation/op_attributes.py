"""Reading the attributes of ops."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.memory import Access
from sdykit.sparsecore.codegen.emission.types import Element


def integers(op: ir.Operation, name: str) -> list[int]:
    """Read an array of integers, such as `static_sizes`."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def integer(op: ir.Operation, name: str, default: int = 0) -> int:
    """Read an integer; `default` stands for a missing one."""
    attributes = op.attributes
    return ir.IntegerAttr(attributes[name]).value if name in attributes else default


def flag(op: ir.Operation, name: str) -> bool:
    """Read a boolean or a unit attribute; a missing one is false."""
    attributes = op.attributes
    if name not in attributes:
        return False
    attribute = attributes[name]
    return not isinstance(attribute, ir.BoolAttr) or attribute.value


def enumerator(op: ir.Operation, name: str) -> str:
    """Read the word in an attribute such as `#vector.kind<add>`; "" for a missing one."""
    attributes = op.attributes
    if name not in attributes:
        return ""
    text = str(attributes[name])
    return text[text.index("<") + 1 : -1]


def instruction_flags(op: ir.Operation) -> str:
    """Give LLVM's words for the fast-math, overflow, `exact` and `nneg` flags of an op."""
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
    """Split the operands of an op by `operandSegmentSizes`."""
    left = iter(op.operands)
    sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    return [[next(left) for _ in range(size)] for size in sizes]


def access_of(op: ir.Operation, element: Element) -> Access:
    """Read the attributes `alignment` and `nontemporal`; elements are aligned to their size."""
    if not len(op.attributes):
        return Access(element.bytes)
    return Access(integer(op, "alignment", element.bytes), flag(op, "nontemporal"))
