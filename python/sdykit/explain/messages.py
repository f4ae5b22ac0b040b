"""What passes tell, with places in the user's files: they see a program as MLIR prints it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from sdykit.core import capture
from sdykit.core.diagnostics import Diagnostic, Severity, emit
from sdykit.errors import PassFailure, SdykitError
from sdykit.explain.source import Position, ProgramText


@contextmanager
def told_of(program: ProgramText) -> Iterator[None]:
    """Emit the warnings of passes in the block at places in the user's files.

    Raises:
        SdykitError: a pass failed; the text is its error, with its place there.
    """
    found: list[Diagnostic] = []
    try:
        with capture(program.module.context, found.append):
            yield
    except (PassFailure, SdykitError) as error:
        errors = [_text(program, each) for each in found if each.severity is Severity.ERROR]
        if not errors:
            raise
        raise SdykitError("\n".join(errors)) from error
    finally:
        for each in found:
            if each.severity is not Severity.ERROR:
                emit(_placed(program, each))


def _placed(program: ProgramText, diagnostic: Diagnostic) -> Diagnostic:
    location = diagnostic.location
    place = None if location is None else program.place(Position(location.line, location.column))
    notes = tuple(_placed(program, each) for each in diagnostic.notes)
    return replace(diagnostic, location=place, notes=notes)


def _text(program: ProgramText, diagnostic: Diagnostic) -> str:
    return f"{_placed(program, diagnostic).location or program.name}: {diagnostic.message}"
