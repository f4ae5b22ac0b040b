"""Typed views of existing operations, and the base classes of those of attributes and types."""

from __future__ import annotations

from typing import TypeVar

from sdykit.dialects.base import AttributeView, TypeView
from sdykit.mlir import ir

__all__ = ["AttributeView", "TypeView", "view"]

_OpView = TypeVar("_OpView", bound=ir.OpView)


def view(op_class: type[_OpView], op: ir.Operation | ir.OpView) -> _OpView:
    """Return `op` as an instance of a generated op class: `view(sdy.MeshOp, op).mesh`.

    Use it instead of `op.opview`, which gives an instance of jaxlib's class.

    Raises:
        TypeError: `op` is another operation.
    """
    operation = op.operation
    expected: str = op_class.OPERATION_NAME  # pyright: ignore[reportAttributeAccessIssue]
    if operation.name != expected:
        raise TypeError(f"expected {expected}, found {operation.name}")
    result = op_class.__new__(op_class)
    ir.OpView.__init__(result, operation)
    return result
