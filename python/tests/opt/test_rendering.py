from __future__ import annotations

from pathlib import Path

import pytest

from sdykit.core import Diagnostic, FileLocation, Severity
from sdykit.opt.diagnostics.rendering import render
from sdykit.opt.diagnostics.sources import Sources


@pytest.fixture
def sources() -> Sources:
    sources = Sources()
    sources.add("f.mlir", b"first\n\tsecond line\r\n\nlast")
    return sources


def at(line: int, column: int, **more: object) -> Diagnostic:
    place = FileLocation("f.mlir", line, column)
    text = f"loc({line}:{column})"
    return Diagnostic(Severity.ERROR, "bad", place, location_text=text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "column", "excerpt"),
    [
        (1, 1, "first\n^\n"),
        (1, 5, "first\n    ^\n"),
        (1, 6, "first\n     ^\n"),
        (1, 7, ""),
        (2, 2, "        second line\n        ^\n"),
        (2, 9, "        second line\n               ^\n"),
        (3, 1, "\n^\n"),
        (4, 4, "last\n   ^\n"),
        (5, 1, ""),
        (0, 0, ""),
    ],
)
def test_the_excerpt_marks_the_column(sources: Sources, line: int, column: int, excerpt: str):
    assert render(at(line, column), sources) == f"f.mlir:{line}:{column}: error: bad\n{excerpt}"


def test_a_message_without_a_place_has_no_excerpt(sources: Sources):
    assert render(Diagnostic(Severity.WARNING, "w", None), sources) == "<unknown>:0: warning: w\n"
    unknown = Diagnostic(Severity.ERROR, "e", None, location_text="loc(unknown)")
    assert render(unknown, sources) == "<unknown>:0: error: e\n"
    named = Diagnostic(Severity.ERROR, "e", None, location_text='loc("x")')
    assert render(named, sources) == '<unknown>:0: error: loc("x"): e\n'


def test_a_note_at_the_same_location_repeats_no_line(sources: Sources):
    note = at(1, 1)
    other = at(4, 1)
    assert render(at(1, 1, notes=(note, other)), sources) == (
        "f.mlir:1:1: error: bad\nfirst\n^\n"
        "f.mlir:1:1: error: bad\n"
        "f.mlir:4:1: error: bad\nlast\n^\n"
    )


def test_callers_are_notes_after_the_message(sources: Sources):
    callers = (FileLocation("f.mlir", 4, 1), FileLocation("none", 2, 3))
    assert render(at(1, 1, callers=callers), sources) == (
        "f.mlir:1:1: error: bad\nfirst\n^\n"
        "f.mlir:4:1: note: called from\nlast\n^\n"
        "none:2:3: note: called from\n"
    )


def test_other_files_are_read(sources: Sources, tmp_path: Path):
    path = tmp_path / "other.py"
    path.write_text("x = 1\n")
    place = FileLocation(str(path), 1, 5)
    assert render(Diagnostic(Severity.REMARK, "r", place), sources) == (
        f"{path}:1:5: remark: r\nx = 1\n    ^\n"
    )


def test_bytecode_has_no_lines(sources: Sources):
    sources.add("b", b"ML\xefR\0\n\n")
    assert sources.line("b", 1) is None
