"""Agents whose accesses are compared: what the runtime reports, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run, take_report
from sdykit.sparsecore.mosaic.reports import Action, Race, Report, UnderWay, decode
from support.machine.programs import LOCKSTEP, agents, call

ARGUMENT, ARENA, CORE = 1 << 48, 2 << 48, 3 << 48
"""Numbers of memory: `MemoryMap::NumberOf`."""
X, Y = 3, 2
"""The arguments of the programs."""

WORDS = "memref<?xi32>"
DECLARATIONS = f"""
func.func private @copy({WORDS}, {WORDS}{", i64" * 15})
    attributes {{sparsecore.runtime = "sc_dma"}}
func.func private @touch({WORDS}{", i64" * 4}) attributes {{sparsecore.runtime = "sc_touch"}}
"""


def copy(source: str, target: str, place: str, first: str = "k0", to: str = "k0") -> str:
    """Copy 8 words from one bit position to another; semaphore 0 gets 32 bytes."""
    head = f"{place}, %k0, %minus, %bytes, %minus, %k0, %minus, %k0, %word, %word"
    return (
        f"func.call @copy(%{source}, %{target}, {head}, %{first}, %{to}, %k8, %word, %word) "
        f": ({WORDS}, {WORDS}{', i64' * 15}) -> ()"
    )


def touch(action: int, place: str) -> str:
    """Load or store the last word of the own memory."""
    head = f"%last, %word, %k{action}, {place}"
    return f"func.call @touch(%own, {head}) : ({WORDS}{', i64' * 4}) -> ()"


WAIT = call("sc_wait", "k0", "bytes", "k1", "k9")
PROLOGUE = """
    %word = arith.constant 32 : i64
    %bytes = arith.constant 32 : i64
    %last = arith.constant 224 : i64
    %held = memref.alloc() : memref<8xi32>
    %own = memref.cast %held : memref<8xi32> to memref<?xi32>
    %row = arith.muli %v, %k256 : i64
"""


def report_of(body: str, *, count: int = 2, races: int = 2, checks: int = 1) -> Report | None:
    """Run a body on some agents; `%x` has distinct words, `%z` is written."""
    text = agents(
        "%k256 = arith.constant 256 : i64\n" + PROLOGUE + body,
        [0] * count,
        places=[-1],
        declarations=DECLARATIONS,
        arguments=f"%y: memref<?xi64>, %x: {WORDS}, %z: {WORDS}",
    )
    status, words = np.zeros(8, np.int64), np.arange(64, dtype=np.int32)
    settings = np.array([LOCKSTEP, races, checks, 0])
    compiled = compile_module(text, cache=None)
    run(compiled, [status, settings, np.zeros(1, np.int64), words, np.zeros(64, np.int32)])
    report = take_report(compiled.interface, status)
    return decode(report) if report else None


def test_a_load_of_what_a_transfer_writes() -> None:
    early = f"{copy('x', 'own', '%k1')}\n{touch(0, '%k2')}\n{WAIT}"
    assert report_of(early) == UnderWay(
        agent=0,
        place=2,
        action=Action.READ,
        transfer=0,
        other=0,
        other_place=1,
        other_action=Action.WRITE,
        buffer=ARENA + 28,
    )
    assert report_of(f"{copy('x', 'own', '%k1')}\n{WAIT}\n{touch(0, '%k2')}") is None
    assert report_of(early, races=0) is None
    assert report_of(early, checks=0) is None


def test_a_store_to_what_a_transfer_reads() -> None:
    fill = f"{copy('x', 'own', '%k1')}\n{WAIT}"
    early = f"{fill}\n{copy('own', 'z', '%k2', to='row')}\n{touch(1, '%k3')}\n{WAIT}"
    found = report_of(early)
    assert isinstance(found, UnderWay)
    assert (found.place, found.action, found.other_place, found.other_action) == (3, 1, 2, 0)
    assert report_of(early.replace(touch(1, "%k3"), touch(0, "%k3"))) is None


def race(agent: int, place: int, action: Action, other: int, other_place: int) -> Race:
    return Race(
        agent=agent,
        place=place,
        action=action,
        other=other,
        other_place=other_place,
        other_action=Action.WRITE,
        buffer=ARGUMENT + 4,
    )


@pytest.mark.parametrize("meets", [False, True])
def test_a_read_of_what_another_agent_writes(meets: bool) -> None:
    barrier = call("sc_barrier", "k0", "count", "k0") if meets else ""
    neighbour = """
    %more = arith.addi %v, %k1 : i64
    %next = arith.remui %more, %count : i64
    %there = arith.muli %next, %k256 : i64
    """
    body = f"""
    {neighbour}
    {copy("x", "own", "%k1", first="row")}\n{WAIT}
    {copy("own", "z", "%k2", to="row")}\n{WAIT}
    {barrier}
    {copy("z", "own", "%k3", first="there")}\n{WAIT}
    """
    expected = None if meets else race(0, 3, Action.READ, 1, 2)
    assert report_of(body) == expected


@pytest.mark.parametrize("same", [False, True])
def test_two_agents_write_the_same_place(same: bool) -> None:
    first = "k0" if same else "row"
    body = f"{copy('x', 'own', '%k1', first=first)}\n{WAIT}\n{copy('own', 'z', '%k2')}\n{WAIT}"
    assert report_of(body) == (None if same else race(1, 2, Action.WRITE, 0, 2))
