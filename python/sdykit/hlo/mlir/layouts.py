"""The layouts that a `custom-call` requires: `operand_layout_constraints`, and its own shape.

They are part of the interface of the callee, and not left out as other layouts are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdykit.hlo.mlir import fields
from sdykit.hlo.mlir.fields import Field, Texts
from sdykit.hlo.model import Instruction
from sdykit.hlo.shape import Shape, equal_shape, same_shape, tuple_shape, without_layouts

_CONSTRAINTS = "operand_layout_constraints"
_OPERANDS, _RESULTS = "operand_layouts", "result_layouts"
_LAYOUT = re.compile(r"[^{}()]+\{([\d,]+)\}")
_TABLE = re.compile(r"dense<[^<>]*> : tensor<\d+xindex>")


def layouts() -> Field:
    """Return a field for `operand_layout_constraints`, which is converted with the shapes."""
    return Field((_CONSTRAINTS,), (_OPERANDS, _RESULTS), lambda _: {}, lambda _: {})


def layout_tables(op: Instruction) -> dict[str, str]:
    """Return the attributes of the op for the layouts of operands and results.

    There are none if the instruction has no constraints for the operands.
    """
    text = op.attributes.get(_CONSTRAINTS)
    if text is None:
        return {}
    # The text is that of a tuple shape, in braces.
    operands = Shape(f"({text[1:-1]})").elements or ()
    wanted = [operand.shape for operand in op.operands]
    if len(operands) != len(wanted) or not all(
        map(same_shape, [each.text for each in operands], wanted)
    ):
        raise ValueError(f"{_CONSTRAINTS}={text} does not fit the operands")
    elements = Shape(op.shape).elements
    results = (Shape(op.shape),) if elements is None else elements
    return {
        _OPERANDS: f"[{', '.join([_table(each) for each in operands])}]",
        _RESULTS: f"[{', '.join([_table(each) for each in results])}]",
    }


def layout_constraints(attributes: Texts, operands: Sequence[str]) -> dict[str, str]:
    """Return `operand_layout_constraints`, if an op has any, for operands of these shapes."""
    if _OPERANDS not in attributes:
        return {}
    shapes = [f"{shape}{layout}" for shape, layout in _pairs(operands, attributes[_OPERANDS])]
    return {_CONSTRAINTS: f"{{{', '.join(shapes)}}}"}


def with_layouts(attributes: Texts, shape: str) -> str:
    """Return the shape of the results with the layouts that the attributes of an op have."""
    if _RESULTS not in attributes:
        return shape
    elements = Shape(shape).elements
    arrays = [shape] if elements is None else [each.text for each in elements]
    shapes = [
        array if equal_shape(array, f"{array}{layout}") else f"{array}{layout}"
        for array, layout in _pairs(arrays, attributes[_RESULTS])
    ]
    return shapes[0] if elements is None else tuple_shape(shapes)


def _table(shape: Shape) -> str:
    if shape.elements is not None:
        raise ValueError(f"the layout of {shape} has no form in MLIR")
    rank = len(shape.dimensions)
    axes = list(range(rank - 1, -1, -1))
    if shape.text != without_layouts(shape.text):
        found = _LAYOUT.fullmatch(shape.text)
        if found is None:
            raise ValueError(f"the layout of {shape} has no form in MLIR")
        axes = [int(each) for each in found[1].split(",")]
    return f"dense<{axes or ''}> : tensor<{rank}xindex>"


def _pairs(shapes: Sequence[str], tables: str) -> list[tuple[str, str]]:
    """Return each shape with its layout, which is "" for a scalar."""
    layouts = [fields.integers(each) for each in _TABLE.findall(tables)]
    texts = [fields.braced(axes) if axes else "" for axes in layouts]
    return list(zip(shapes, texts, strict=True))
