# Generated from dialects/sdy/sharding_attrs.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `dialects/sdy/sharding_attrs.td`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects.base import AttributeView
from sdykit.dialects.sdy import formats
from sdykit.dialects.sdy.dimension_attrs_gen import DimensionShardingAttr
from sdykit.dialects.sdy.mesh_attrs_gen import AxisRefAttr, MeshAttr
from sdykit.dialects.sdy.sharding_methods import TensorShardingAttrMethods
from sdykit.dialects.text import TextParser, print_views

__all__ = [
    "TensorShardingAttr",
    "TensorShardingPerValueAttr",
]


@dataclass(frozen=True, slots=True)
class TensorShardingAttr(TensorShardingAttrMethods, AttributeView):
    """How a tensor is laid out over a mesh.

    A mesh, by name or inline, and a sharding for each dimension. Propagation must not split a dimension by an axis in
    `replicated`. Along the axes in `unreduced`, each device holds a summand: the tensor is
    the sum over these axes, which is not computed yet.

    ```mlir
    #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>
    #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}, unreduced={"y":(1)2}>
    #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}]>
    #sdy.sharding<mesh<[], device_ids=[1]>, []>
    ```

    In the first, the rows are split over `x`; the columns are split over `y`, and may be
    split further.

    **Constraints:**

    - The named mesh exists; its axes are the ones used.
    - There is a dimension sharding for each dimension of the tensor. If the mesh is
      maximal, there are none, and neither replicated nor unreduced axes.
    - No axis, or part of one, is used twice, replicated and unreduced axes included.
    - Replicated and unreduced axes are sorted in the order of the mesh.
    """

    NAME: ClassVar[str] = "#sdy.sharding"

    mesh_or_ref: str | MeshAttr
    """The mesh: its symbol name or, inline, itself."""
    dim_shardings: tuple[DimensionShardingAttr, ...] = ()
    """One for each dimension."""
    replicated_axes: tuple[AxisRefAttr, ...] = ()
    """Axes to keep replicated."""
    unreduced_axes: tuple[AxisRefAttr, ...] = ()
    """Axes over which the sum is not computed yet."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        mesh_or_ref = formats.parse_mesh_or_ref(parser)
        parser.expect(",")
        parser.expect("[")
        dim_shardings = parser.nested_list_until("]", DimensionShardingAttr)
        replicated_axes, unreduced_axes = formats.parse_replicated_and_unreduced(parser)
        parser.expect(">")
        return cls(mesh_or_ref, dim_shardings, replicated_axes, unreduced_axes)

    def print_body(self) -> str:
        return (
            f"<{formats.print_mesh_or_ref(self.mesh_or_ref)}, ["
            f"{print_views(self.dim_shardings)}]"
            f"{formats.print_replicated_and_unreduced(self.replicated_axes, self.unreduced_axes)}"
            ">"
        )


@dataclass(frozen=True, slots=True)
class TensorShardingPerValueAttr(AttributeView):
    """A sharding for each operand or each result of an operation.

    ```mlir
    #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"y"}]>]>
    ```
    """

    NAME: ClassVar[str] = "#sdy.sharding_per_value"

    shardings: tuple[TensorShardingAttr, ...] = ()
    """The shardings, in order of the values."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        parser.expect("[")
        shardings = parser.nested_list_until("]", TensorShardingAttr)
        parser.expect(">")
        return cls(shardings)

    def print_body(self) -> str:
        return f"<[{print_views(self.shardings)}]>"
