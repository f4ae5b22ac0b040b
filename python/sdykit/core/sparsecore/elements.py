"""The sizes of the elements of buffers."""

from __future__ import annotations

from sdykit.mlir import ir


def element_bytes(element: ir.Type) -> int:
    """Return the size of an element of a buffer in bytes; that of an index is 8."""
    bits = element.width if isinstance(element, (ir.IntegerType, ir.FloatType)) else 64
    return -(-bits // 8)
