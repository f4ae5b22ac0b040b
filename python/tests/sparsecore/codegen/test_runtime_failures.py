"""`sc_report`: a program ends with a report, and nothing after it runs."""

from __future__ import annotations

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
func.func private @fail(memref<8xi64>, i64, index, i64, i32, i1)
    attributes {sparsecore.runtime = "sc_report"}
func.func private @stop() attributes {sparsecore.stops}
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
      func.call @fail(%status, %kind, %i, %place, %minus, %is_bad)
          : (memref<8xi64>, i64, index, i64, i32, i1) -> ()
      func.call @stop() : () -> ()
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
    assert take_report(status) == [KIND, min(bad), PLACE, -5, 1]
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
    assert [each.written for each in program.interface.arguments] == [True, False, True]


def test_memory_is_bounded_when_nobody_takes_reports(program: Program) -> None:
    first, status = arrays(bad=(1,)), np.zeros(8, np.int64)
    run(program, first)
    for _ in range(1024):
        status, x, y = arrays(size=10, bad=(2,))
        run(program, [status, x, y])
    assert take_report(first[0]) == []
    assert take_report(status) == [KIND, 2, PLACE, -5, 1]


def test_an_object_from_the_cache_is_linked_with_the_runtime(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    text = FAILING.replace("@doubled", "@stored")
    compile_module(text, cache=cache)
    found = cache.load(keys.object_key(text))
    assert found is not None
    assert found.interface.calls_runtime
    status, x, y = arrays(bad=(4,))
    run(_program(found), [status, x, y])
    assert take_report(status) == [KIND, 4, PLACE, -5, 1]


CALL = """func.call @fail(%status, %kind, %i, %place, %minus, %is_bad)
          : (memref<8xi64>, i64, index, i64, i32, i1) -> ()"""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "func.call @fail(%status) : (memref<8xi64>) -> ()",
            "'sc_report' takes 4 or more operands, found 1",
        ),
        (
            "func.call @fail(%status, %kind, %place, %value) : (memref<8xi64>, i64, i64, f32) -> ()",
            "operand 3 of 'sc_report' is of type 'f32'; expected an integer",
        ),
        (
            "func.call @fail(%kind, %kind, %kind, %kind) : (i64, i64, i64, i64) -> ()",
            "operand 0 of 'sc_report' is of type 'i64'; expected a memref",
        ),
        (
            "%r = func.call @fail(%status, %kind, %kind, %kind)"
            " : (memref<8xi64>, i64, i64, i64) -> i64",
            "'sc_report' returns nothing; found i64",
        ),
    ],
)
def test_a_wrong_call_is_an_error_with_its_line(call: str, message: str) -> None:
    types = call[call.index(" : ") + 3 :].removesuffix(" -> ()")
    text = FAILING.replace(CALL, call)
    text = text.replace("@fail(memref<8xi64>, i64, index, i64, i32, i1)", f"@fail{types}")
    assert_error(text, f"'func.call' op cannot be translated: {message}")


def test_an_unknown_function_is_an_error_with_its_line() -> None:
    assert_error(
        FAILING.replace("sc_report", "sc_retort"), "the runtime has no function 'sc_retort'"
    )


def test_functions_of_agents_are_for_agents() -> None:
    text = FAILING.replace(CALL, "func.call @fail(%kind, %kind, %kind) : (i64, i64, i64) -> ()")
    text = text.replace("@fail(memref<8xi64>, i64, index, i64, i32, i1)", "@fail(i64, i64, i64)")
    assert_error(
        text.replace("sc_report", "sc_barrier"),
        "'sc_barrier' is for agents; expected a phase with 'sparsecore.together' around it",
    )


def assert_error(text: str, message: str) -> None:
    with pytest.raises(CodegenError) as caught:
        compile_module(text, cache=None)
    assert message in str(caught.value)
    assert caught.value.location is not None


def test_keys_cover_the_table_of_functions() -> None:
    assert any(name.endswith("runtime_functions.py") for name in keys._sources())
