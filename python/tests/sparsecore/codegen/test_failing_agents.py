"""Runs of agents that do not end well: deadlocks, failures, no memory for stacks."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module
from support.bridge.ffi_programs import run_python
from support.machine.programs import ORDERS, SEMAPHORES, agents, call, run_agents


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
