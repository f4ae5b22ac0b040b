"""Everything that can be wrong with a kernel while it runs, and its text.

A report is numbers: of the subcore, of the source line, of memory. So compiled code, which has no
strings, fails with the same reports as the reference machine, as lists of integers (`encode`,
`decode`); the text is made here, for all of them, by `Report.text`.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdykit.sparsecore.errors import SparseCoreError

NOBODY = -1
"""In place of a number of an agent or of a line: there is none."""


@dataclass(frozen=True)
class Names:
    """The texts of a kernel's numbers.

    Attributes:
        kernel: the kernel's name.
        agents: "vector subcore (0, 15)", by the number of the agent.
        places: "kernel.py:12", by the number of the place.
        buffers: "scratch 0", by the number of the buffer.
        memory: for compiled programs, which name memory by where it is: numbers [first, end), and the
            number of the buffer there.
    """

    kernel: str
    agents: Sequence[str]
    places: Sequence[str]
    buffers: Sequence[str] = ()
    memory: Sequence[tuple[int, int, int]] = ()

    def agent(self, number: int) -> str:
        """Return the text of an agent."""
        return _get(self.agents, number, "a subcore")

    def place(self, number: int) -> str:
        """Return the text of a source line."""
        return _get(self.places, number, "an unknown line")

    def buffer(self, number: int) -> str:
        """Return the text of a buffer."""
        for first, end, buffer in self.memory:
            if first <= number < end:
                return _get(self.buffers, buffer, "memory")
        return _get(self.buffers, number, "memory")


class KernelError(SparseCoreError):
    """A kernel did what it must not.

    Attributes:
        report: what it did.
    """

    def __init__(self, report: Report, names: Names) -> None:
        super().__init__(report.text(names))
        self.report = report


class Action(enum.IntEnum):
    """What an agent or a transfer does with memory."""

    READ = 0
    WRITE = 1
    ADD = 2

    @property
    def verb(self) -> str:
        """The verb in a sentence."""
        return ("reads", "writes", "adds to")[self]


class Access(enum.IntEnum):
    """What can be out of bounds."""

    SLICE = 0
    LOAD = 1
    STORE = 2
    GATHER = 3
    SCATTER = 4


class Waits(enum.IntEnum):
    """What an agent waits for."""

    SEMAPHORE = 0
    TRANSFER = 1
    BARRIER = 2
    NOTHING = 3
    CHANGE = 4


@dataclass(frozen=True, kw_only=True)
class Report:
    """What went wrong, where.

    Attributes:
        agent: the number of the agent, or `NOBODY`.
        place: the number of the source line, or `NOBODY`.
    """

    kind: ClassVar[int]

    agent: int
    place: int

    def text(self, names: Names) -> str:
        """Return the error's text: kernel, agent, what it did, and where."""
        return f"kernel '{names.kernel}': {self.sentence(names)}"

    def sentence(self, names: Names) -> str:
        """Return the text without the kernel's name."""
        raise NotImplementedError

    def encode(self) -> list[int]:
        """Return kind, agent, place and all other fields as integers."""
        values = [getattr(self, each.name) for each in dataclasses.fields(self)]
        return [self.kind, *itertools.chain.from_iterable(map(_encoded, values))]

    @classmethod
    def decoded(cls, numbers: Iterator[int]) -> Report:
        """Return the report of the integers that follow its kind."""
        return cls(**{each.name: int(next(numbers)) for each in dataclasses.fields(cls)})


@dataclass(frozen=True, kw_only=True)
class BadCall(Report):
    """Compiled code called the runtime with numbers that make no sense."""

    kind: ClassVar[int] = 0

    def sentence(self, names: Names) -> str:
        who, place = names.agent(self.agent), names.place(self.place)
        return (
            f"{who}: what was compiled for {place} is wrong; please report this as a bug of sdykit"
        )

    @classmethod
    def decoded(cls, numbers: Iterator[int]) -> BadCall:
        return cls(agent=int(next(numbers, NOBODY)), place=int(next(numbers, NOBODY)))


