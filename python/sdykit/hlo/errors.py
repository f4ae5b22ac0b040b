"""The errors of HLO text: located, and with what was found and expected."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.errors import SdykitError


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class HloError(SdykitError):
    """Something is wrong with an HLO program; `str()` is `file:line:col: error: message`."""

    def __init__(self, location: Location | None, message: str) -> None:
        super().__init__(f"{location or '<unknown>'}: error: {message}")
        self.location = location
        self.message = message


class HloSyntaxError(HloError):
    """The text is not HLO; the message says what was found and what was expected."""
