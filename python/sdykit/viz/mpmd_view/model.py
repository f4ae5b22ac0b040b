"""The data of a drawn MPMD program: lanes, steps in program order, and the values between them.

The classes hold plain data, without references to MLIR.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NO_MESH = ""
"""The lane of values and steps on no mesh: tensors before mesh inference, tokens."""

Kind = Literal["fragment", "transfer", "other"]
"""The shape of a step: a box in a lane, an arrow between lanes, a small box."""


@dataclass(frozen=True)
class Lane:
    """A mesh of the topology."""

    name: str
    """The name of the mesh."""
    axes: tuple[tuple[str, int], ...] = ()
    """The name and the size of each axis."""
    cpu: bool = False
    """Whether its devices are CPUs, according to its name."""


@dataclass(frozen=True)
class ValueType:
    """The type of a value."""

    text: str
    """The type as printed."""
    tensor: str
    """The global type."""
    lane: str = NO_MESH
    """The name of the mesh that the value is on."""
    sharding: str | None = None
    """The sharding over that mesh, as printed."""
    memory_kind: str | None = None
    """The memory kind in the type; marks of arguments and results are in `Marks`."""
    local: str | None = None
    """The type of the part on one device; None if it is unknown."""
    bytes: int | None = None
    """The bytes on one device; None if they are unknown."""


@dataclass(frozen=True)
class Marks:
    """The attributes of an argument or result of a fragment or function."""

    donated: bool = False
    """`jax.buffer_donor = true`"""
    aliases: int | None = None
    """`tf.aliasing_output`: the number of the result that takes over the buffer."""
    layout: str | None = None
    """`mhlo.layout_mode`"""
    memory_kind: str | None = None
    """`mhlo.memory_kind`"""
    others: tuple[tuple[str, str], ...] = ()
    """The name and text of other attributes, without shardings, which are in the types."""


@dataclass(frozen=True)
class Source:
    """The source of a value: a result of a step, or an argument of the function."""

    step: int | None
    """The number of the step; None for an argument."""
    index: int
    """The number of the result or argument."""


@dataclass(frozen=True)
class Port:
    """A value that enters or leaves a step, or the function."""

    name: str
    """The name of the value as MLIR prints it."""
    type: ValueType
    """The type of the value."""
    marks: Marks = Marks()
    """The attributes of the argument or result."""
    source: Source | None = None
    """The source of an input of a step or a result of the function; None if it is not drawn."""
    label: str | None = None
    """The name of an argument in the user's program, from its location."""


@dataclass(frozen=True)
class Body:
    """The ops in the body of a fragment."""

    ops: int
    """The number of ops."""
    frequent: tuple[tuple[str, int], ...] = ()
    """The most frequent ops with their numbers of occurrences."""


@dataclass(frozen=True)
class Step:
    """An op of the program."""

    kind: Kind
    """The shape that it is drawn with."""
    op: str
    """The name of the op, such as `mpmd.fragment`."""
    label: str
    """The name of a fragment after its origins, or the kind of another op."""
    lanes: tuple[str, ...]
    """The lane that it runs on; for a transfer, the lanes of its operand and its result."""
    inputs: tuple[Port, ...]
    """The operands, then the values that its regions use."""
    outputs: tuple[Port, ...]
    """The results."""
    place: str | None = None
    """File, line and column; None if unknown."""
    tick: int = 0
    """The position in time if each mesh runs its fragments in order and waits only for values;
    see `with_ticks` in `steps`. A transfer runs after the fragments of its tick."""
    start: float | None = None
    """The seconds from the start of a run to that of the step; None without a run."""
    end: float | None = None
    """The seconds from the start of a run to the end of the step; None without a run."""
    origins: tuple[tuple[str, int], ...] = ()
    """The computations that a fragment comes from, each with its transpose count."""
    stage: int | None = None
    """The number of the pipeline stage of a fragment."""
    call_counter: int | None = None
    """The number of the microbatch of a fragment."""
    callee: str | None = None
    """The function that a call calls."""
    body: Body | None = None
    """The ops of a fragment."""
    reserved: int | None = None
    """The bytes of memory to leave free when the fragment is compiled."""
    reserved_attribute: str | None = None
    """The name of the attribute with the reserved bytes."""
    inferred_by: tuple[str, ...] = ()
    """The passes that made an inferred fragment, if they are known."""
    remat: bool = False
    """Whether the fragment is rematerialized."""
    others: tuple[tuple[str, str], ...] = ()
    """The name and text of other attributes."""

    @property
    def transposes(self) -> tuple[int, ...]:
        """The distinct transpose counts of its origins, ascending; empty if it is inferred."""
        return tuple(sorted({count for _, count in self.origins}))


@dataclass(frozen=True)
class Loop:
    """An `mpmd.for`."""

    first: int
    """The number of its first step."""
    stop: int
    """One past the number of its last step."""
    label: str
    """The text at its frame."""


@dataclass(frozen=True)
class Program:
    """A function with a topology."""

    name: str
    """The name of the function."""
    lanes: tuple[Lane, ...]
    """The meshes, each CPU mesh after the mesh it belongs to; `NO_MESH` first if it is used."""
    arguments: tuple[Port, ...]
    """The arguments of the function."""
    steps: tuple[Step, ...]
    """The ops in program order, those of loop bodies included."""
    results: tuple[Port, ...]
    """The results of the function."""
    public: bool = True
    """Whether the function is public."""
    place: str | None = None
    """File, line and column of the function; None if unknown."""
    loops: tuple[Loop, ...] = ()
    """The loops of the function."""
