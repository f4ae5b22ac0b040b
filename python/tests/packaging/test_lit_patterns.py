"""Patterns in `lit_tests` that LLVM's FileCheck rejects, and PyPI's takes as text."""

from __future__ import annotations

import re
from pathlib import Path

LIT_TESTS = Path(__file__).parents[3] / "lit_tests"
_CHECK = re.compile(r"\s*(?://|#)\s*[A-Z][\w-]*:")
_REGEX = re.compile(r"\{\{.*?\}\}")
_VARIABLE = re.compile(r"\[\[(?!#|[$@]?[A-Za-z_]\w*(?::|\]\]))")
"""Two brackets that begin no variable."""


def wrong_lines(text: str) -> list[int]:
    return [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if _CHECK.match(line) and _VARIABLE.search(_REGEX.sub("", line))
    ]


def test_two_brackets_begin_a_variable() -> None:
    files = [path for path in LIT_TESTS.rglob("*") if path.suffix in (".mlir", ".hlo", ".test")]
    assert len(files) > 100
    wrong = [f"{path}:{line}" for path in files for line in wrong_lines(path.read_text())]
    assert not wrong, "write {{\\[}}[ for two brackets that are no variable"


def test_what_is_wrong_is_found() -> None:
    text = "// CHECK: [[{name}], %[[A:.*]]\n// CHECK-SAME: {{\\[}}[{name}]\n// RUN: x\n[[0]]\n"
    assert wrong_lines(text) == [1]
    assert wrong_lines("// CHECK: [[$A]] [[#N]] [[_b]]\n# HLO-NEXT: [[0, 1]]\n") == [2]