@dataclass(frozen=True, kw_only=True)
class OutOfBounds(Report):
    """A slice, load or store that is not all within its memref.

    Attributes:
        access: what it is.
        dimension: the first dimension in which it is out of bounds.
        rank: the number of dimensions of the memref.
        first: the first index in this dimension.
        end: one past the last.
        size: how many there are.
    """

    kind: ClassVar[int] = 1

    access: int
    dimension: int
    rank: int
    first: int
    end: int
    size: int

    def sentence(self, names: Names) -> str:
        what = Access(self.access).name.lower()
        where = f"{_dimension(self.dimension, self.rank)} {self.first} to {self.end} of {self.size}"
        who = names.agent(self.agent)
        return f"{who}: {what} out of bounds at {names.place(self.place)}: {where}"


@dataclass(frozen=True, kw_only=True)
class IndexOutOfBounds(Report):
    """An index of a gather or a scatter that is not within its memref.

    Attributes:
        access: `Access.GATHER` or `Access.SCATTER`.
        lane: the lane that has the index.
        dimension: the dimension that it indexes.
        rank: the number of dimensions of the memref.
        index: its value.
        size: the size of the dimension.
    """

    kind: ClassVar[int] = 2

    access: int
    lane: int
    dimension: int
    rank: int
    index: int
    size: int

    def sentence(self, names: Names) -> str:
        what = Access(self.access).name.lower()
        of = f" of dimension {self.dimension}" if self.rank > 1 else ""
        return (
            f"{names.agent(self.agent)}: {what} out of bounds at {names.place(self.place)}: "
            f"index {self.index}{of} in lane {self.lane} is not in [0, {self.size})"
        )


@dataclass(frozen=True, kw_only=True)
class OffsetOutOfBounds(Report):
    """An offset of an indirect DMA that is not within the memref that it indexes.

    Attributes:
        offset: its value.
        position: where it is among the offsets.
        size: how many rows there are.
    """

    kind: ClassVar[int] = 3

    offset: int
    position: int
    size: int

    def sentence(self, names: Names) -> str:
        return (
            f"{names.agent(self.agent)}: indirect DMA started at {names.place(self.place)}: "
            f"offset {self.offset} at position {self.position} is not in [0, {self.size})"
        )


@dataclass(frozen=True)
class Waiting:
    """An agent in a deadlock.

    Attributes:
        agent: its number.
        place: the number of the line at which it waits.
        waits: what it waits for, a `Waits`; `CHANGE` is that of an agent that polls.
        wanted: the count that it waits for; for a barrier, how many agents take part.
        count: the count of the semaphore; for a barrier, how many agents have come.
    """

    agent: int
    place: int
    waits: int
    wanted: int
    count: int

    def text(self, names: Names) -> str:
        """Return the agent's line."""
        who, place = names.agent(self.agent), names.place(self.place)
        if self.waits == Waits.NOTHING:
            return f"{who} is at its end"
        if self.waits == Waits.CHANGE:
            return f"{who} reads a semaphore that stays {self.count} again and again, at {place}"
        if self.waits == Waits.BARRIER:
            return (
                f"{who} waits at the barrier with {self.count} of {self.wanted} subcores, "
                f"at {place}"
            )
        unit = " bytes of DMAs" if self.waits == Waits.TRANSFER else ""
        return (
            f"{who} waits for {self.wanted}{unit} on a semaphore that has {self.count}, at {place}"
        )


@dataclass(frozen=True, kw_only=True)
class Deadlock(Report):
    """No agent can go on, and some are not at their end.

    Attributes:
        waiting: every agent, by number.
    """

    kind: ClassVar[int] = 4

    agent: int = NOBODY
    place: int = NOBODY
    waiting: tuple[Waiting, ...]

    def sentence(self, names: Names) -> str:
        lines = [f"  {each.text(names)}" for each in self.waiting]
        return "\n".join(["deadlock: no subcore can go on:", *lines])

    @classmethod
    def decoded(cls, numbers: Iterator[int]) -> Deadlock:
        agent, place = int(next(numbers)), int(next(numbers))
        rest = [int(each) for each in numbers]
        width = len(dataclasses.fields(Waiting))
        groups = [rest[at : at + width] for at in range(0, len(rest), width)]
        return cls(agent=agent, place=place, waiting=tuple(Waiting(*each) for each in groups))


