"""The page on code generation: its program runs, and its ops are those that are known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdykit.sparsecore.codegen import CodegenError, compile_module
from sdykit.sparsecore.codegen.emission.types import ELEMENTS, MAX_LANES
from sdykit.sparsecore.codegen.entry.function import ALIGNED, NOALIAS
from sdykit.sparsecore.codegen.translation import HANDLERS

PAGE = (Path(__file__).parents[4] / "docs" / "codegen.md").read_text()


def test_the_program_of_the_page_runs() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(program, {})


def test_the_page_lists_all_ops() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([a-z0-9_ ]+) \|$", PAGE, re.MULTILINE)
    named = [f"{dialect}.{op}" for dialect, ops in rows for op in ops.split()]
    assert named == sorted(HANDLERS)


def test_the_page_lists_all_types_and_attributes() -> None:
    table = PAGE.partition("| Type |")[2].partition("\n\n")[0]
    assert set(
        re.findall(r"`(\w+)`", re.sub(r"\| [^|]* \|$", "|", table, flags=re.MULTILINE))
    ) == set(ELEMENTS)
    assert f"up to {MAX_LANES} elements" in PAGE
    assert f"| `{NOALIAS}` |" in PAGE
    assert f"| `{ALIGNED}` |" in PAGE


def test_the_error_of_the_page_is_the_real_one() -> None:
    (text,) = re.findall(r"tile.mlir(:5:10: error: .*)", PAGE)
    program = """func.func @f() attributes {sparsecore.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %t = tensor.empty() : tensor<4xf32>
      }
      return
    }"""
    with pytest.raises(CodegenError) as caught:
        compile_module(program, cache=None)
    assert str(caught.value) == f"-{text}"
