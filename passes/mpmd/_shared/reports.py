"""How validators tell what they find: all of it, and only then they fail."""

from __future__ import annotations

from sdykit.core import warn
from sdykit.core.diagnostics import nearest_location
from sdykit.errors import PassFailure
from sdykit.mlir import ir


class Report:
    """What a validator has to say about a program, told as it is found."""

    def __init__(self, *, strict: bool) -> None:
        """Start a report; `strict` makes errors of what would be warnings."""
        self._strict = strict
        self._last_error: str | None = None

    def find(self, op: ir.Operation, message: str) -> None:
        """Tell about what the validator looks for: an error if strict, else a warning."""
        if self._strict:
            self.error(op, message)
        else:
            self.warn(op, message)

    def warn(self, op: ir.Operation, message: str) -> None:
        """Tell about what is never an error."""
        warn(nearest_location(op), _printable(message))

    def error(self, op: ir.Operation, message: str) -> None:
        """Tell about what is always an error; the validator goes on."""
        nearest_location(op).emit_error(_printable(message))
        self._last_error = message

    def finish(self) -> None:
        """End the validator.

        Raises:
            PassFailure: there was an error.
        """
        if self._last_error is not None:
            raise PassFailure(self._last_error)


def _printable(message: str) -> str:
    return message.encode("utf-8", "surrogateescape").decode(errors="replace")