class End(enum.IntEnum):
    """What ends."""

    KERNEL = 0
    REGION = 1


@dataclass(frozen=True, kw_only=True)
class SemaphoreNotZero(Report):
    """A semaphore that has counts left at the end of the kernel, or of the region that made it.

    Attributes:
        agent: whose semaphore it is.
        place: the line that made it, or `NOBODY`.
        end: what ends, an `End`.
        count: what it has.
        started: the line of the first DMA on it that was not waited for, or `NOBODY`.
    """

    kind: ClassVar[int] = 5

    end: int
    count: int
    started: int

    def sentence(self, names: Names) -> str:
        made = "" if self.place == NOBODY else f" made at {names.place(self.place)}"
        if self.started == NOBODY:
            reason = "it was signalled more than it was waited for"
        else:
            reason = f"a DMA started at {names.place(self.started)} was never waited for"
        what = ("kernel", "region that made it")[self.end]
        return (
            f"{names.agent(self.agent)}: a semaphore{made} is {self.count} at the end of the {what}: "
            f"{reason}"
        )


@dataclass(frozen=True, kw_only=True)
class UnknownAgent(Report):
    """Ids that name no agent of the kernel.

    Attributes:
        scalar: 1 if they name a scalar subcore, 0 if a vector one.
        core: the core, or the scalar subcore.
        subcore: the subcore; not used for a scalar one.
        cores: how many cores the mesh has.
        subcores: how many vector subcores each of them has.
    """

    kind: ClassVar[int] = 6

    scalar: int
    core: int
    subcore: int
    cores: int
    subcores: int

    def sentence(self, names: Names) -> str:
        who, place = names.agent(self.agent), names.place(self.place)
        if self.scalar:
            return (
                f"{who}: no scalar subcore {self.core} at {place}: the kernel's mesh has "
                f"{self.cores}"
            )
        return (
            f"{who}: no vector subcore ({self.core}, {self.subcore}) at {place}: the kernel's mesh "
            f"has {self.cores} x {self.subcores}"
        )


@dataclass(frozen=True, kw_only=True)
class FailedCheck(Report):
    """A `debug_check` of the user's that is not true.

    Attributes:
        message: the user's text.
    """

    kind: ClassVar[int] = 7

    message: str

    def sentence(self, names: Names) -> str:
        who, place = names.agent(self.agent), names.place(self.place)
        return f"{who}: check failed at {place}: {self.message}"

    @classmethod
    def decoded(cls, numbers: Iterator[int]) -> FailedCheck:
        agent, place, size = (int(next(numbers)) for _ in range(3))
        words = b"".join(int(each).to_bytes(8, "little", signed=True) for each in numbers)
        return cls(agent=agent, place=place, message=words[:size].decode("utf-8", "replace"))


@dataclass(frozen=True, kw_only=True)
class NotAMultiple(Report):
    """A value that is not the multiple that the user said (`pl.multiple_of`).

    Attributes:
        value: the value.
        multiple: what it was to be a multiple of.
    """

    kind: ClassVar[int] = 8

    value: int
    multiple: int

    def sentence(self, names: Names) -> str:
        who, place = names.agent(self.agent), names.place(self.place)
        return f"{who}: {self.value} at {place} is not a multiple of {self.multiple}"


@dataclass(frozen=True, kw_only=True)
class Race(Report):
    """Two agents touch the same memory, one of them writes, and nothing orders them.

    Attributes:
        action: what the agent does, an `Action`.
        other: the other agent.
        other_place: its line.
        other_action: what it does.
        buffer: the number of the memory.
    """

    kind: ClassVar[int] = 9

    action: int
    other: int
    other_place: int
    other_action: int
    buffer: int

    def sentence(self, names: Names) -> str:
        memory = names.buffer(self.buffer)
        return (
            f"race: {names.agent(self.agent)} {Action(self.action).verb} {memory} "
            f"at {names.place(self.place)}, {names.agent(self.other)} "
            f"{Action(self.other_action).verb} the same bytes at {names.place(self.other_place)}, "
            "and nothing orders the two"
        )


