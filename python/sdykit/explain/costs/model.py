"""What the collectives of a partitioned program are: frozen, without MLIR, as `sdykit.explain.model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sdykit.explain.model import Refusal, SourceLine, TensorSharding

Kind = Literal[
    "all_gather",
    "all_slice",
    "all_to_all",
    "collective_permute",
    "reduce_scatter",
    "all_reduce",
    "collective_broadcast",
    "reshard",
]
"""What a collective does. A `reshard` is one that no collectives replace: to another mesh."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a collective is needed for one axis.

    Attributes:
        axis: the axis; empty if a collective that the program has itself is along none.
        kind: `sum`: the op sums over a dimension that is divided along it; `unreduced`: somebody asked for
            parts that are still to be summed; `refused`: an axis of a tensor did not come to another
            one of the op; `whole`: the op needs a dimension whole, or exchanges data along it; `used`:
            the op is computed with another of its tensors divided along it; `differs`: none of these;
            `written`: the program has the collective itself.
        tensor: the tensor that is divided along the axis, with which a chain of `why` begins. Of a cause
            of kind `refused` the source of the refusal.
        op: the op.
        dimension: the dimension of `tensor`, of kinds `sum`, `whole` and `used`.
        refusal: the refusal, of kind `refused`.
        step: the number of the step in which `tensor` got the axis; None: it was given, or has it only
            for this op.
    """

    axis: str
    kind: Literal["sum", "unreduced", "refused", "whole", "used", "differs", "written"]
    tensor: int | None = None
    op: int | None = None
    dimension: int | None = None
    refusal: Refusal | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective of the partitioned program.

    Attributes:
        number: its number: the position in `Costs.collectives`, in the order of the program.
        kind: what it does.
        axes: the axes along which devices exchange data.
        devices: the number of devices in a group.
        operand_bytes: the size of a device's operand.
        bytes: what a device receives each time: see `sdykit.explain.costs.amounts`.
        runs: how often it runs.
        is_in_unknown_loop: whether it is also in a loop whose trip count is not known: `runs` is then
            for one iteration of it.
        is_in_branch: whether it is in a branch, which may not run.
        tensor: the tensor that is resharded or summed; None: one that no tensor of the program is.
        op: the op whose operand or result it is for; None if it is not known.
        before: the sharding that its producer has.
        after: the sharding that its consumer needs.
        causes: why it is needed, for each axis.
        source: the line of the op.
        seconds: the time in a run of the program, by the bandwidths that were given; None: not all were.
    """

    number: int
    kind: Kind
    axes: tuple[str, ...]
    devices: int
    operand_bytes: int
    bytes: float
    runs: int = 1
    is_in_unknown_loop: bool = False
    is_in_branch: bool = False
    tensor: int | None = None
    op: int | None = None
    before: TensorSharding | None = None
    after: TensorSharding | None = None
    causes: tuple[Cause, ...] = ()
    source: SourceLine | None = None
    seconds: float | None = None

    @property
    def total_bytes(self) -> float:
        """What a device receives in a run of the program; see `is_in_unknown_loop`."""
        return self.bytes * self.runs


@dataclass(frozen=True, slots=True)
class CompiledCollective:
    """A collective of the program that XLA compiles.

    Attributes:
        kind: what it does.
        name: the name of the instruction in HLO; several that XLA has combined have one.
        line: the line of the module's text that it comes from, from 1; None if XLA does not say.
        devices: the number of devices in a group.
        operand_bytes: the size of a device's operand.
        bytes: what a device receives each time, by the same formulas as ours.
        runs: how often it runs.
        is_in_unknown_loop: whether it is also in a loop whose trip count XLA does not know.
    """

    kind: Kind
    name: str
    line: int | None
    devices: int
    operand_bytes: int
    bytes: float
    runs: int = 1
    is_in_unknown_loop: bool = False


@dataclass(frozen=True, slots=True)
class Uncounted:
    """An op for which devices exchange data, or may, without a collective in the program.

    Attributes:
        op: the op.
        axes: the axes along which its tensor is divided.
        tensor: the tensor.
        dimension: the dimension that the op works along, such as that of a convolution's window; None:
            the op has no sharding rule.
        source: the line of the op.
    """

    op: int
    axes: tuple[str, ...]
    tensor: int | None = None
    dimension: int | None = None
    source: SourceLine | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """The collectives of a program, as each device runs it.

    Attributes:
        collectives: all of them.
        uncounted: the ops that are left to the partitioner: what they exchange is in no sum.
        is_timed: whether bandwidths were given.
        compiled: those of XLA's own program; None: it was not compiled.
    """

    collectives: tuple[Collective, ...]
    uncounted: tuple[Uncounted, ...] = ()
    is_timed: bool = False
    compiled: tuple[CompiledCollective, ...] | None = None
