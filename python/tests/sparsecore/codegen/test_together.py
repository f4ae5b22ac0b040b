"""Phases of agents: memory, order, semaphores, barriers."""

from __future__ import annotations

import pytest

from sdykit.sparsecore.codegen import compile_module
from support.machine.programs import (
    LOCKSTEP,
    NEIGHBOURS,
    ORDERS,
    SEMAPHORES,
    SUBCORE,
    agents,
    call,
    run_agents,
    splitmix,
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
