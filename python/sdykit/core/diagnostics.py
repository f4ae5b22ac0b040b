"""Located diagnostics: `fail`, `warn` and `remark` emit them, `capture` collects them.

MLIR's Python bindings can emit errors only. So errors go through MLIR's own diagnostic
engine, warnings and remarks through a channel of ours; a `capture` block receives both as
`Diagnostic`s, in the order in which they were emitted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NoReturn, cast

from sdykit.errors import FileLocation, PassFailure
from sdykit.mlir import ir

HasLocation = ir.Operation | ir.OpView | ir.Location


class Severity(Enum):
    """How serious a diagnostic is; the value is the word that is printed."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message, with the notes that explain it."""

    severity: Severity
    message: str
    location: FileLocation | None
    notes: tuple[Diagnostic, ...] = ()
    callers: tuple[FileLocation, ...] = ()
    """The calls through which the code at `location` was reached, innermost first."""
    location_text: str = ""
    """The whole location as MLIR prints it, such as `loc("name")`."""
    once: str = ""
    """A key: of diagnostics with the same one, a run of a driver shows only the first."""

    def __str__(self) -> str:
        return f"{self.location or '<unknown>'}: {self.severity.value}: {self.message}"


Sink = Callable[[Diagnostic], None]


def print_diagnostic(diagnostic: Diagnostic) -> None:
    """Print a diagnostic and its notes to stderr; this is the sink outside of any `capture`."""
    for line in (diagnostic, *diagnostic.notes):
        print(line, file=sys.stderr)


_sink: ContextVar[Sink] = ContextVar("sdykit_diagnostic_sink", default=print_diagnostic)


def file_location(location: ir.Location) -> FileLocation | None:
    """Return the position in a file of a location, as MLIR's source manager finds it.

    A named location has that of its child, a call site that of the callee, a fused location that of
    its first part that has one.
    """
    for part in _parts(location, _all_children):
        if isinstance(part, ir.FileLineColLoc):
            return FileLocation(part.filename, part.start_line, part.start_col)
    return None


def nearest_location(op: ir.Operation) -> ir.Location:
    """Return the location of an op, or the nearest one with a position in a file, if it has none.

    In programs from JAX, arguments and what the compiler adds have names without a file. The
    nearest locations are those in the regions of the op, then those of its operands and of its
    users, then the same of its parents.
    """
    around: ir.Operation | None = op
    while around is not None:
        for location in _locations_near(around):
            if file_location(location) is not None:
                return location
        around = _parent(around)
    return op.location


def _parent(op: ir.Operation) -> ir.Operation | None:
    try:
        parent = op.parent
    except ValueError:  # The op is detached: a module that is a copy.
        return None
    return parent.operation if parent is not None else None


def place(op: ir.Operation) -> str:
    """Return the place of an op, or the nearest known one, as `file:line:column`."""
    return str(file_location(nearest_location(op)) or "<unknown>")


def _locations_near(op: ir.Operation) -> Iterator[ir.Location]:
    yield op.location
    for region in op.regions:
        for block in region.blocks:
            yield from (inner.location for inner in block.operations)
    for operand in op.operands:
        yield operand.location
    for result in op.results:
        for use in result.uses:
            yield use.owner.location


def call_stack(location: ir.Location) -> tuple[FileLocation, ...]:
    """Return the positions of the calls around a location, innermost first."""
    stack = []
    call = _call_site(location)
    while call is not None:
        place = file_location(call.caller)
        if place:
            stack.append(place)
        call = _call_site(call.caller)
    return tuple(stack)


def _call_site(location: ir.Location) -> ir.CallSiteLoc | None:
    parts = _parts(location, _own_children)
    return next((part for part in parts if isinstance(part, ir.CallSiteLoc)), None)


def _own_children(location: ir.Location) -> list[ir.Location]:
    if isinstance(location, ir.NameLoc):
        return [location.child_loc]
    if isinstance(location, ir.FusedLoc):
        return cast("list[ir.Location]", location.locations)
    return []


def _all_children(location: ir.Location) -> list[ir.Location]:
    if isinstance(location, ir.CallSiteLoc):
        return [location.callee, location.caller]
    return _own_children(location)


def _parts(
    location: ir.Location, children: Callable[[ir.Location], list[ir.Location]]
) -> Iterator[ir.Location]:
    """Yield a location and those within it, outer before inner; nesting may be deep."""
    pending = [location]
    while pending:
        part = pending.pop()
        yield part
        pending += reversed(children(part))


def diagnostic_at(
    severity: Severity,
    message: str,
    location: ir.Location,
    notes: tuple[Diagnostic, ...] = (),
) -> Diagnostic:
    """Return a diagnostic at an MLIR location."""
    place, callers = file_location(location), call_stack(location)
    return Diagnostic(severity, message, place, notes, callers, str(location))


def fail(where: HasLocation, message: str) -> NoReturn:
    """Emit an error and leave the pass.

    Args:
        where: an op, whose name is put before the message (`'sdy.mesh' op ...`) as
            `emitOpError` in C++ does, or a location alone.
        message: what is wrong, the value found and what was expected.

    Raises:
        PassFailure: always.
    """
    location, text = _place(where, message)
    location.emit_error(text)
    raise PassFailure(text)


def warn(where: HasLocation, message: str, *, once: str = "", note: str = "") -> None:
    """Emit a warning; the pass continues.

    Args:
        where: an op or a location; see `fail`.
        message: what may be wrong.
        once: a key: of warnings with the same one, a run of a driver, maybe over many modules,
            shows only the first. Empty: it shows all.
        note: a note at the same place; "": none.
    """
    _emit(Severity.WARNING, where, message, once, note)


def remark(where: HasLocation, message: str) -> None:
    """Emit a remark; the pass continues."""
    _emit(Severity.REMARK, where, message)


def emit(diagnostic: Diagnostic) -> None:
    """Send a diagnostic to the current sink, as passes do; no pass fails."""
    _sink.get()(diagnostic)


@contextmanager
def sent_to(sink: Sink) -> Iterator[None]:
    """Send the diagnostics of `emit`, `warn` and `remark` to `sink`, but not those of MLIR."""
    token = _sink.set(sink)
    try:
        yield
    finally:
        _sink.reset(token)


def _emit(
    severity: Severity, where: HasLocation, message: str, once: str = "", note: str = ""
) -> None:
    location, text = _place(where, message)
    notes = (diagnostic_at(Severity.NOTE, note, location),) if note else ()
    emit(replace(diagnostic_at(severity, text, location), once=once, notes=notes))


def _place(where: HasLocation, message: str) -> tuple[ir.Location, str]:
    if isinstance(where, ir.Location):
        return where, message
    return where.location, f"'{where.operation.name}' op {message}"


@contextmanager
def capture(context: ir.Context, sink: Sink) -> Iterator[None]:
    """Send every diagnostic of `context`, and every `warn` and `remark`, to `sink`.

    An exception that `sink` raises is raised at the end of the block: it cannot propagate through
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
    try:
        with sent_to(sink):
            yield
    finally:
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
        _message(diagnostic),
        diagnostic.location,
        tuple(_convert(note) for note in diagnostic.notes),
    )


def _message(diagnostic: ir.Diagnostic) -> str:
    try:
        return diagnostic.message
    except RuntimeError:  # The message has bytes of corrupt bytecode that are not UTF-8.
        return "(a message that is not UTF-8)"
