"""Programs whose counts do not follow from figures are errors."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.mlir import ir
from sdykit.sparsecore.counts import Statistics, count
from sdykit.sparsecore.counts import program as counting
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec

_PROGRAM = """
func.func @entry(%ids: memref<?xi32> {{sparsecore.name = "ids"}}) attributes {{sparsecore.entry}} {{
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%core) = (%c0) to (%c4) step (%c1) {{
    %n = arith.constant {{sparsecore.statistic = "three"}} 0 : index
    {body}
  }} {{sparsecore.axes = ["core"]}}
  return
}}
"""
_WRITE = "memref.store %one, %ids[%core] : memref<?xi32>"
_READ = "%x = memref.load %ids[%core] : memref<?xi32>\n %is = arith.cmpi eq, %x, %one : i32"
_WHILE = """
scf.while : () -> () {{
  {before}
  scf.condition(%is)
}} do {{
  {after}
  scf.yield
}} attributes {{{attributes}}}
"""
_TOTAL = 'sparsecore.total = "numbers"'


def counts_of(monkeypatch: pytest.MonkeyPatch, body: str, number: int) -> np.ndarray:
    """Return how often each SparseCore of a program writes, if it is the one that is built."""

    def build(context: ir.Context, spec: TileSpec) -> ir.Module:
        del spec
        return ir.Module.parse(_PROGRAM.format(body=body), context)

    monkeypatch.setattr(counting, "build_module", build)
    none = np.zeros((4, 1, 4, 16), np.int64)
    figures = {"three": np.full((1, 1, 1, 1), 3), "numbers": np.arange(4).reshape(4, 1, 1, 1)}
    statistics = Statistics(1, none[..., 0], none[..., 0], none, figures=figures)
    # Programs are kept by their specs.
    found = count(LookupSpec(dim=number, samples_per_core=7), statistics)
    return found.by("bytes written to ids", "core") // 4


def test_figures_and_bounds_say_how_often_ops_run(monkeypatch: pytest.MonkeyPatch) -> None:
    triangle = f"""scf.for %i = %c0 to %n step %c1 {{
      %more = arith.addi %i, %core : index
      scf.for %k = %c0 to %more step %c1 {{
        scf.for %l = %c0 to %k step %c1 {{ {_WRITE} }}
        %even = arith.remui %k, %c3 : index
        %is_even = arith.cmpi eq, %even, %c1 : index
        scf.if %is_even {{ {_WRITE} }}
      }}
    }}"""
    ran = [sum(k + (k % 3 == 1) for i in range(3) for k in range(i + core)) for core in range(4)]
    assert counts_of(monkeypatch, triangle, 101).tolist() == ran
    total = _WHILE.format(before=f"{_READ}\n{_WRITE}", after="", attributes=_TOTAL)
    assert counts_of(monkeypatch, total, 102).tolist() == [0, 1, 2, 3]
    columns = f"scf.for %i = %c0 to %c3 step %c1 {{ {total} }} {{sparsecore.columns}}"
    assert counts_of(monkeypatch, columns, 103).tolist() == [0, 3, 6, 9]
    around = f"scf.for %i = %c0 to %c3 step %c1 {{ {total} }}"
    assert counts_of(monkeypatch, around, 104).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            _WHILE.format(before=f"{_READ}\n{_WRITE}", after="", attributes=""),
            "ops in 'scf.while' run as often as data in memory decide; expected a loop with bounds, or the "
            "attribute 'sparsecore.total'",
        ),
        (
            _WHILE.format(before=f"{_READ}\n{_WRITE}", after=_WRITE, attributes=_TOTAL),
            "'sparsecore.total' of 'scf.while' does not say how often its condition runs; expected ops "
            "that count nothing there, or an op around them that has the attribute, too",
        ),
        (
            f"{_READ}\n scf.if %is {{ }} else {{ {_WRITE} }} {{{_TOTAL}}}",
            "'sparsecore.total' of 'scf.if' does not say how often its second branch runs; expected ops "
            "that count nothing there, or an op around them that has the attribute, too",
        ),
        (
            f"{_READ}\n %b = arith.index_cast %x : i32 to index\n"
            f"scf.for %i = %c0 to %b step %c1 {{ {_WRITE} }}",
            "a number that decides how often ops run comes from 'memref.load', which depends on what is in "
            "memory; expected arithmetic, or an op with the attribute 'sparsecore.statistic'",
        ),
    ],
)
def test_programs_that_depend_on_memory_are_errors(
    monkeypatch: pytest.MonkeyPatch, body: str, message: str
) -> None:
    with pytest.raises(SparseCoreError) as raised:
        counts_of(monkeypatch, body, 200 + len(body))
    assert str(raised.value) == f"counts: {message}"
