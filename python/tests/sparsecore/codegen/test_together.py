"""Phases of agents: memory, order, semaphores, barriers, and how runs end."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

from sdykit.sparsecore.codegen import CodegenError, compile_module
from support.bridge.ffi_programs import run_python
from support.machine.programs import LOCKSTEP, SUBCORE, agents, call, run_agents, splitmix

ORDERS = [LOCKSTEP, SUBCORE, 0, 1, 12345]
ROW = "memref<{}xi64>"
SEMAPHORES = 5 << 48
"""The number of the first semaphore of an agent, in reports."""

NEIGHBOURS = agents(
    f"""
    %shared = memref.alloc() {{sparsecore.shared}} : memref<3xi64>
    %own = memref.alloc() : memref<2xi64>
    memref.store %v, %own[%c1] : memref<2xi64>
    %three = arith.constant 3 : index
    %core = arith.divui %v, %k3 : i64
    %at = arith.remui %i, %three : index
    memref.store %v, %shared[%at] : memref<3xi64>
    {call("sc_barrier", "core", "k3", "k0")}
    %next = arith.addi %at, %c1 : index
    %there = arith.remui %next, %three : index
    %a = memref.load %shared[%there] : memref<3xi64>
    %b = memref.load %own[%c1] : memref<2xi64>
    %ten = arith.constant 10 : i64
    %c = arith.muli %a, %ten : i64
    %d = arith.addi %c, %b : i64
    memref.store %d, %y[%i] : memref<?xi64>
    """,
    cores=[0, 0, 0, 1, 1, 1],
)


@pytest.mark.parametrize("order", ORDERS)
def test_agents_have_memory_of_their_own_and_share_that_of_their_core(order: int) -> None:
    expected = [10 * (3 * (i // 3) + (i + 1) % 3) + i for i in range(6)]
    assert run_agents(NEIGHBOURS, 6, order, threads=3).y == expected


# Each agent appends its number to y at each of its three turns; y[12] is the last place.
TRACE = agents(
    f"""
    %last = arith.constant 12 : index
    %turns = arith.constant 3 : index
    scf.for %t = %c0 to %turns step %c1 {{
      %before = memref.load %y[%last] : memref<?xi64>
      %now = arith.addi %before, %k1 : i64
      %place = arith.index_cast %now : i64 to index
      memref.store %now, %y[%last] : memref<?xi64>
      memref.store %v, %y[%place] : memref<?xi64>
      {call("sc_wait", "k0", "k0", "k0", "k0")}
    }}
    """,
    cores=[0] * 4,
    places=[-1],
)


def drawn(seed: int) -> list[int]:
    """The order of 4 agents that take 3 turns and then end, by a seed."""
    left, found, state = dict.fromkeys(range(4), 4), [], seed
    while left:
        state, number = splitmix(state)
        agent = sorted(left)[number % len(left)]
        left[agent] -= 1
        if left[agent] == 0:
            del left[agent]  # In its last turn it ends, and writes nothing.
        else:
            found.append(agent)
    return found


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_agents_is_the_one_that_is_asked_for(order: int) -> None:
    expected = {LOCKSTEP: [0, 1, 2, 3] * 3, SUBCORE: [*[0] * 3, *[1] * 3, *[2] * 3, *[3] * 3]}
    assert run_agents(TRACE, 13, order).y[:12] == expected.get(order, drawn(max(order, 0)))


PIPELINE = agents(
    f"""
    %first = arith.cmpi eq, %v, %k0 : i64
    %last_agent = arith.subi %count, %k1 : i64
    %is_last = arith.cmpi eq, %v, %last_agent : i64
    scf.if %first {{ }} else {{
      {call("sc_wait", "k1", "k5", "k0", "k1")}
    }}
    %before = arith.subi %i, %c1 : index
    %from = arith.select %first, %i, %before : index
    %value = memref.load %y[%from] : memref<?xi64>
    %more = arith.addi %value, %k3 : i64
    memref.store %more, %y[%i] : memref<?xi64>
    scf.if %is_last {{ }} else {{
      %to = arith.addi %v, %k1 : i64
      {call("sc_signal", "k1", "k2", "to", "k2")}
      {call("sc_signal", "k1", "k3", "to", "k2")}
    }}
    """,
    cores=[0, 0, 1, 1, 1, 1, 1],
    places=[11, 12],
)


@pytest.mark.parametrize("order", ORDERS)
def test_a_wait_ends_when_the_semaphore_of_the_agent_has_enough(order: int) -> None:
    result = run_agents(PIPELINE, 7, order)
    assert result.y == [2, 5, 8, 11, 14, 17, 20]
    assert result.report == []


def test_1000_shuffled_orders_give_the_same() -> None:
    program = compile_module(PIPELINE, cache=None)
    for seed in range(1000):
        assert run_agents(program, 7, seed).y == [2, 5, 8, 11, 14, 17, 20]


def test_what_is_left_on_a_semaphore_is_reported() -> None:
    text = PIPELINE.replace(
        call("sc_wait", "k1", "k5", "k0", "k1"), call("sc_wait", "k1", "k4", "k0", "k1")
    )
    # SemaphoreNotZero: agent, the line that made it, the kernel's end, what it has, no transfer, the
    # line of the last signal, and which it is.
    assert run_agents(text, 7).report == [5, 1, 12, 0, 1, -1, 2, SEMAPHORES + 1]


def test_a_check_of_semaphores_reports_those_of_the_agent() -> None:
    body = f"""
    {call("sc_signal", "k2", "v", "minus", "k0")}
    {call("sc_sem_check", "k1", "k2", "k7")}
    """
    report = run_agents(agents(body, [0] * 3, places=[-1] * 4), 1).report
    assert report == [5, 1, 7, 1, 1, -1, 0, SEMAPHORES + 2]


@pytest.mark.parametrize("order", ORDERS)
def test_fetch_and_add_changes_the_word_of_another_agent(order: int) -> None:
    body = f"""
    %word = memref.alloc() : memref<2xi32>
    %zero = arith.constant 0 : i32
    memref.store %zero, %word[%c1] : memref<2xi32>
    {call("sc_barrier", "k0", "count", "k0")}
    %part = memref.subview %word[1] [1] [1] : memref<2xi32> to memref<1xi32, strided<[1], offset: 1>>
    %more = arith.addi %v, %k1 : i64
    %old = func.call @add(%part, %k2, %more, %k0)
        : (memref<1xi32, strided<[1], offset: 1>>, i64, i64, i64) -> i64
    memref.store %old, %y[%i] : memref<?xi64>
    {call("sc_barrier", "k0", "count", "k0")}
    %is_two = arith.cmpi eq, %v, %k2 : i64
    scf.if %is_two {{
      %sum = memref.load %word[%c1] : memref<2xi32>
      %wide = arith.extsi %sum : i32 to i64
      memref.store %wide, %y[%n] : memref<?xi64>
    }}
    """
    add = (
        "func.func private @add(memref<1xi32, strided<[1], offset: 1>>, i64, i64, i64) -> i64"
        ' attributes {sparsecore.runtime = "sc_fetch_and_add"}'
    )
    *old, total = run_agents(agents(body, [0] * 5, declarations=add), 6, order).y
    # Each saw what those before it had added: agent k adds k + 1.
    expected = 0
    for seen, agent in sorted((seen, agent) for agent, seen in enumerate(old)):
        assert seen == expected
        expected += agent + 1
    assert total == expected == 15


def test_a_semaphore_is_taken_whole() -> None:
    body = f"""
    {call("sc_signal", "k0", "k7", "minus", "k0")}
    {call("sc_sem_take", "k0", result="taken")}
    {call("sc_sem_read", "k0", "k0", result="left")}
    %both = arith.muli %left, %k9 : i64
    %sum = arith.addi %both, %taken : i64
    memref.store %sum, %y[%i] : memref<?xi64>
    """
    assert run_agents(agents(body, [0, 0], places=[-1]), 2).y == [7, 7]


@pytest.mark.parametrize("order", ORDERS)
def test_an_agent_may_poll_until_another_one_signals(order: int) -> None:
    body = f"""
    %is_first = arith.cmpi eq, %v, %k0 : i64
    scf.if %is_first {{
      %seen = scf.for %t = %c0 to %n step %c1 iter_args(%old = %k0) -> i64 {{
        {call("sc_sem_read", "k0", "k0", result="now")}
        scf.yield %now : i64
      }}
      memref.store %seen, %y[%c0] : memref<?xi64>
      {call("sc_wait", "k0", "k1", "k0", "k0")}
    }} else {{
      {call("sc_signal", "k0", "k1", "k0", "k0")}
    }}
    """
    seen = run_agents(agents(body, [0, 0], places=[-1]), 1, order).y[0]
    assert seen == 1 or order >= 0


# --- deadlocks ---------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_a_deadlock_is_reported_with_what_each_agent_waits_for(order: int) -> None:
    body = f"""
    %is_0 = arith.cmpi eq, %v, %k0 : i64
    %is_1 = arith.cmpi eq, %v, %k1 : i64
    %is_2 = arith.cmpi eq, %v, %k2 : i64
    scf.if %is_0 {{
      {call("sc_signal", "k1", "k3", "k1", "k0")}
      {call("sc_wait", "k0", "k4", "k0", "k5")}
    }}
    scf.if %is_1 {{
      {call("sc_wait", "k1", "k8", "k1", "k6")}
    }}
    scf.if %is_2 {{
      {call("sc_barrier", "k0", "k2", "k7")}
    }}
    """
    result = run_agents(agents(body, [0, 0, 0, 0], places=[-1, -1]), 1, order)
    waiting = [
        (0, 5, 0, 4, 0, SEMAPHORES),
        (1, 6, 1, 8, 3, SEMAPHORES + 1),
        (2, 7, 2, 2, 1, -1),
        (3, -1, 3, 0, 0, -1),
    ]
    assert result.report == [4, -1, -1, *itertools.chain(*waiting)]


def test_agents_that_only_repeat_loops_end_in_a_deadlock() -> None:
    body = f"""
    %many = arith.constant 1000000000000 : index
    scf.for %t = %c0 to %many step %c1 {{
      {call("sc_spin", "k3", "k5")}
    }}
    """
    result = run_agents(agents(body, [0, 0], places=[-1]), 1)
    assert result.report == [4, -1, -1, 0, 5, 4, 0, 0, 3, 1, 5, 4, 0, 0, 3]


# --- failures ----------------------------------------------------------------

FAILING = agents(
    f"""
    %is_third = arith.cmpi eq, %v, %k2 : i64
    {call("sc_barrier", "k0", "count", "k0")}
    scf.if %is_third {{
      memref.store %k1, %status[%c0] : memref<8xi64>
      memref.store %v, %status[%c1] : memref<8xi64>
      func.call @stop() : () -> ()
    }}
    {call("sc_barrier", "k0", "count", "k0")}
    memref.store %v, %y[%i] : memref<?xi64>
    """,
    cores=[0] * 16,
    declarations="func.func private @stop() attributes {sparsecore.stops}",
).replace("sparsecore.entry", 'sparsecore.entry, sparsecore.messages = ["", "7 {1} 4 -9"]')


@pytest.mark.parametrize("order", ORDERS)
def test_a_failure_of_one_agent_ends_the_run_of_all(order: int) -> None:
    result = run_agents(FAILING, 16, order)
    assert result.report == [7, 2, 4, -9]
    assert result.y == [-1] * 16


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (call("sc_wait", "k5", "k0", "k0", "k0"), 5),
        (call("sc_signal", "k0", "k1", "k4", "k0"), 4),
        (call("sc_sem_check", "minus", "k1", "k0"), -1),
    ],
)
def test_numbers_that_name_nothing_are_reported(line: str, number: int) -> None:
    assert run_agents(agents(line, [0, 0, 0], places=[-1]), 1).report == [0, 0, 0, number]


def test_10000_failing_runs_take_no_more_stacks_than_one() -> None:
    from sdykit.sparsecore import _machine

    program = compile_module(FAILING, cache=None)
    run_agents(program, 16)
    before = _machine.stacks_made()
    for order in range(10_000):
        assert run_agents(program, 16, order).report == [7, 2, 4, -9]
    assert _machine.stacks_made() == before


# --- stacks ------------------------------------------------------------------


def test_an_agent_gets_a_stack_for_the_vectors_that_it_holds() -> None:
    loads = "\n".join(
        f"""
        %at{k} = arith.constant {k * 512} : index
        %vector{k} = vector.load %x[%at{k}] : memref<?xi64>, vector<512xi64>"""
        for k in range(24)
    )
    adds = "\n".join(
        f"%sum{k} = arith.addi %{'vector0' if k == 1 else f'sum{k - 1}'}, %vector{k} : vector<512xi64>"
        for k in range(1, 24)
    )
    body = f"""
    {loads}
    {call("sc_barrier", "k0", "count", "k0")}
    {adds}
    %total = vector.reduction <add>, %sum23 : vector<512xi64> into i64
    memref.store %total, %y[%i] : memref<?xi64>
    """
    text = agents(body, [0, 0], arguments="%y: memref<?xi64>, %x: memref<?xi64>")
    x = np.arange(24 * 512)
    assert run_agents(text, 2, more=[x]).y == [x.sum()] * 2


NO_MEMORY = """
import resource, sys
import numpy as np
from sdykit.sparsecore.codegen import compile_module, run, take_report
from support.bridge.ffi_programs import run_python
from support.machine.programs import agents
program = compile_module(agents("", [0] * 4000), cache=None)
arrays = [np.zeros(8, np.int64), np.array([-2, 0, 0, 0]), np.zeros(1, np.int64)]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), limit[1]))
run(program, arrays)
resource.setrlimit(resource.RLIMIT_AS, limit)
print(take_report(program.interface, arrays[0]))
arrays[0][:] = 0
run(program, arrays)
print(arrays[0].tolist())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits of Linux")
def test_without_memory_for_stacks_there_is_an_error_and_no_stack_is_lost() -> None:
    assert run_python(NO_MEMORY) == ("[15, -1, -1, 4000]\n[0, 0, 0, 0, 0, 0, 0, 0]\n")


# --- wrong programs ----------------------------------------------------------


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