@dataclass(frozen=True, kw_only=True)
class UnderWay(Report):
    """Memory is touched while a transfer is under way that reads or writes it.

    Attributes:
        action: what the agent does, an `Action`.
        transfer: 1 if the agent starts a DMA that does so, 0 if it loads or stores.
        other: the agent that started the transfer.
        other_place: the line that started it.
        other_action: what the transfer does.
        buffer: the number of the memory.
    """

    kind: ClassVar[int] = 10

    action: int
    transfer: int
    other: int
    other_place: int
    other_action: int
    buffer: int

    def sentence(self, names: Names) -> str:
        memory, place = names.buffer(self.buffer), names.place(self.place)
        does = f"{Action(self.action).verb} {memory}"
        if self.transfer:
            does = f"starts a DMA at {place} that {does}"
        else:
            does = f"{does} at {place}"
        of = "" if self.other == self.agent else f" of {names.agent(self.other)}"
        return (
            f"race: {names.agent(self.agent)} {does} while a DMA{of} "
            f"{Action(self.other_action).verb} it, started at {names.place(self.other_place)}"
        )


@dataclass(frozen=True, kw_only=True)
class DependentIterations(Report):
    """Two iterations of a `parallel_loop` touch the same memory, and one of them writes.

    Attributes:
        action: what the later iteration does, an `Action`.
        iteration: the number of the later iteration, from 0.
        other_place: the line of the earlier iteration.
        other_action: what it does.
        other_iteration: the number of the earlier iteration.
        buffer: the number of the memory.
        loop: the line of the loop.
    """

    kind: ClassVar[int] = 11

    action: int
    iteration: int
    other_place: int
    other_action: int
    other_iteration: int
    buffer: int
    loop: int

    def sentence(self, names: Names) -> str:
        return (
            f"race: {names.agent(self.agent)}: the iterations of the parallel_loop at "
            f"{names.place(self.loop)} depend on each other: iteration {self.iteration} "
            f"{Action(self.action).verb} {names.buffer(self.buffer)} at {names.place(self.place)} "
            f"where iteration {self.other_iteration} {Action(self.other_action).verb} it "
            f"at {names.place(self.other_place)}"
        )


@dataclass(frozen=True, kw_only=True)
class WriteToInput(Report):
    """A transfer writes an input of the call that shares no memory with a result.

    Attributes:
        buffer: the number of the memory.
    """

    kind: ClassVar[int] = 12

    buffer: int

    def sentence(self, names: Names) -> str:
        return (
            f"{names.agent(self.agent)}: a DMA started at {names.place(self.place)} writes "
            f"{names.buffer(self.buffer)}, an input that no result is aliased with"
        )


KINDS: dict[int, type[Report]] = {
    each.kind: each
    for each in (
        BadCall,
        OutOfBounds,
        IndexOutOfBounds,
        OffsetOutOfBounds,
        Deadlock,
        SemaphoreNotZero,
        UnknownAgent,
        FailedCheck,
        NotAMultiple,
        Race,
        UnderWay,
        DependentIterations,
        WriteToInput,
    )
}
"""The class of each kind of report."""


def decode(numbers: Sequence[int]) -> Report:
    """Return the report that `Report.encode` gave these integers for."""
    return KINDS[int(numbers[0])].decoded(iter(numbers[1:]))


def _encoded(value: int | str | tuple[Waiting, ...]) -> list[int]:
    if isinstance(value, str):
        text = value.encode()
        padded = text + bytes(-len(text) % 8)
        starts = range(0, len(padded), 8)
        words = [int.from_bytes(padded[at : at + 8], "little", signed=True) for at in starts]
        return [len(text), *words]
    if isinstance(value, tuple):
        return [number for each in value for number in dataclasses.astuple(each)]
    return [int(value)]


def _dimension(dimension: int, rank: int) -> str:
    if rank == 1:
        return "elements"
    if rank == 2:
        return ("rows", "columns")[dimension]
    return f"dimension {dimension}:"


def _get(texts: Sequence[str], number: int, unknown: str) -> str:
    return texts[number] if 0 <= number < len(texts) else unknown
