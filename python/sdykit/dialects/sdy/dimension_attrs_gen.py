# Generated from dialects/sdy/dimension_attrs.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `dialects/sdy/dimension_attrs.td`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects.base import AttributeView
from sdykit.dialects.sdy import formats
from sdykit.dialects.sdy.mesh_attrs_gen import AxisRefAttr
from sdykit.dialects.text import TextParser

__all__ = [
    "DimensionShardingAttr",
]


@dataclass(frozen=True, slots=True)
class DimensionShardingAttr(AttributeView):
    """How one dimension of a tensor is split.

    The axes that split the dimension, from major to minor; `?` if propagation may add axes
    (the dimension is *open*; otherwise it is *closed*); and the priority, if there is one.

    ```
    {"x", "y"}       split by x, then y; closed
    {"x", ?}p1       split by x; open; of priority 1
    {?}              whatever propagation finds
    {}               replicated, and stays replicated
    ```

    Propagation runs once for each priority, starting with 0; a dimension takes part from its
    own priority on. A dimension without priority has priority 0.

    **Constraints:**

    - `axes` satisfies the constraints of `#sdy.axis_ref_list`.
    - A closed dimension without axes has no priority.
    - The priority is not negative.
    """

    NAME: ClassVar[str] = "#sdy.dimension_sharding"

    axes: tuple[AxisRefAttr, ...]
    """Axes that split the dimension, major to minor."""
    is_closed: bool
    """Whether propagation must not add axes."""
    priority: int | None = None
    """Priority from which propagation uses the sharding; 0 is the first."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("{")
        axes, is_closed = formats.parse_dimension_axes(parser)
        parser.expect("}")
        priority = formats.parse_priority(parser)
        return cls(axes, is_closed, priority)

    def print_body(self) -> str:
        return (
            f"{{{formats.print_dimension_axes(self.axes, self.is_closed)}}}"
            f"{formats.print_priority(self.priority)}"
        )
