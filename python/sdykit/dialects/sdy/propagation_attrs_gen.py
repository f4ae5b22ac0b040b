# Generated from dialects/sdy/propagation_attrs.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `dialects/sdy/propagation_attrs.td`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects.base import AttributeView
from sdykit.dialects.sdy.enums_gen import EdgeNodeType
from sdykit.dialects.sdy.mesh_attrs_gen import AxisRefAttr
from sdykit.dialects.text import TextParser, print_views

__all__ = [
    "AxisToPropagationDetailsAttr",
    "EdgeValueRefAttr",
    "PropagationEdgesAttr",
    "PropagationOneStepAttr",
]


@dataclass(frozen=True, slots=True)
class EdgeValueRefAttr(AttributeView):
    """An operand or a result of an operation, by number.

    Written `operand-0` or `result-1`.
    """

    NAME: ClassVar[str] = "#sdy.edge_value_ref"
    GLUED: ClassVar[bool] = True

    type: EdgeNodeType
    """Whether it is an operand or a result."""
    index: int
    """Number of the operand or result."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        type = parser.enum(EdgeNodeType)
        parser.expect("-")
        index = parser.integer()
        return cls(type, index)

    def print_body(self) -> str:
        return f"{self.type!s}-{self.index}"


@dataclass(frozen=True, slots=True)
class AxisToPropagationDetailsAttr(AttributeView):
    """The source and the targets of an axis propagated through an operation.

    Written `{"x" = operand-0 -> [operand-1, result-0]}`.
    """

    NAME: ClassVar[str] = "#sdy.axis_to_propagation_details"

    axis_name: AxisRefAttr
    """The axis."""
    source: EdgeValueRefAttr
    """The value that had the axis."""
    targets: tuple[EdgeValueRefAttr, ...]
    """The values that got it."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("{")
        axis_name = parser.nested(AxisRefAttr)
        parser.expect("=")
        source = parser.nested(EdgeValueRefAttr)
        parser.expect("->")
        parser.expect("[")
        targets = parser.nested_list(EdgeValueRefAttr)
        parser.expect("]")
        parser.expect("}")
        return cls(axis_name, source, targets)

    def print_body(self) -> str:
        return (
            f"{{{self.axis_name.print_body()} = {self.source.print_body()} -> ["
            f"{print_views(self.targets)}]}}"
        )


@dataclass(frozen=True, slots=True)
class PropagationOneStepAttr(AttributeView):
    """What one step of propagation did at an operation.

    Written `{step-2 = [{"x" = operand-0 -> [result-0]}]}`.
    """

    NAME: ClassVar[str] = "#sdy.propagation_one_step"

    step_index: int
    """Number of the step, counted over the whole module."""
    axis_entries: tuple[AxisToPropagationDetailsAttr, ...]
    """The axes that were propagated."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("{")
        parser.expect("step")
        parser.expect("-")
        step_index = parser.integer()
        parser.expect("=")
        parser.expect("[")
        axis_entries = parser.nested_list(AxisToPropagationDetailsAttr)
        parser.expect("]")
        parser.expect("}")
        return cls(step_index, axis_entries)

    def print_body(self) -> str:
        return f"{{step-{self.step_index} = [{print_views(self.axis_entries)}]}}"


@dataclass(frozen=True, slots=True)
class PropagationEdgesAttr(AttributeView):
    """All steps of propagation at an operation.

    ```mlir
    #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]},
                            {step-4 = [{"y" = result-0 -> [operand-0]}]}]>
    ```

    **Constraints:**

    - Step numbers are not negative, and no two are equal.
    - No target is the source, or is named twice.
    """

    NAME: ClassVar[str] = "#sdy.propagation_edges"

    value: tuple[PropagationOneStepAttr, ...]
    """The steps."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        parser.expect("[")
        value = parser.nested_list(PropagationOneStepAttr)
        parser.expect("]")
        parser.expect(">")
        return cls(value)

    def print_body(self) -> str:
        return f"<[{print_views(self.value)}]>"
