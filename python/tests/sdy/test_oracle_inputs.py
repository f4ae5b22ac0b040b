"""Real inputs: modules that JAX lowered, and every input of the lit tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from comparison import Comparison
from oracle import parse
from sdykit.mlir import ir

TESTS = Path(__file__).parents[1]
LOWERED = sorted((TESTS / "inputs").glob("*.mlir"))
LIT = sorted((TESTS.parents[1] / "lit_tests" / "sdy").glob("*.mlir"))


@pytest.fixture(scope="module")
def comparison() -> Iterator[Comparison]:
    with Comparison() as made:
        yield made
        print(made)


@pytest.mark.parametrize("path", LOWERED, ids=lambda path: path.stem)
def test_lowered_by_jax(path: Path, comparison: Comparison) -> None:
    comparison.check(path.read_text())


@pytest.mark.parametrize("path", LIT, ids=lambda path: path.stem)
def test_lit_inputs(path: Path, comparison: Comparison) -> None:
    chunks = re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)
    for chunk in filter(_parses, chunks):
        comparison.check(chunk)


def _parses(text: str) -> bool:
    """Leave out what only tests the messages of the parser and the verifier."""
    try:
        return bool(text.strip()) and parse(text) is not None
    except ir.MLIRError:
        return False


def test_there_are_inputs() -> None:
    assert LOWERED
    assert LIT
