"""Located diagnostics: `fail`, `warn`, `remark`, and where they go.

MLIR's Python bindings can emit errors only. Errors therefore pass through MLIR's own
diagnostic engine, warnings and remarks through a channel of ours; a `capture` block
sees both as `Diagnostic`s, in the order in which they were emitted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn, cast

from sdykit.errors import PassFailure
from sdykit.mlir import ir

HasLocation = ir.Operation | ir.OpView | ir.Location


class Severity(Enum):
    """How serious a diagnostic is; the value is the word that is printed."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message, with the notes that explain it."""

    severity: Severity
    message: str
    location: FileLocation | None
    notes: tuple[Diagnostic, ...] = ()
    callers: tuple[FileLocation, ...] = ()
    """Where the code at `location` was called from, innermost first."""
    loc_text: str = ""
    """The text of a location without a file position, such as `loc("name")`."""

    def __str__(self) -> str:
        return f"{self.location or '<unknown>'}: {self.severity.value}: {self.message}"


Sink = Callable[[Diagnostic], None]


def print_diagnostic(diagnostic: Diagnostic) -> None:
    """Print a diagnostic and its notes to stderr; the sink outside any `capture`."""
    for line in (diagnostic, *diagnostic.notes):
        print(line, file=sys.stderr)


_sink: ContextVar[Sink] = ContextVar("sdykit_diagnostic_sink", default=print_diagnostic)


def file_location(location: ir.Location) -> FileLocation | None:
    """Find the file position behind a location, as MLIR's source manager does.

    Named locations stand for their child, call sites for the callee, fused locations for
    their first part that has a position.
    """
    if isinstance(location, ir.FileLineColLoc):
        return FileLocation(location.filename, location.start_line, location.start_col)
    if isinstance(location, ir.NameLoc):
        return file_location(location.child_loc)
    if isinstance(location, ir.CallSiteLoc):
        return file_location(location.callee) or file_location(location.caller)
    if isinstance(location, ir.FusedLoc):
        found = (file_location(part) for part in _parts(location))
        return next((place for place in found if place), None)
    return None


def call_stack(location: ir.Location) -> tuple[FileLocation, ...]:
    """Give the places that a location was called from, innermost first."""
    stack = []
    call = _call_site(location)
    while call is not None:
        place = file_location(call.caller)
        if place:
            stack.append(place)
        call = _call_site(call.caller)
    return tuple(stack)


def _call_site(location: ir.Location) -> ir.CallSiteLoc | None:
    if isinstance(location, ir.CallSiteLoc):
        return location
    if isinstance(location, ir.NameLoc):
        return _call_site(location.child_loc)
    if isinstance(location, ir.FusedLoc):
        found = (_call_site(part) for part in _parts(location))
        return next((call for call in found if call), None)
    return None


def _parts(location: ir.FusedLoc) -> list[ir.Location]:
    return cast("list[ir.Location]", location.locations)


def diagnostic_at(
    severity: Severity,
    message: str,
    location: ir.Location,
    notes: tuple[Diagnostic, ...] = (),
) -> Diagnostic:
    """Make a diagnostic out of an MLIR location."""
    place = file_location(location)
    text = "" if place or location == ir.Location.unknown(location.context) else str(location)
    return Diagnostic(severity, message, place, notes, call_stack(location), text)


def fail(where: HasLocation, message: str) -> NoReturn:
    """Emit an error and leave the pass.

    Args:
        where: an op, whose name is put before the message (`'sdy.mesh' op ...`) as
            C++ `emitOpError` does, or a bare location.
        message: what is wrong, the value found and what was expected.

    Raises:
        PassFailure: always.
    """
    location, text = _place(where, message)
    location.emit_error(text)
    raise PassFailure(text)


def warn(where: HasLocation, message: str) -> None:
    """Emit a warning; the pass goes on."""
    _emit(Severity.WARNING, where, message)


def remark(where: HasLocation, message: str) -> None:
    """Emit a remark; the pass goes on."""
    _emit(Severity.REMARK, where, message)


def _emit(severity: Severity, where: HasLocation, message: str) -> None:
    location, text = _place(where, message)
    _sink.get()(diagnostic_at(severity, text, location))


def _place(where: HasLocation, message: str) -> tuple[ir.Location, str]:
    if isinstance(where, ir.Location):
        return where, message
    return where.location, f"'{where.operation.name}' op {message}"


@contextmanager
def capture(context: ir.Context, sink: Sink) -> Iterator[None]:
    """Send every diagnostic of `context`, and every `warn` and `remark`, to `sink`.

    An exception that `sink` raises leaves the block at its end: it cannot pass through
    MLIR, which calls the sink.
    """
    raised: list[BaseException] = []

    def handle(diagnostic: ir.Diagnostic) -> bool:
        try:
            sink(_convert(diagnostic))
        except BaseException as error:
            raised.append(error)
        return True

    previous = context.emit_error_diagnostics
    context.emit_error_diagnostics = True
    handler: Any = context.attach_diagnostic_handler(handle)
    token = _sink.set(sink)
    try:
        yield
    finally:
        _sink.reset(token)
        handler.detach()
        context.emit_error_diagnostics = previous
        if raised:
            raise raised[0]


_SEVERITIES = {
    ir.DiagnosticSeverity.ERROR: Severity.ERROR,
    ir.DiagnosticSeverity.WARNING: Severity.WARNING,
    ir.DiagnosticSeverity.NOTE: Severity.NOTE,
    ir.DiagnosticSeverity.REMARK: Severity.REMARK,
}


def _convert(diagnostic: ir.Diagnostic) -> Diagnostic:
    return diagnostic_at(
        _SEVERITIES[diagnostic.severity],
        diagnostic.message,
        diagnostic.location,
        tuple(_convert(note) for note in diagnostic.notes),
    )
