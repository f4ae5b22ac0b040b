"""An MPMD program as it is drawn: lanes, steps in program order, and where values go.

Plain data without references into MLIR.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NO_MESH = ""
"""The lane of what is on no mesh: tensors before mesh inference, tokens."""

Kind = Literal["fragment", "transfer", "other"]
"""How a step is drawn: a box in a lane, an arrow between lanes, a small box."""


@dataclass(frozen=True)
class Lane:
    """A mesh of the topology: its name, and the names and sizes of its axes."""

    name: str
    axes: tuple[tuple[str, int], ...] = ()
    cpu: bool = False
    """Whether its devices are CPUs, as the name tells."""


@dataclass(frozen=True)
class ValueType:
    """The type of a value; shape and bytes of what a device holds where they are known."""

    text: str
    """The type as printed."""
    tensor: str
    """The global type."""
    lane: str = NO_MESH
    sharding: str | None = None
    memory_kind: str | None = None
    """That of the type, not the mark of an argument or result."""
    local: str | None = None
    """The type of what a device holds."""
    bytes: int | None = None
    """Bytes on each device."""


@dataclass(frozen=True)
class Marks:
    """What an argument or result of a fragment or function is marked with."""

    donated: bool = False
    """`jax.buffer_donor = true`"""
    aliases: int | None = None
    """`tf.aliasing_output`: the number of the result that takes over the buffer."""
    layout: str | None = None
    """`mhlo.layout_mode`"""
    memory_kind: str | None = None
    """`mhlo.memory_kind`"""
    others: tuple[tuple[str, str], ...] = ()
    """Other attributes and their texts; shardings stand in the types."""


@dataclass(frozen=True)
class Source:
    """Where a value comes from: a result of a step, or an argument of the function."""

    step: int | None
    """The number of the step; None: an argument."""
    index: int
    """The number of the result or argument."""


@dataclass(frozen=True)
class Port:
    """A value that enters or leaves a step, or the function: name, type, marks, source."""

    name: str
    """As MLIR prints the value."""
    type: ValueType
    marks: Marks = Marks()
    source: Source | None = None
    """Of inputs of steps and results of the function; None: it comes from nowhere drawn."""
    label: str | None = None
    """The name of an argument in the user's program, out of its location."""


@dataclass(frozen=True)
class Body:
    """What a fragment computes: how many ops there are, and the most frequent of them."""

    ops: int
    frequent: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Step:
    """An op of the program."""

    kind: Kind
    op: str
    label: str
    """The name of a fragment after its origins; of other ops what they are."""
    lanes: tuple[str, ...]
    """Where it runs; of a transfer, from where and to where."""
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    place: str | None = None
    """File, line and column."""
    tick: int = 0
    """When it runs if each mesh runs its fragments in order and waits only for values: what
    is on one lane has rising ticks. A transfer runs after the fragments of its tick."""
    origins: tuple[tuple[str, int], ...] = ()
    """The computations a fragment comes from, and how often each was transposed."""
    stage: int | None = None
    call_counter: int | None = None
    callee: str | None = None
    body: Body | None = None
    reserved: int | None = None
    """Bytes to keep free while it is compiled."""
    reserved_attribute: str | None = None
    """Which attribute says so."""
    inferred_by: tuple[str, ...] = ()
    """The passes that made an inferred fragment, as far as it tells."""
    remat: bool = False
    others: tuple[tuple[str, str], ...] = ()
    """Other attributes and their texts."""

    @property
    def transposes(self) -> tuple[int, ...]:
        """The transpose counts of its origins, ascending; none: it is inferred."""
        return tuple(sorted({count for _, count in self.origins}))


@dataclass(frozen=True)
class Loop:
    """An `mpmd.for`: the numbers of its first step and of the one behind its last."""

    first: int
    stop: int
    label: str


@dataclass(frozen=True)
class Program:
    """A function with a topology."""

    name: str
    lanes: tuple[Lane, ...]
    """The meshes, each CPU mesh behind the mesh it belongs to; before them `NO_MESH` if
    something is there."""
    arguments: tuple[Port, ...]
    steps: tuple[Step, ...]
    results: tuple[Port, ...]
    public: bool = True
    place: str | None = None
    loops: tuple[Loop, ...] = ()
