"""Real inputs: modules that JAX lowered, and every input of the lit tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdykit.mlir import ir
from support.comparison import PIPELINES, Comparison
from support.oracle import ours, parse

TESTS = Path(__file__).parents[1]
LOWERED = sorted((TESTS / "inputs").glob("*.mlir"))
LIT = sorted((TESTS.parents[1] / "lit_tests" / "sdy").glob("*.mlir"))


@pytest.fixture(scope="module")
def comparison() -> Iterator[Comparison]:
    with Comparison() as made:
        yield made
        print(made)


@pytest.mark.parametrize("path", LOWERED, ids=lambda path: path.stem)
def test_programs_of_jax_become_those_of_the_oracle(path: Path, comparison: Comparison) -> None:
    comparison.check(path.read_text())


@pytest.mark.parametrize("path", LIT, ids=lambda path: path.stem)
def test_inputs_of_lit_tests_become_those_of_the_oracle(path: Path, comparison: Comparison) -> None:
    chunks = re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)
    for chunk in filter(_parses, chunks):
        comparison.check(chunk)


def _parses(text: str) -> bool:
    """Return the inputs without those that test messages of the parser and the verifier."""
    try:
        return bool(text.strip()) and parse(text) is not None
    except ir.MLIRError:
        return False


BEYOND_THE_ORACLE = {
    "external function": """
        sdy.mesh @mesh = <["x"=2]>
        func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
        func.func @main(%arg0: tensor<8xf32>) {
          func.call @f(%arg0) : (tensor<8xf32>) -> ()
          return
        }""",
    "recursion": """
        func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
          %0 = func.call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
          return %0 : tensor<8xf32>
        }
        func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
          %c = stablehlo.constant dense<1.0> : tensor<8xf32>
          %0 = func.call @f(%c) : (tensor<8xf32>) -> tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
    "constraint on an argument of a block": """
        sdy.mesh @mesh = <["x"=2]>
        func.func @main() {
          %c = stablehlo.constant dense<1.0> : tensor<8xf32>
          cf.br ^bb1(%c, %c : tensor<8xf32>, tensor<8xf32>)
        ^bb1(%0: tensor<8xf32>, %1: tensor<8xf32>):
          %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
          return
        }""",
    "no functions": 'sdy.mesh @mesh = <["x"=2]>',
    "nothing": "",
}
"""What crashes the C++ passes, or some of them."""


@pytest.mark.parametrize("text", BEYOND_THE_ORACLE.values(), ids=BEYOND_THE_ORACLE)
def test_ours_does_not_crash_where_the_oracle_does(text: str) -> None:
    for pipeline in PIPELINES:
        assert not any("' raised " in error for error in ours(text, pipeline).errors)


def test_inputs_are_found() -> None:
    assert LOWERED
    assert LIT
