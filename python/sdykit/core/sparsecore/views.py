"""Views of buffers: their offsets, sizes and strides."""

from __future__ import annotations

from sdykit.mlir import ir

Number = int | ir.Value
"""A known number, or a value of type index."""
SUBVIEW = "memref.subview"
_PARTS = ("static_offsets", "static_sizes", "static_strides")


def parts_of(view: ir.Operation) -> list[list[Number]]:
    """Return the offsets, sizes and strides of a view."""
    unknown, left = ir.ShapedType.get_dynamic_size(), iter(list(view.operands)[1:])
    static = [list(ir.DenseI64ArrayAttr(view.attributes[name])) for name in _PARTS]
    return [[next(left) if each == unknown else each for each in part] for part in static]
