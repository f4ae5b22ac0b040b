# Generated from dialects/sdy/*.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types of the `sdy` dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from sdykit.dialects import _sdy_formats as formats
from sdykit.dialects._sdy_enums_gen import EdgeNodeType
from sdykit.dialects._sdy_methods import AxisRefAttrMethods, MeshAttrMethods, TensorShardingAttrMethods
from sdykit.dialects._text import TextParser, print_integers, print_strings, print_views, quote
from sdykit.dialects._views_base import AttributeView

__all__ = [
    "AllToAllParamAttr",
    "AllToAllParamListAttr",
    "AxisRefAttr",
    "AxisRefListAttr",
    "AxisToPropagationDetailsAttr",
    "DimMappingAttr",
    "DimensionShardingAttr",
    "EdgeValueRefAttr",
    "ListOfAxisRefListsAttr",
    "ManualAxesAttr",
    "MeshAttr",
    "MeshAxisAttr",
    "OpShardingRuleAttr",
    "PropagationEdgesAttr",
    "PropagationOneStepAttr",
    "SubAxisInfoAttr",
    "TensorMappingAttr",
    "TensorShardingAttr",
    "TensorShardingPerValueAttr",
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
    the list gives the device at each position.

    A mesh has one of three shapes:

    - at least one axis: as many devices as the product of the axis sizes;
    - no axes and one device id: a *maximal* mesh. What is sharded on it lives on that
      device, whole;
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

    - No two axes have one name.
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

    - The axis is one of the mesh at hand.
    - For a sub-axis, `pre_size * size` divides the size of the axis, and is not the
      whole axis.
    """

    NAME: ClassVar[str] = "#sdy.axis_ref"

    name: str
    """Name of the mesh axis."""
    sub_axis_info: SubAxisInfoAttr | None = None
    """The part meant; absent for the whole axis."""

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

    Written `{"x", "y"}: 0->2`: the axes `x` and `y` leave dimension 0, whose sharding
    they end, and are appended to the sharding of dimension 2.

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
    """The mesh axes along which a region is written per device.

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
    """From where to where an axis was propagated through an operation.

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
    """All that propagation did at an operation.

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


@dataclass(frozen=True, slots=True)
class DimMappingAttr(AttributeView):
    """The factors that a dimension is made of, from major to minor.

    A factor is written as a symbol: `i` is factor 0, `j` factor 1, ..., `z` factor 17,
    then come `z_1`, `z_2`, ... A dimension made of factors 0 and 1 is written `ij`.
    """

    NAME: ClassVar[str] = "#sdy.dim_mapping"
    GLUED: ClassVar[bool] = True

    factor_indices: tuple[int, ...] = ()
    """The factors, by index."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        factor_indices = formats.parse_factor_symbols(parser)
        return cls(factor_indices)

    def print_body(self) -> str:
        return formats.print_factor_symbols(self.factor_indices)


@dataclass(frozen=True, slots=True)
class TensorMappingAttr(AttributeView):
    """The factors of each dimension of a tensor.

    Written `[i, jk]`: dimension 0 is factor `i`; dimension 1 is made of `j` and `k`.
    """

    NAME: ClassVar[str] = "#sdy.tensor_mapping"

    dim_mappings: tuple[DimMappingAttr, ...] = ()
    """One for each dimension."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("[")
        dim_mappings = parser.nested_list_until("]", DimMappingAttr)
        return cls(dim_mappings)

    def print_body(self) -> str:
        return f"[{print_views(self.dim_mappings)}]"


@dataclass(frozen=True, slots=True)
class OpShardingRuleAttr(AttributeView):
    """How the dimensions of operands and results belong together.

    A rule speaks of *factors*. Dimensions that hold the same factor correspond to each
    other: a sharding of one is a sharding of the other. A dimension that a reshape
    splits or merges has more than one factor. Then the sizes of the factors follow, and
    then the factors for which special care is needed.

    A matrix product:

    ```mlir
    #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
    ```

    A reshape from `8x16` to `128`:

    ```mlir
    #sdy.op_sharding_rule<([i, j])->([ij]) {i=8, j=16}>
    ```

    A factor that is in none of the lists is passed through: each device works on its
    part without communication. `, custom` at the end marks a rule that a user has
    given for a custom call.

    Factors are numbered in the order of their sizes: `{i=.., j=.., k=..}`, without gap.

    **Constraints:**

    - There are as many mappings as operands and results, and as many dimensions in each
      as the tensor has.
    - A factor is used at most once in one tensor. A factor has a size exactly if a tensor
      uses it.
    - A dimension made of several factors has none of size 1.
    - The lists at the end are sorted and name no factor twice; a factor is in at most one
      of `reduction`, `need_replication` and `permutation`.
    - No result uses a reduction factor.
    """

    NAME: ClassVar[str] = "#sdy.op_sharding_rule"

    factor_sizes: tuple[int, ...] = ()
    """Size of each factor."""
    operand_mappings: tuple[TensorMappingAttr, ...] = ()
    """Factors of each operand."""
    result_mappings: tuple[TensorMappingAttr, ...] = ()
    """Factors of each result."""
    reduction_factors: tuple[int, ...] = ()
    """Factors that the operation sums over: sharding them takes an all-reduce."""
    need_replication_factors: tuple[int, ...] = ()
    """Factors that must be whole on each device when the operation runs."""
    permutation_factors: tuple[int, ...] = ()
    """Factors along which devices must exchange data if they are sharded."""
    blocked_propagation_factors: tuple[int, ...] = ()
    """Factors along which no sharding is propagated."""
    is_custom_rule: bool = False
    """Whether a user has given the rule."""

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        parser.expect("<")
        parser.expect("(")
        operand_mappings = parser.nested_list_until(")", TensorMappingAttr)
        parser.expect("->")
        parser.expect("(")
        result_mappings = parser.nested_list_until(")", TensorMappingAttr)
        if parser.accept("{"):
            factor_sizes = formats.parse_factor_sizes(parser)
            parser.expect("}")
        else:
            factor_sizes = ()
        if parser.accept("reduction"):
            parser.expect("=")
            reduction_factors = formats.parse_factor_set(parser)
        else:
            reduction_factors = ()
        if parser.accept("need_replication"):
            parser.expect("=")
            need_replication_factors = formats.parse_factor_set(parser)
        else:
            need_replication_factors = ()
        if parser.accept("permutation"):
            parser.expect("=")
            permutation_factors = formats.parse_factor_set(parser)
        else:
            permutation_factors = ()
        if parser.accept("blocked_propagation"):
            parser.expect("=")
            blocked_propagation_factors = formats.parse_factor_set(parser)
        else:
            blocked_propagation_factors = ()
        is_custom_rule = formats.parse_is_custom_rule(parser)
        parser.expect(">")
        return cls(
            factor_sizes, operand_mappings, result_mappings, reduction_factors,
            need_replication_factors, permutation_factors, blocked_propagation_factors,
            is_custom_rule
        )

    def print_body(self) -> str:
        text = f"<({print_views(self.operand_mappings)})->({print_views(self.result_mappings)})"
        if self.factor_sizes:
            text += f" {{{formats.print_factor_sizes(self.factor_sizes)}}}"
        if self.reduction_factors:
            text += f" reduction={formats.print_factor_set(self.reduction_factors)}"
        if self.need_replication_factors:
            text += f" need_replication={formats.print_factor_set(self.need_replication_factors)}"
        if self.permutation_factors:
            text += f" permutation={formats.print_factor_set(self.permutation_factors)}"
        if self.blocked_propagation_factors:
            text += (
                " blocked_propagation="
                f"{formats.print_factor_set(self.blocked_propagation_factors)}"
            )
        return text + f"{formats.print_is_custom_rule(self.is_custom_rule)}>"


@dataclass(frozen=True, slots=True)
class DimensionShardingAttr(AttributeView):
    """How one dimension of a tensor is split.

    The axes that split the dimension, from major to minor, then `?` if propagation may
    add axes (the dimension is *open*; otherwise it is *closed*), then the priority, if
    there is one.

    ```
    {"x", "y"}       split by x, then y; closed
    {"x", ?}p1       split by x; open; of priority 1
    {?}              whatever propagation finds
    {}               replicated, and to stay so
    ```

    Propagation goes round by round through the priorities, 0 first; a dimension takes
    part from its round on. A dimension without priority has priority 0.

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
    """Round of propagation to take part from."""

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


@dataclass(frozen=True, slots=True)
class TensorShardingAttr(TensorShardingAttrMethods, AttributeView):
    """How a tensor is laid out over a mesh.

    A mesh, by name or inline, and a sharding for each dimension. Axes named in
    `replicated` must not be used by propagation to split a dimension. Along the axes in
    `unreduced`, each device holds a summand: the tensor is the sum over these axes, yet
    to be taken.

    ```mlir
    #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>
    #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}, unreduced={"y":(1)2}>
    #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}]>
    #sdy.sharding<mesh<[], device_ids=[1]>, []>
    ```

    The first says that the rows are split over `x`, that the columns are split over `y`
    and may be split further.

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
    """Axes over which a sum is still to be taken."""

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
