from __future__ import annotations

import pytest

from sdykit.core import Diagnostic, Registry
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.opt.flags.mlir import FLAGS, IGNORED, UNAVAILABLE
from sdykit.opt.mlir import parsing, roundtrip

FUNCTION = "func.func private @f()\n"


def test_help_names_everything(driver):
    text = driver("--help").out
    for flag in FLAGS:
        assert flag.usage in text
    for name in (*Registry().names(), *UPSTREAM_PASSES, *IGNORED, *UNAVAILABLE):
        assert f"--{name}" in text
    assert max(map(len, text.splitlines())) <= 100


def test_help_fits_a_narrow_terminal(driver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "60")
    wide = [line for line in driver("--help").out.splitlines() if len(line) > 60]
    # An example is not broken, nor is what has no blank to break it at.
    assert all(line.startswith(("  sdy-opt ", "  --")) or " " not in line.strip() for line in wide)


@pytest.mark.parametrize("name", UNAVAILABLE)
def test_unavailable_flags_say_why(driver, name: str):
    result = driver(f"-{name}=x")
    assert result.code == 1
    assert result.err == f"sdy-opt: error: '-{name}=x' is not available: {UNAVAILABLE[name]}\n"


@pytest.mark.parametrize("name", IGNORED)
def test_ignored_flags_are_accepted(driver, write, name: str):
    assert driver(f"--{name}", write("f", FUNCTION)).code == 0


def test_information_comes_before_the_input(driver, tmp_path):
    for flag in ("--help", "--version", "--list-passes", "--show-dialects"):
        assert driver(tmp_path / "none", flag).code == 0


def test_near_misses_do_not_fail(driver, write):
    path = write("f", FUNCTION + "// ----\n")
    result = driver(path, "-split-input-file")
    assert result.code == 0
    assert result.err == (
        f"{path}:2:7: warning: near miss with file split marker\n// ----\n      ^\n"
    )


def test_exceptions_of_the_parser_become_diagnostics():
    found: list[Diagnostic] = []
    with pytest.raises(parsing.ParseError), parsing._errors_to(found.append):
        raise ValueError("SmallVector unable to grow")
    assert found[0].message == (
        "the input is not valid, and MLIR says of it only: SmallVector unable to grow"
    )


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([b"oops"], "round trip: the printed text cannot be read"),
        (
            [b"module {}", b"a\n b\n", b"a\n c\n"],
            "round trip: text reads back as something else: 'b' became 'c'",
        ),
        ([b"module {}", b"a\n", b"a\nb\n"], "text reads back as something else: it ends elsewhere"),
        (
            [b"module {}", b"a", b"a", b"a", b"b"],
            "round trip: bytecode reads back as something else: 'a' became 'b'",
        ),
    ],
)
def test_a_round_trip_that_changes_the_op_is_an_error(
    driver, write, monkeypatch: pytest.MonkeyPatch, texts: list[bytes], message: str
):
    left = list(texts)
    monkeypatch.setattr(roundtrip, "_asm", lambda _: left.pop(0))
    result = driver(write("f", FUNCTION), "-verify-roundtrip")
    assert result.code == 1
    assert message in result.err
    assert result.out == ""
