"""The errors of code generation, with their place in the tile program."""

from __future__ import annotations

from sdykit.errors import FileLocation, SdykitError


class CodegenError(SdykitError):
    """A tile program cannot be compiled; `str()` is `file:line:col: error: message`."""

    def __init__(self, location: FileLocation | None, message: str) -> None:
        super().__init__(f"{location or '<unknown>'}: error: {message}")
        self.location = location
        self.message = message


class RunError(SdykitError, ValueError):
    """A program was run with arrays that do not fit it; the text names the argument."""
