"""`sc_fail`: a program ends with a report, from ordinary phases, and nothing after it runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from sdykit.sparsecore.codegen import (
    CodegenError,
    ObjectCache,
    Program,
    compile_module,
    run,
    take_report,
)
from sdykit.sparsecore.codegen.cache import keys
from sdykit.sparsecore.codegen.compiler import _program

KIND, PLACE = 7, 3

FAILING = """
func.func private @fail(i64, i64, index, i32, i1) attributes {sparsecore.runtime = "sc_fail"}
func.func @doubled(%status: memref<8xi64> {sparsecore.status}, %x: memref<?xf32>, %y: memref<?xf32>)
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %own = memref.alloca() : memref<4xf32>
    %value = memref.load %x[%i] : memref<?xf32>
    %is_bad = arith.cmpf olt, %value, %zero : f32
    scf.if %is_bad {
      %kind = arith.constant 7 : i64
      %place = arith.constant 3 : i64
      %minus = arith.constant -5 : i32
      func.call @fail(%kind, %place, %i, %minus, %is_bad) : (i64, i64, index, i32, i1) -> ()
    }
    %two = arith.addf %value, %value : f32
    memref.store %two, %own[%c1] : memref<4xf32>
    %back = memref.load %own[%c1] : memref<4xf32>
    memref.store %back, %y[%i] : memref<?xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %value = memref.load %y[%i] : memref<?xf32>
    %more = arith.addf %value, %value : f32
    memref.store %more, %y[%i] : memref<?xf32>
  }
  return
}
"""


def arrays(size: int = 1000, bad: tuple[int, ...] = ()) -> list[np.ndarray]:
    x = np.arange(size, dtype=np.float32)
    x[list(bad)] = -1
    return [np.zeros(8, np.int64), x, np.full(size, np.nan, np.float32)]


@pytest.fixture(scope="module")
def program() -> Program:
    return compile_module(FAILING, cache=None)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("bad", [(0,), (500,), (999,), (998, 700, 999)])
def test_a_failure_ends_the_run_with_the_report_of_the_lowest_iteration(
    program: Program, bad: tuple[int, ...], threads: int
) -> None:
    status, x, y = arrays(bad=bad)
    run(program, [status, x, y], threads)
    assert take_report(status) == [KIND, min(bad), PLACE, min(bad), -5, 1]
    assert take_report(status) == []
    assert np.array_equal(y[: min(bad)], 2 * x[: min(bad)])
    assert np.isnan(y[min(bad)])


def test_without_a_failure_all_phases_run(program: Program) -> None:
    status, x, y = arrays()
    run(program, [status, x, y], threads=2)
    assert not status.any()
    assert take_report(status) == []
    assert np.array_equal(y, 4 * x)


def test_only_what_the_program_stores_to_is_written(program: Program) -> None:
    assert [each.written for each in program.interface.arguments] == [False, False, True]


def test_memory_is_bounded_when_nobody_takes_reports(program: Program) -> None:
    first = arrays(bad=(1,))
    run(program, first)
    for _ in range(1024):
        status, x, y = arrays(bad=(2,))
        run(program, [status, x, y])
    assert take_report(first[0]) == []
    assert take_report(status) == [KIND, 2, PLACE, 2, -5, 1]


def test_an_object_from_the_cache_is_linked_with_the_runtime(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    text = FAILING.replace("@doubled", "@stored")
    compile_module(text, cache=cache)
    found = cache.load(keys.object_key(text))
    assert found is not None
    assert found.interface.calls_runtime
    status, x, y = arrays(bad=(4,))
    run(_program(found), [status, x, y])
    assert take_report(status) == [KIND, 4, PLACE, 4, -5, 1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"sc_fail"',
            '"sc_fall"',
            "the runtime has no function 'sc_fall'; expected one of sc_",
        ),
        (
            "memref<8xi64> {sparsecore.status}",
            "memref<8xi64>",
            "the program calls the runtime; expected an argument with the attribute "
            "'sparsecore.status', in which failures are reported",
        ),
        (
            "(%kind, %place, %i, %minus, %is_bad) : (i64, i64, index, i32, i1)",
            "(%kind) : (i64)",
            "'sc_fail' takes 2 or more operands, found 1",
        ),
        (
            "(%kind, %place, %i, %minus, %is_bad) : (i64, i64, index, i32, i1)",
            "(%kind, %place, %value) : (i64, i64, f32)",
            "operand 2 of 'sc_fail' is of type 'f32'; expected an integer",
        ),
        (
            "(%kind, %place, %i, %minus, %is_bad) : (i64, i64, index, i32, i1)",
            "(%kind, %x) : (i64, memref<?xf32>)",
            "operand 1 of 'sc_fail' is of type 'memref<?xf32>'; expected an integer",
        ),
        (
            "func.call @fail(%kind, %place, %i, %minus, %is_bad) : (i64, i64, index, i32, i1) -> ()",
            "%r = func.call @fail(%kind, %place) : (i64, i64) -> i64",
            "'sc_fail' returns nothing; found i64",
        ),
    ],
)
def test_a_wrong_call_is_an_error_with_its_line(old: str, new: str, message: str) -> None:
    text = FAILING.replace(old, new)
    assert text != FAILING
    types = re.search(r"func.call @fail\([^)]*\) : (\(.*\)) -> (.*)", text)
    assert types is not None
    result = "" if types[2] == "()" else f" -> {types[2]}"
    text = text.replace("@fail(i64, i64, index, i32, i1)", f"@fail{types[1]}{result}")
    with pytest.raises(CodegenError) as caught:
        compile_module(text, cache=None)
    assert message in str(caught.value)
    assert caught.value.location is not None


def test_keys_cover_the_table_of_functions() -> None:
    assert any(name.endswith("runtime_functions.py") for name in keys._sources())
