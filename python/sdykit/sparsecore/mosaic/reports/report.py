"""What all reports have: the numbers, the texts of these, and the way through a list of integers."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

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
    """

    kernel: str
    agents: Sequence[str]
    places: Sequence[str]
    buffers: Sequence[str] = ()

    def agent(self, number: int) -> str:
        """Return the text of an agent."""
        return _get(self.agents, number, "a subcore")

    def agents_of(self, numbers: Sequence[int]) -> str:
        """Return the text of several agents: "vector subcores (0, 0) to (0, 14)".

        Those that follow each other, and are of one kind, are written as a range.
        """
        kinds: dict[str, list[tuple[int, str]]] = {}
        for number in numbers:
            kind, _, where = self.agent(number).partition("subcore")
            kinds.setdefault(kind, []).append((number, where.strip()))
        texts: list[str] = []
        for kind, found in kinds.items():
            runs = ", ".join(_runs(found))
            texts.append(f"{kind}subcore{'s' if len(found) > 1 else ''} {runs}".rstrip())
        return " and ".join(texts)

    def meet(self, one: int, other: int) -> bool:
        """Return whether a barrier is for both of two agents: vector subcores of one SparseCore."""
        left, right = (self.agent(each).partition(",")[0] for each in (one, other))
        return left == right and left.startswith("vector")

    def semaphore(self, number: int) -> str:
        """Return the text of a semaphore: "a semaphore made at k.py:3", "a semaphore (scratch 1)"."""
        if not 0 <= number < len(self.buffers):
            return "a semaphore"
        text = self.buffer(number)
        return f"a {text}" if text.startswith("semaphore") else f"a semaphore ({text})"

    def place(self, number: int) -> str:
        """Return the text of a source line."""
        return _get(self.places, number, "an unknown line")

    def buffer(self, number: int) -> str:
        """Return the text of a buffer."""
        return _get(self.buffers, number, "memory")


class KernelError(SparseCoreError):
    """A kernel did what it must not.

    Attributes:
        report: what it did.
    """

    def __init__(self, report: Report, names: Names) -> None:
        super().__init__(report.text(names))
        self.report = report


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


def words_of(text: str) -> list[int]:
    """Return the number of bytes of a text, and these in integers of 8 bytes."""
    data = text.encode()
    padded = data + bytes(-len(data) % 8)
    starts = range(0, len(padded), 8)
    words = [int.from_bytes(padded[at : at + 8], "little", signed=True) for at in starts]
    return [len(data), *words]


def _encoded(value: int | str | tuple[Any, ...]) -> list[int]:
    if isinstance(value, str):
        return words_of(value)
    if isinstance(value, tuple):
        return [number for each in value for number in dataclasses.astuple(each)]
    return [int(value)]


def _runs(found: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Yield the texts of agents, those that follow each other as one."""
    first = 0
    for at, (number, where) in enumerate(found):
        if at + 1 < len(found) and found[at + 1][0] == number + 1:
            continue
        yield where if first == at else f"{found[first][1]} to {where}"
        first = at + 1


def _get(texts: Sequence[str], number: int, unknown: str) -> str:
    return texts[number] if 0 <= number < len(texts) else unknown
