"""Collect the errors of the verifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from sdykit.core.diagnostics import Diagnostic, Severity
from sdykit.errors import FileLocation


class Placed(Protocol):
    """Anything with a location: an instruction or a computation."""

    @property
    def location(self) -> FileLocation | None: ...


@dataclass(slots=True)
class Report:
    """The errors found so far."""

    errors: list[Diagnostic] = field(default_factory=list)

    def error(self, place: Placed, message: str, *notes: Diagnostic) -> None:
        """Add an error, shown where `place` is in the text."""
        self.errors.append(Diagnostic(Severity.ERROR, message, place.location, notes))

    def sorted(self) -> list[Diagnostic]:
        """Return the errors in the order of the text; those without a place come last."""
        return sorted(self.errors, key=_order)


def note(place: Placed, message: str) -> Diagnostic:
    """Return a note for an error."""
    return Diagnostic(Severity.NOTE, message, place.location)


def _order(error: Diagnostic) -> tuple[bool, int, int]:
    location = error.location
    return (True, 0, 0) if location is None else (False, location.line, location.column)
