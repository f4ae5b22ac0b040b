"""The text of diagnostics, as LLVM's source manager prints them: place, message, line, caret."""

from __future__ import annotations

import re
from dataclasses import replace

from sdykit.core import Diagnostic, FileLocation, Severity
from sdykit.opt.diagnostics.sources import Sources

_TAB = 8
_UNKNOWN = "loc(unknown)"
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Characters that change what a terminal does."""


def render(diagnostic: Diagnostic, sources: Sources) -> str:
    """Return the text of a diagnostic, of the calls that led to it, and of its notes."""
    parts = [_render_one(diagnostic, sources)]
    calls = [Diagnostic(Severity.NOTE, "called from", place) for place in diagnostic.callers]
    parts += [_render_one(call, sources) for call in calls]
    above = "" if diagnostic.callers else _where(diagnostic)
    for note in diagnostic.notes:
        # A note at the location of the message above it does not repeat the line.
        parts.append(_render_one(note, sources, excerpt=_where(note) != above))
        above = _where(note)
    return "".join(parts)


def _where(diagnostic: Diagnostic) -> str:
    return diagnostic.location_text or str(diagnostic.location or "")


def _render_one(diagnostic: Diagnostic, sources: Sources, excerpt: bool = True) -> str:
    place, message = diagnostic.location, diagnostic.message
    if place is None:
        if diagnostic.location_text not in ("", _UNKNOWN):
            message = f"{diagnostic.location_text}: {message}"
        return f"<unknown>:0: {diagnostic.severity.value}: {message}\n"
    text = f"{place}: {diagnostic.severity.value}: {message}\n"
    return text + render_excerpt(place, sources) if excerpt else text


def render_excerpt(place: FileLocation, sources: Sources, length: int = 1) -> str:
    """Return the source line of a place and, below it, a mark of `length` columns.

    Empty if there is no such line, or if it would change what a terminal does.
    """
    line = sources.line(place.file, place.line)
    if line is None or not 0 < place.column <= len(line) + 1 or _CONTROL.search(line):
        return ""
    indent = len(line[: place.column - 1].expandtabs(_TAB))
    mark = "^" + "~" * (length - 1)
    return f"{line.expandtabs(_TAB)}\n{' ' * indent}{mark}\n"


def renamed(diagnostic: Diagnostic, old: str, new: str) -> Diagnostic:
    """Return a diagnostic that names the file `new` where it and its notes named `old`."""
    place = diagnostic.location
    if place is not None and place.file == old:
        place = replace(place, file=new)
    notes = tuple(renamed(note, old, new) for note in diagnostic.notes)
    return replace(diagnostic, location=place, notes=notes)
