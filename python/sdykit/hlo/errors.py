"""The errors of HLO programs: located, with what was found and what was expected."""

from __future__ import annotations

from sdykit.errors import FileLocation, SdykitError


class HloError(SdykitError):
    """Something is wrong with an HLO program; `str()` is `file:line:col: error: message`."""

    def __init__(self, location: FileLocation | None, message: str) -> None:
        super().__init__(f"{location or '<unknown>'}: error: {message}")
        self.location = location
        self.message = message


class HloSyntaxError(HloError):
    """The text is not HLO; the message says what was found and what was expected."""
