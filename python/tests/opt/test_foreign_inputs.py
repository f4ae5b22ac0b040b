"""Inputs of a wrong kind: the error says what they look like, and what reads them."""

from __future__ import annotations

import pytest

HLO = "HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n"
MLIR = "module {\n  func.func private @f()\n}\n"

OF_BOTH = [
    ("<!DOCTYPE html>\n<html></html>", "HTML or XML"),
    ('{"a": 1}', "JSON"),
    ("import jax\n", "Python"),
    ('"""A docstring."""\n\ndef f(): pass\n', "Python"),
    ("; ModuleID = 'x'\n", "LLVM IR"),
    (b"\x1f\x8b\x08\x00", "a gzip archive"),
    (b"PK\x03\x04\xff", "a zip archive"),
    (b"BC\xc0\xde", "LLVM bitcode"),
    (b"\x7fELF\xff", "an ELF file"),
    (b"\n\x05hello\xff", "a protocol buffer of XLA"),
    ("{ lambda ; a:f32[8]. let in () }", "a jaxpr"),
]


@pytest.mark.parametrize(("content", "kind"), OF_BOTH)
def test_input_in_a_third_language_is_named(
    hlo_opt, driver, write, content: str | bytes, kind: str
):
    path = write("f", content)
    for tool, (code, out, err) in (("HLO text", hlo_opt(path)), ("MLIR", _of(driver(path)))):
        assert (code, out) == (1, "")
        assert err.count("error:") == 1
        assert f"note: this is not {tool}: it looks like {kind}" in err


def _of(result) -> tuple[int, str, str]:
    return result.code, result.out, result.err


def test_sdy_opt_notes_that_its_input_is_hlo_text(driver, write):
    for text in (HLO, HLO.partition("\n\n")[2], "// a comment\n%f (p: f32[]) -> f32[] {\n}\n"):
        assert driver(write("f", text)).err.endswith(
            "note: this is not MLIR: it looks like HLO text; hlo-opt reads it, and makes MLIR of it"
            " with --emit-mlir\n"
        )


def test_hlo_opt_notes_that_its_input_is_other_text(hlo_opt, write):
    code, _, err = hlo_opt(write("f", "hello world\n"))
    assert code == 1
    assert err.endswith(
        "note: this is not HLO text, which begins with 'HloModule' or a computation\n"
    )


def test_hlo_and_mlir_with_an_error_get_no_hint(hlo_opt, driver, write):
    assert "looks like" not in hlo_opt(write("f", HLO[:-3]))[2]
    assert "note:" not in hlo_opt(write("f", "main (p: f32[]) -> f32[] {\n  oops\n}\n"))[2]
    assert "looks like" not in driver(write("f", MLIR[:-3])).err
    assert "looks like" not in driver(write("f", "oops")).err


def test_names_that_xla_does_not_have_are_warnings(hlo_opt, write):
    text = HLO.replace("f32[]", "f33[]")
    code, out, err = hlo_opt(write("f", text))
    assert (code, out) == (0, text + "\n")
    assert "f:4:8: warning: XLA has no element type 'f33'; did you mean 'f32'?\n" in err
    text = text.replace("ROOT p", "p").replace("}", "  ROOT q = f33[] tanhh(p)\n}")
    code, out, err = hlo_opt(write("f", text))
    assert (code, out) == (0, text + "\n")
    assert "f:5:8: warning: XLA has no opcode 'tanhh'; did you mean 'tanh'?\n" in err
