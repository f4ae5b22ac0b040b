"""Phases of agents that cannot be compiled, and what is wrong with them."""

from __future__ import annotations

import pytest

from sdykit.sparsecore.codegen import CodegenError, compile_module
from support.machine.programs import NEIGHBOURS, call


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "array<i64: 0, 0, 0, 1, 1, 1>",
            "array<i64: 0, 0, 0, 1, 1>",
            "'sparsecore.together' has the cores of 5 agents, and the phase has 6 iterations; "
            "expected constant bounds, and a core for each iteration",
        ),
        (
            "array<i64: 0, 0, 0, 1, 1, 1>",
            "array<i64: 0, 0, 0, 1, 1, 6>",
            "'sparsecore.together' has cores from 0 to 6; expected numbers from 0 on, below the "
            "number of agents, 6",
        ),
        (
            "array<i64: 0, 0, 0, 1, 1, 1>",
            "[0, 1]",
            "attribute 'sparsecore.together' is [0, 1]; expected an array<i64: ...>",
        ),
        (
            "%n = arith.constant 6 : index",
            "%n = memref.dim %y, %c0 : memref<?xi64>",
            "and the phase has a number that is not constant; expected constant bounds",
        ),
        (
            " {sparsecore.status}",
            "",
            "a phase of agents ends with a report if one fails; expected an argument with the "
            "attribute 'sparsecore.status'",
        ),
    ],
)
def test_a_wrong_phase_of_agents_is_an_error(old: str, new: str, message: str) -> None:
    text = NEIGHBOURS.replace(old, new)
    with pytest.raises(CodegenError) as caught:
        compile_module(text, cache=None)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("passed", "message"),
    [
        ("0, 1, 0", "expected 4 integers for each array, with semaphores below 2, the number in"),
        ("1, 2, -1, -1", "is [1, 2, -1, -1]; expected 4 integers for each array"),
        (
            "0, 2, 9, -1",
            "has the counts of 2 semaphores in argument 9, which is none; expected i32[2]",
        ),
        ("0, 2, -1, 0", "in argument 0, which is of type i64[8]; expected i32[2]"),
    ],
)
def test_semaphores_that_are_passed_wrongly_are_an_error(passed: str, message: str) -> None:
    marks = f"sparsecore.passed_semaphores = array<i64: {passed}>, sparsecore.together"
    made = f"sparsecore.semaphores = array<i64: 0, 0>, {marks}"
    text = NEIGHBOURS.replace("sparsecore.together", made, 1)
    with pytest.raises(CodegenError) as caught:
        compile_module(text, cache=None)
    assert message in str(caught.value)


BARRIER = call("sc_barrier", "core", "k3", "k0")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "func.call @other(%k3) : (i64) -> ()",
            "'func.call' op cannot be translated: 'sc_barrier' takes 3 operands, found 1",
        ),
        (
            "func.call @other(%k3, %y, %k3) : (i64, memref<?xi64>, i64) -> ()",
            "operand 1 of 'sc_barrier' is of type 'memref<?xi64>'; expected an integer",
        ),
        (
            "%r = func.call @other(%k3, %k3, %k3) : (i64, i64, i64) -> i64",
            "'sc_barrier' returns nothing; found i64",
        ),
        (
            "func.call @dma(%y, %k1, %k1) : (memref<?xi64>, i64, i64) -> ()",
            "'sc_dma' takes 14 or more operands, found 3",
        ),
        (
            "func.call @unknown(%k1) : (i64) -> ()",
            "the runtime has no function 'sc_unknown'; expected one of sc_barrier, sc_dma, ",
        ),
    ],
)
def test_a_wrong_call_is_an_error_with_its_line(line: str, message: str) -> None:
    name, types = line[line.index("@") + 1 : line.index("(")], line.split(" : ")[1]
    native = {"other": "sc_barrier", "dma": "sc_dma", "unknown": "sc_unknown"}[name]
    signature = types.removesuffix(" -> ()")
    declared = (
        f'func.func private @{name}{signature} attributes {{sparsecore.runtime = "{native}"}}'
    )
    with pytest.raises(CodegenError) as caught:
        compile_module(declared + NEIGHBOURS.replace(BARRIER, line), cache=None)
    assert message in str(caught.value)
    assert caught.value.location is not None


def test_functions_of_the_runtime_are_for_agents_only() -> None:
    text = NEIGHBOURS[: NEIGHBOURS.rindex("{sparsecore.together")] + "\nreturn\n}"
    with pytest.raises(CodegenError, match="'sc_barrier' is for agents; expected a phase with"):
        compile_module(text.replace(" {sparsecore.shared}", ""), cache=None)


def test_memory_is_shared_by_agents_only() -> None:
    text = NEIGHBOURS[: NEIGHBOURS.rindex("{sparsecore.together")] + "\nreturn\n}"
    with pytest.raises(CodegenError, match=r"'sparsecore\.shared' is for agents; expected a phase"):
        compile_module(text, cache=None)
