"""The report of a validator, which emits everything it finds before it fails."""

from __future__ import annotations

from sdykit.core import warn
from sdykit.core.diagnostics import nearest_location
from sdykit.errors import PassFailure
from sdykit.mlir import ir


class Report:
    """The findings of a validator in a program, emitted as they are found."""

    def __init__(self, *, strict: bool) -> None:
        """Start a report; with `strict`, findings are errors instead of warnings."""
        self._strict = strict
        self._last_error: str | None = None

    def find(self, op: ir.Operation, message: str) -> None:
        """Emit a finding: an error if the report is strict, else a warning."""
        if self._strict:
            self.error(op, message)
        else:
            self.warn(op, message)

    def warn(self, op: ir.Operation, message: str) -> None:
        """Emit a warning, strict or not."""
        warn(nearest_location(op), _printable(message))

    def error(self, op: ir.Operation, message: str) -> None:
        """Emit an error, strict or not; the validator continues."""
        nearest_location(op).emit_error(_printable(message))
        self._last_error = message

    def finish(self) -> None:
        """End the report.

        Raises:
            PassFailure: there was an error.
        """
        if self._last_error is not None:
            raise PassFailure(self._last_error)


def _printable(message: str) -> str:
    return message.encode("utf-8", "surrogateescape").decode(errors="replace")
