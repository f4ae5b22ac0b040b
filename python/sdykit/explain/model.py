"""What a recorded propagation holds: the program, its tensors, every step and every refusal.

All of it is frozen, and holds no MLIR: numbers lead from one table into another. `json_text` writes it.
An axis is a text as in sdy: `"x"` is `x`, a part of it `x:(2)4`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sdykit.passes.sdy._propagation.causes import Reason as CauseReason

if TYPE_CHECKING:
    from sdykit.explain.costs.model import Costs

Reason = Literal[CauseReason, "several uses", "no rule", "no slot"]
"""Why an axis did not arrive: what stood in the way in a step, or that no step could bring it."""

GivenBy = Literal["argument", "result", "constraint", "manual computation", "op", "group"]
"""What a sharding of the user's is written on."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the user's program.

    Attributes:
        file: the file as the location names it; `-` for stdin.
        line: the line, from 1.
        scope: the name stack of JAX there, such as `jit(step)/dot_general`; empty if none.
    """

    file: str
    line: int
    scope: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class DimSharding:
    """The sharding of a dimension.

    Attributes:
        axes: the axes that it is divided along, major first.
        is_closed: whether no axes may be added.
        priority: the user priority, if one is given.
    """

    axes: tuple[str, ...] = ()
    is_closed: bool = False
    priority: int | None = None

    def __str__(self) -> str:
        parts = [f'"{axis}"' for axis in self.axes] + ([] if self.is_closed else ["?"])
        priority = "" if self.priority is None else f"p{self.priority}"
        return f"{{{', '.join(parts)}}}{priority}"


@dataclass(frozen=True, slots=True)
class TensorSharding:
    """The sharding of a tensor.

    Attributes:
        mesh: the name of its mesh, or the text of one that has none.
        dims: the sharding of each dimension.
        replicated: axes that it must not be divided along.
        unreduced: axes along which its parts are still to be summed.
    """

    mesh: str
    dims: tuple[DimSharding, ...]
    replicated: tuple[str, ...] = ()
    unreduced: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"[{', '.join(map(str, self.dims))}]"
        for name, axes in (("replicated", self.replicated), ("unreduced", self.unreduced)):
            if axes:
                listed = ", ".join(f'"{axis}"' for axis in axes)
                text += f" {name}={{{listed}}}"
        return text


@dataclass(frozen=True, slots=True)
class Given:
    """A sharding that the user gave to a tensor.

    Attributes:
        by: what it is written on.
        sharding: the sharding, with the axes of later user priorities.
        op: the number of the constraint, manual computation, group or other op; None: of none.
        like: the other tensor of the group that it is taken from.
        source: the line of it.
    """

    by: GivenBy
    sharding: TensorSharding
    op: int | None = None
    like: int | None = None
    source: SourceLine | None = None


@dataclass(frozen=True, slots=True)
class Op:
    """An op of the program, as it is before propagation.

    Attributes:
        number: its number: the position in `Explanation.ops`.
        name: its name, such as `stablehlo.add`.
        text: its first line in the program that was read, cut if it is long.
        line: the number of that line in the text of the program, from 1.
        parent: the op around it; None: the module.
        operands: the tensor of each operand.
        results: the tensor of each result.
        source: the line of the user's program that it comes from, if known.
        is_erased: whether nothing used its results, and propagation erased it.
    """

    number: int
    name: str
    text: str
    line: int
    parent: int | None
    operands: tuple[int, ...]
    results: tuple[int, ...]
    source: SourceLine | None = None
    is_erased: bool = False


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor: values that have one sharding, such as a result of a loop and the arguments of its body.

    Attributes:
        number: its number: the position in `Explanation.tensors`.
        name: the name of its first value in the program that was read, such as `%12` or `%5#1`;
            `result 0` for a result of the function.
        names: the names of all its values.
        function: the name of the function around it.
        op: the op that defines it; of an argument the function.
        kind: `argument` or `result` of the function, or `value`.
        shape: its shape.
        dtype: its element type, as MLIR writes it.
        bytes: its size.
        label: of an argument or result of a JAX function its name there, such as `params['up']`.
        source: the line of the user's program that it comes from, if known.
        given: the sharding of the user's, if there is one.
        final: the sharding after propagation, None if there is none.
        has_slot: whether a sharding can be written for it.
    """

    number: int
    name: str
    names: tuple[str, ...]
    function: str
    op: int
    kind: Literal["argument", "result", "value"]
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    label: str = ""
    source: SourceLine | None = None
    given: Given | None = None
    final: TensorSharding | None = None
    has_slot: bool = True


@dataclass(frozen=True, slots=True)
class Gain:
    """An axis that a dimension got.

    Attributes:
        axis: the axis.
        source: the tensor that it came from.
    """

    axis: str
    source: int


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a dimension of a tensor.

    Attributes:
        tensor: the tensor.
        dimension: its dimension.
        before: the axes before.
        after: the axes after.
        gains: the axes that are new, with the tensors that they came from.
    """

    tensor: int
    dimension: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    gains: tuple[Gain, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """An axis that a tensor of an op has, and another one did not get.

    Attributes:
        tensor: the tensor that did not get it.
        dimension: the dimension that would have got it; None: nothing says which, as there is no rule.
        axis: the axis.
        source: the tensor that has it.
        reason: why not.
        by: the tensor that stands in the way: the one that is closed, has other axes, uses the axis
            elsewhere, has it replicated, or has several uses. It need not be `tensor`.
        by_dimension: the dimension of `by` that does.
        by_axis: the axis there that does.
        since: the step that brought `by_axis` there; None: it was given.
        size: the size of the part of the dimension (of the factor) that would be divided.
        divided: how many parts it has already.
        op_priority: the first op priority at which it may go this way.
        kind: of a blocked factor: `pass_through`, `reduction`, `need_replication`, `permutation`; of one
            that does not divide: `before` if `size` is the part of the dimension that comes before that
            of the axis, and has to be divided wholly first.
    """

    tensor: int
    dimension: int | None
    axis: str
    source: int
    reason: Reason
    by: int | None = None
    by_dimension: int | None = None
    by_axis: str | None = None
    since: int | None = None
    size: int | None = None
    divided: int | None = None
    op_priority: int | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A visit of an op that changed something, or in which something was refused.

    Attributes:
        number: the number of the step, as in `debug-propagation-edge-sharding`; None: nothing changed.
        op: the op; of results of a function the function.
        result: the result of the function that was visited; None: an op was.
        user_priority: the user priority.
        op_priority: the op priority, 0 to 4.
        strategy: `basic` or `aggressive`.
        changes: what changed.
        refusals: what was refused. Only those visits of an op are steps whose refusals are others
            than at the visit before.
    """

    number: int | None
    op: int
    result: int | None
    user_priority: int
    op_priority: int
    strategy: str
    changes: tuple[Change, ...] = ()
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """A propagation, with all that happened in it.

    Attributes:
        name: the file or the function.
        meshes: the size of each axis of each mesh, by names.
        lines: the lines of the program that was read, as MLIR prints it, without locations.
        ops: its ops in pre-order, those that importing added among them.
        tensors: its tensors.
        steps: all steps, in order.
        costs: the collectives of the partitioned program, if they were asked for.
    """

    name: str
    meshes: Mapping[str, Mapping[str, int]]
    lines: tuple[str, ...] = field(repr=False)
    ops: tuple[Op, ...] = field(repr=False)
    tensors: tuple[Tensor, ...] = field(repr=False)
    steps: tuple[Step, ...] = field(repr=False)
    costs: Costs | None = field(default=None, repr=False)
