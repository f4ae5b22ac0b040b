from __future__ import annotations

import pytest

from sdykit.core import Diagnostic, FileLocation, Severity
from sdykit.opt.diagnostics.sources import Sources
from sdykit.opt.diagnostics.verify_diagnostics import DiagnosticsChecker


def check(
    text: str, *emitted: tuple[str, int | None, str], only_expected: bool = False
) -> DiagnosticsChecker:
    """Check diagnostics, given as severity, line and message, against the comments of a text."""
    sources = Sources()
    sources.add("f", text.encode())
    checker = DiagnosticsChecker("f", sources, only_expected)
    for severity, line, message in emitted:
        place = FileLocation("f", line, 1) if line else None
        checker.check(Diagnostic(Severity(severity), message, place))
    return checker


MET = [
    ("x // expected-error {{boom}}", ("error", 1, "a boom here")),
    ("// expected-error@+1 {{boom}}\nx", ("error", 2, "boom")),
    ("// expected-error@+3{{boom}}\n\n\nx", ("error", 4, "boom")),
    ("x\n// expected-error@-1 {{boom}}", ("error", 1, "boom")),
    ("x\n// expected-error@above {{boom}}", ("error", 1, "boom")),
    ("// expected-error@below {{boom}}\nx", ("error", 2, "boom")),
    ("x\n// expected-remark {{r}}\n// expected-error@above {{boom}}", ("remark", 2, "r"), ("error", 1, "boom")),
    ("// expected-error@below {{boom}}\n// expected-note {{n}}\nx", ("error", 3, "boom"), ("note", 2, "n")),
    ("// expected-error@unknown {{boom}}", ("error", None, "boom")),
    ("x // expected-warning {{w}}", ("warning", 1, "w")),
    ("x // expected-remark   {{r}}", ("remark", 1, "r")),
    ("x // expected-note {{n}}", ("note", 1, "n")),
    ("x // expected-error {{}}", ("error", 1, "anything")),
    ("x // expected-error {{a.b}}", ("error", 1, "a.b")),
    ("x // expected-error {{{a}}}", ("error", 1, "{a}")),
    ("x // expected-error-re {{a.b {{[0-9]+}} c}}", ("error", 1, "a.b 12 c")),
    ("x // expected-error-re {{a{{b|c}}d}}", ("error", 1, "acd")),
    ("x // expected-error-re@+0 {{{{^a}}b}}", ("error", 1, "abc")),
    ("x // expected-error-re {{a{{[[:digit:]x]+}}b}}", ("error", 1, "a12xb")),
    ("x // expected-error {{a}} expected-note {{b}}", ("error", 1, "a"), ("note", 1, "b")),
    ("x // expected-error {{a}} // expected-error {{b}}", ("error", 1, "b"), ("error", 1, "a")),
    ("x // expected-error {{twice}}", ("error", 1, "twice"), ("error", 1, "twice")),
    ("x // expected-error {{a}}  ", ("error", 1, "a")),
    ("x", ),
]  # fmt: skip


@pytest.mark.parametrize("case", MET)
@pytest.mark.parametrize("only_expected", [False, True])
def test_met_expectations_print_nothing(
    case: tuple, only_expected: bool, capsys: pytest.CaptureFixture[str]
):
    text, *emitted = case
    assert check(text, *emitted, only_expected=only_expected).finish()
    assert capsys.readouterr().err == ""


UNMET = [
    ("x // expected-error {{boom}}",),
    ("x // expected-error {{boom}}", ("error", 1, "bom")),
    ("x // expected-error {{boom}}", ("warning", 1, "boom")),
    ("x // expected-error {{boom}}", ("error", 2, "boom")),
    ("x // expected-error {{boom}}", ("error", None, "boom")),
    ("// expected-error@unknown {{boom}}", ("error", 1, "boom")),
    ("x // expected-error {{a.b}}", ("error", 1, "axb")),
    ("x // expected-error-re {{a.b}}", ("error", 1, "axb")),
    ("x // expected-error-re {{a{{b}}c}}", ("error", 1, "ab")),
    ("x // expected-error {{a}} expected-error {{b}}", ("error", 1, "a")),
    ("x // expected-error {{a}}\ny // expected-error {{a}}", ("error", 1, "a")),
    ("x // expected-error {{same}} expected-error {{same}}", ("error", 1, "same")),
    ("// expected-error@above {{boom}}", ("error", 1, "boom")),
    ("x // expected-error-re {{a{{(}}}}", ("error", 1, "a(")),
    ("x // expected-error-re {{a{{b}}", ("error", 1, "a{{b")),
]


@pytest.mark.parametrize("case", UNMET)
def test_unmet_expectations_fail(case: tuple, capsys: pytest.CaptureFixture[str]):
    text, *emitted = case
    assert not check(text, *emitted).finish()
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize("severity", ["error", "warning", "remark", "note"])
def test_an_unexpected_diagnostic_is_reported(severity: str, capsys: pytest.CaptureFixture[str]):
    assert not check("one line", (severity, 1, "boom")).finish()
    assert capsys.readouterr().err == f"f:1:1: error: unexpected {severity}: boom\none line\n^\n"


@pytest.mark.parametrize("severity", ["error", "warning", "remark", "note"])
def test_only_expected_lets_others_pass(severity: str):
    assert check("one line", (severity, 1, "boom"), only_expected=True).finish()


def test_an_expectation_that_nothing_matches_is_reported(capsys: pytest.CaptureFixture[str]):
    assert not check("x // expected-warning@+1 {{some text}}").finish()
    assert capsys.readouterr().err == (
        'f:1:6: error: expected warning "some text" was not produced\n'
        "x // expected-warning@+1 {{some text}}\n"
        "     ^~~~~~~~~\n"
    )


def test_a_diagnostic_of_another_severity_is_reported(capsys: pytest.CaptureFixture[str]):
    check("x // expected-warning {{boom}}", ("error", 1, "boom"))
    assert capsys.readouterr().err == (
        "f:1:6: error: 'error' diagnostic emitted when expecting a 'warning'\n"
        "x // expected-warning {{boom}}\n"
        "     ^\n"
    )


@pytest.mark.parametrize(
    "text",
    ["// expected-error {{open", "// expected-error@here {{x}}", "// expected-error {{x}} more"],
)
def test_malformed_expectations_get_a_warning(text: str, capsys: pytest.CaptureFixture[str]):
    assert check(text).finish()
    assert "f:1:1: warning: this is not an expectation" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["// expected errors", "// expected-error is a word", "unexpected"]
)
def test_prose_is_no_expectation(text: str, capsys: pytest.CaptureFixture[str]):
    assert check(text).finish()
    assert capsys.readouterr().err == ""


def test_notes_are_checked_but_the_current_op_is_not():
    sources = Sources()
    sources.add("f", b"x // expected-error {{e}}\ny // expected-note {{n}}")
    checker = DiagnosticsChecker("f", sources, only_expected=False)
    place = FileLocation("f", 1, 1)
    notes = (
        Diagnostic(Severity.NOTE, "see current operation: ...", place),
        Diagnostic(Severity.NOTE, "n", FileLocation("f", 2, 1)),
    )
    checker.check(Diagnostic(Severity.ERROR, "e", place, notes))
    assert checker.finish()


def test_expectations_of_other_files_are_read(tmp_path):
    other = tmp_path / "other.mlir"
    other.write_text("// expected-error@below {{there}}\nx\n// expected-error {{not met}}\n")
    checker = check("nothing here")
    checker.check(Diagnostic(Severity.ERROR, "there", FileLocation(str(other), 2, 1)))
    assert not checker.failed
    assert not checker.finish()
