# Generated from dialects/sdy/mesh_attrs.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `dialects/sdy/mesh_attrs.td`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects.base import AttributeView
from sdykit.dialects.sdy.mesh_methods import AxisRefAttrMethods, MeshAttrMethods
from sdykit.dialects.text import TextParser, print_integers, print_strings, print_views, quote

__all__ = [
    "AllToAllParamAttr",
    "AllToAllParamListAttr",
    "AxisRefAttr",
    "AxisRefListAttr",
    "ListOfAxisRefListsAttr",
    "ManualAxesAttr",
    "MeshAttr",
    "MeshAxisAttr",
    "SubAxisInfoAttr",
]


@dataclass(frozen=True, slots=True)
class MeshAxisAttr(AttributeView):
    """A named axis of a mesh.

    Written `"x"=2`.

    **Constraints:**

    - `size` is at least 1.
    """

    NAME: ClassVar[str] = "#sdy.mesh_axis"

    name: str
    """Name of the axis, unique in its mesh."""
    size: int
    """Number of devices along the axis."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        name = parser.string()
        parser.expect("=")
        size = parser.integer()
        return cls(name, size)

    def print_body(self) -> str:
        return f"{quote(self.name)}={self.size}"


@dataclass(frozen=True, slots=True)
class MeshAttr(MeshAttrMethods, AttributeView):
    """A grid of devices with named axes.

    The devices of a mesh are the elements of a grid, in row-major order: the last axis
    is the most minor. Without `device_ids` they are numbered 0, 1, 2, ...; with them,
    the list has the device at each position.

    A mesh has one of three shapes:

    - at least one axis: as many devices as the product of the axis sizes;
    - no axes and one device id: a *maximal* mesh. A tensor that is sharded on it lives on
      that device as a whole;
    - no axes and no device ids: the *empty* mesh, a placeholder for any mesh.

    ```mlir
    #sdy.mesh<["data"=4, "model"=2]>
    #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
    #sdy.mesh<[], device_ids=[3]>
    #sdy.mesh<[]>
    ```

    Device ids that count 0, 1, 2, ... over the whole mesh are the default and are
    dropped: `#sdy.mesh<["x"=2], device_ids=[0, 1]>` is `#sdy.mesh<["x"=2]>`.

    **Constraints:**

    - No two axes have the same name.
    - Device ids are not negative.
    - With axes, sorted `device_ids` are 0, 1, ..., number of devices - 1.
    - Without axes there is at most one device id.
    """

    NAME: ClassVar[str] = "#sdy.mesh"

    axes: tuple[MeshAxisAttr, ...] = ()
    """The axes, from major to minor."""
    device_ids: tuple[int, ...] = ()
    """Devices in row-major order of the axes; empty for the default order."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        parser.expect("[")
        axes = parser.nested_list_until("]", MeshAxisAttr)
        if parser.accept(","):
            parser.expect("device_ids")
            parser.expect("=")
            parser.expect("[")
            device_ids = parser.comma_separated(parser.integer)
            parser.expect("]")
        else:
            device_ids = ()
        parser.expect(">")
        return cls(axes, device_ids)

    def print_body(self) -> str:
        text = f"<[{print_views(self.axes)}]"
        if self.device_ids:
            text += f", device_ids=[{print_integers(self.device_ids)}]"
        return text + ">"


@dataclass(frozen=True, slots=True)
class SubAxisInfoAttr(AttributeView):
    """Which part of a mesh axis a sub-axis is.

    An axis of size `n` can be seen as several axes whose sizes multiply to `n`. A
    sub-axis is one of them: `pre_size` is the product of the sizes of the parts that
    are major to it, `size` its own. Written `(pre_size)size`.

    Of an axis of size 8, split as 2 x 2 x 2, `(2)2` is the part in the middle.

    **Constraints:**

    - `pre_size` is at least 1.
    - `size` is at least 2.
    """

    NAME: ClassVar[str] = "#sdy.sub_axis_info"

    pre_size: int
    """Product of the sizes of the parts major to this one."""
    size: int
    """Size of this part."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("(")
        pre_size = parser.integer()
        parser.expect(")")
        size = parser.integer()
        return cls(pre_size, size)

    def print_body(self) -> str:
        return f"({self.pre_size}){self.size}"


@dataclass(frozen=True, slots=True)
class AxisRefAttr(AxisRefAttrMethods, AttributeView):
    """A reference to a mesh axis, whole or in part.

    Written `"x"` for the whole axis and `"x":(2)4` for the sub-axis of size 4 whose
    major parts have 2 elements together.

    **Constraints:**

    - The axis is one of the mesh that it is used with.
    - For a sub-axis, `pre_size * size` divides the size of the axis, and is not the
      whole axis.
    """

    NAME: ClassVar[str] = "#sdy.axis_ref"

    name: str
    """Name of the mesh axis."""
    sub_axis_info: SubAxisInfoAttr | None = None
    """The part of the axis; absent for the whole axis."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        name = parser.string()
        if parser.accept(":"):
            sub_axis_info = parser.nested(SubAxisInfoAttr)
        else:
            sub_axis_info = None
        return cls(name, sub_axis_info)

    def print_body(self) -> str:
        text = quote(self.name)
        if self.sub_axis_info is not None:
            text += f":{self.sub_axis_info.print_body()}"
        return text


@dataclass(frozen=True, slots=True)
class AxisRefListAttr(AttributeView):
    """A list of axis references.

    Written `{"x", "y":(1)2}`.

    **Constraints:**

    - Each element is a valid `#sdy.axis_ref`.
    - No two elements overlap.
    - Neighbours that are neighbouring parts of one axis are merged into one reference:
      `{"x":(1)2, "x":(2)2}` has to be `{"x":(1)4}`.
    """

    NAME: ClassVar[str] = "#sdy.axis_ref_list"

    value: tuple[AxisRefAttr, ...] = ()
    """The references, from major to minor."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("{")
        value = parser.nested_list_until("}", AxisRefAttr)
        return cls(value)

    def print_body(self) -> str:
        return f"{{{print_views(self.value)}}}"


@dataclass(frozen=True, slots=True)
class ListOfAxisRefListsAttr(AttributeView):
    """A list of axis references for each dimension.

    Written `[{"x"}, {}, {"y", "z"}]`. Collectives use it to name, for each dimension
    of a tensor, the axes they act on.
    """

    NAME: ClassVar[str] = "#sdy.list_of_axis_ref_lists"

    value: tuple[AxisRefListAttr, ...] = ()
    """One list for each dimension."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("[")
        value = parser.nested_list_until("]", AxisRefListAttr)
        return cls(value)

    def print_body(self) -> str:
        return f"[{print_views(self.value)}]"


@dataclass(frozen=True, slots=True)
class AllToAllParamAttr(AttributeView):
    """One move of an all-to-all: axes, from one dimension to another.

    Written `{"x", "y"}: 0->2`: the axes `x` and `y` leave the minor end of the sharding of
    dimension 0, and are appended to the sharding of dimension 2.

    **Constraints:**

    - `axes` is not empty, and holds valid references that do not overlap.
    - `src_dim` and `tgt_dim` are different dimensions of the tensor.
    """

    NAME: ClassVar[str] = "#sdy.all_to_all_param"

    axes: tuple[AxisRefAttr, ...]
    """The axes that move."""
    src_dim: int
    """Dimension that the axes leave."""
    tgt_dim: int
    """Dimension that the axes split afterwards."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("{")
        axes = parser.nested_list(AxisRefAttr)
        parser.expect("}")
        parser.expect(":")
        src_dim = parser.integer()
        parser.expect("->")
        tgt_dim = parser.integer()
        return cls(axes, src_dim, tgt_dim)

    def print_body(self) -> str:
        return f"{{{print_views(self.axes)}}}: {self.src_dim}->{self.tgt_dim}"


@dataclass(frozen=True, slots=True)
class AllToAllParamListAttr(AttributeView):
    """The moves of an all-to-all.

    Written `[{"x"}: 0->2, {"y"}: 1->3]`.
    """

    NAME: ClassVar[str] = "#sdy.all_to_all_param_list"

    value: tuple[AllToAllParamAttr, ...] = ()
    """The moves."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("[")
        value = parser.nested_list_until("]", AllToAllParamAttr)
        return cls(value)

    def print_body(self) -> str:
        return f"[{print_views(self.value)}]"


@dataclass(frozen=True, slots=True)
class ManualAxesAttr(AttributeView):
    """The mesh axes along which a region is the program of one device.

    Written `{"x", "y"}`. Whole axes only, in the order of the mesh.
    """

    NAME: ClassVar[str] = "#sdy.manual_axes"

    value: tuple[str, ...] = ()
    """Names of the manual axes."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("{")
        value = parser.list_until("}", parser.string)
        return cls(value)

    def print_body(self) -> str:
        return f"{{{print_strings(self.value)}}}"
