"""Reports of memory and subcores that are not there, or that a kernel must not write."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar

from sdykit.sparsecore.mosaic.reports.report import Names, Report


class Access(enum.IntEnum):
    """What can be out of bounds."""

    SLICE = 0
    LOAD = 1
    STORE = 2
    GATHER = 3
    SCATTER = 4


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


@dataclass(frozen=True, kw_only=True)
class SplitRows(Report):
    """Rows of narrow elements that begin inside a row of wider ones, and go beyond it.

    Attributes:
        first: the first row.
        count: how many there are.
        parts: how many rows are in one of the wider elements.
    """

    kind: ClassVar[int] = 13

    first: int
    count: int
    parts: int

    def sentence(self, names: Names) -> str:
        return (
            f"{names.agent(self.agent)}: rows {self.first} to {self.first + self.count - 1} after a "
            f"bitcast at {names.place(self.place)}: they neither begin and end at multiples of "
            f"{self.parts}, nor lie between two of them"
        )


@dataclass(frozen=True, kw_only=True)
class OtherDevice(Report):
    """A DMA or a signal to another device.

    Attributes:
        device: the number of the device.
    """

    kind: ClassVar[int] = 14

    device: int

    def sentence(self, names: Names) -> str:
        return (
            f"{names.agent(self.agent)} reaches device {self.device} at {names.place(self.place)}: "
            "DMAs and signals to other devices cannot run on a CPU yet"
        )


def _dimension(dimension: int, rank: int) -> str:
    if rank == 1:
        return "elements"
    if rank == 2:
        return ("rows", "columns")[dimension]
    return f"dimension {dimension}:"
