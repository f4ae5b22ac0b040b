"""Reports of what the user, or the compiler, has said of a kernel, and is not so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sdykit.sparsecore.mosaic.reports.report import NOBODY, Names, Report


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
