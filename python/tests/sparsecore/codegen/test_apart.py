"""Agents that never wait for each other: on several threads they do and report what they do together."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from sdykit.sparsecore.codegen import Program, compile_module, run, take_report
from sdykit.sparsecore.mosaic.reports import Race
from support.machine.programs import LOCKSTEP, agents, call

AGENTS, STEPS, WORDS = 6, 3, 4096
FILLED, NEVER = 0x7FC00000, -1
LOAD, STORE, READ_BACK = range(3)
"""What a step does: copies words of `x` in, own words out to `z`, or words of `z` in."""

MEMREF = "memref<?xi32>"
DECLARATIONS = f"""
func.func private @copy({MEMREF}, {MEMREF}{", i64" * 15}) attributes {{sparsecore.runtime = "sc_dma"}}
func.func private @fill({MEMREF}{", i64" * 4}) attributes {{sparsecore.runtime = "sc_fill"}}
"""


def _copy(source: str, target: str, place: int, first: str, to: str) -> str:
    head = f"%k{place}, %k0, %minus, %bytes, %minus, %k0, %minus, %k0, %word, %word"
    return (
        f"func.call @copy(%{source}, %{target}, {head}, %{first}, %{to}, %length, %word, %word) "
        f": ({MEMREF}, {MEMREF}{', i64' * 15}) -> ()\n{call('sc_wait', 'k0', 'bytes', 'k1', 'k9')}"
    )


BODY = f"""
    %word = arith.constant 32 : i64
    %four = arith.constant 4 : i64
    %pattern = arith.constant {FILLED} : i64
    %all = arith.constant {4 * WORDS} : i64
    %steps = arith.constant {STEPS} : index
    %numbers = arith.constant 4 : index
    %held = memref.alloc() : memref<{WORDS}xi32>
    %own = memref.cast %held : memref<{WORDS}xi32> to {MEMREF}
    func.call @fill(%own, %all, %pattern, %k4, %k0) : ({MEMREF}{", i64" * 4}) -> ()
    func.call @fill(%z, %all, %pattern, %k4, %k1) : ({MEMREF}{", i64" * 4}) -> ()
    scf.for %s = %c0 to %steps step %c1 {{
      %row = arith.muli %i, %steps : index
      %step = arith.addi %row, %s : index
      %a0 = arith.muli %step, %numbers : index
      %a1 = arith.addi %a0, %c1 : index
      %a2 = arith.addi %a1, %c1 : index
      %a3 = arith.addi %a2, %c1 : index
      %what = memref.load %y[%a0] : memref<?xi64>
      %here = memref.load %y[%a1] : memref<?xi64>
      %there = memref.load %y[%a2] : memref<?xi64>
      %length = memref.load %y[%a3] : memref<?xi64>
      %bytes = arith.muli %length, %four : i64
      %loads = arith.cmpi eq, %what, %k0 : i64
      %stores = arith.cmpi eq, %what, %k1 : i64
      scf.if %loads {{
        {_copy("x", "own", 1, "there", "here")}
      }} else {{
        scf.if %stores {{
          {_copy("own", "z", 2, "here", "there")}
        }} else {{
          {_copy("z", "own", 3, "there", "here")}
        }}
      }}
    }}
"""


@dataclass(frozen=True)
class Both:
    """The same agents on machines of their own, and on one."""

    apart: Program
    together: Program


def text_of(mark: str) -> str:
    """Return the program, whose phase has a mark."""
    arguments = f"%y: memref<?xi64>, %x: {MEMREF}, %z: {MEMREF}"
    text = agents(BODY, [0] * AGENTS, places=[-1], declarations=DECLARATIONS, arguments=arguments)
    return text.replace("sparsecore.together =", f"{mark}sparsecore.together =")


@pytest.fixture(scope="module")
def both() -> Both:
    texts = (text_of("sparsecore.apart, "), text_of(""))
    return Both(*(compile_module(text, cache=None) for text in texts))


def outcome(program: Program, steps: list[tuple[int, int, int, int]], threads: int, races: int = 2):
    """Return the report of a run, and what `z` holds if there is none."""
    status, z = np.zeros(8, np.int64), np.full(WORDS, NEVER, np.int32)
    settings = np.array([LOCKSTEP, races, 1, 0])
    # Positions in bits.
    table = np.array([(what, 32 * here, 32 * to, n) for what, here, to, n in steps]).reshape(-1)
    run(program, [status, settings, table, np.arange(WORDS, dtype=np.int32), z], threads)
    assert settings[3] == 0
    report = take_report(program.interface, status)
    return report, ([] if report else z.tolist())


def random_steps(rng: random.Random) -> list[tuple[int, int, int, int]]:
    """Return steps that often meet those of other agents, and often do not."""
    share = WORDS // AGENTS
    found = []
    for agent in range(AGENTS):
        base = agent * share if rng.random() < 0.9 else rng.randrange(AGENTS) * share
        for _ in range(STEPS):
            what = rng.choice([LOAD, LOAD, STORE, STORE, STORE, READ_BACK])
            length = rng.choice([1, 2, 16, 500, share, share, share + rng.choice([0, 0, 0, 1])])
            there = base + rng.choice([0, 0, rng.randrange(share)])
            length = max(1, min(length, WORDS - there))
            if rng.random() < 0.7:
                length = min(length, base + share - there)
            found.append((what, rng.choice([0, there]) % (WORDS - length + 1), there, length))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_same_as_together(both: Both, seed: int) -> None:
    rng, kinds = random.Random(seed), set()
    for _ in range(50):
        steps = random_steps(rng)
        expected = outcome(both.together, steps, 1)
        kinds.add(expected[0][0] if expected[0] else None)
        for threads in (1, 3):
            assert outcome(both.apart, steps, threads) == expected, steps
    assert kinds == {None, Race.kind}


def test_words_that_nobody_writes_are_filled(both: Both) -> None:
    steps = [(LOAD, 0, 100, 40)] * (AGENTS * STEPS)
    for agent in range(AGENTS):
        steps[agent * STEPS + 1] = (STORE, 0, 600 * agent + 3, 40)
        steps[agent * STEPS + 2] = (STORE, 0, 600 * agent + 43 + agent, 1)
    expected = np.full(WORDS, FILLED, np.int32)
    for agent in range(AGENTS):
        expected[600 * agent + 3 :][:40] = range(100, 140)
        expected[600 * agent + 43 + agent] = 100
    assert outcome(both.apart, steps, 3) == ([], expected.tolist())


def test_a_read_of_what_nobody_wrote(both: Both) -> None:
    steps = [(LOAD, 0, 0, 8)] * (AGENTS * STEPS)
    steps[0:2] = [(READ_BACK, 0, 90, 8), (STORE, 0, 16, 8)]
    report, z = outcome(both.apart, steps, 3)
    assert (report, z[16:24]) == ([], [FILLED] * 8)


def test_the_border_of_two_agents(both: Both) -> None:
    steps = [(LOAD, 0, 0, 8)] * (AGENTS * STEPS)
    steps[1], steps[STEPS + 1] = (STORE, 0, 0, 8), (STORE, 1, 8, 4)
    assert outcome(both.apart, steps, AGENTS)[0] == []
    # The last word of one is the first word of the other.
    steps[STEPS + 1] = (STORE, 1, 7, 4)
    report, _ = outcome(both.apart, steps, AGENTS)
    assert report[:2] == [Race.kind, 1]
    steps[1] = (READ_BACK, 0, 7, 1)
    assert outcome(both.apart, steps, AGENTS)[0][0] == Race.kind


def test_all_agents_write_the_same(both: Both) -> None:
    steps = [(LOAD, 0, 5, 8), (STORE, 0, 64, 8), (LOAD, 0, 5, 8)] * AGENTS
    for _ in range(3):
        report, z = outcome(both.apart, steps, 3)
        assert (report, z[64:72]) == ([], list(range(5, 13)))
    # Runs that may be compared again find what there is to find.
    steps[4] = (STORE, 1, 64, 8)
    assert outcome(both.apart, steps, 3)[0][0] == Race.kind


def test_without_reports_of_races_agents_take_turns(both: Both) -> None:
    steps = [(LOAD, 0, 5, 8), (STORE, 0, 64, 8), (LOAD, 0, 9, 8)] * AGENTS
    steps[3] = (LOAD, 0, 50, 8)
    expected = outcome(both.together, steps, 1, races=0)
    assert outcome(both.apart, steps, 3, races=0) == expected
    assert expected[0] == []


def test_a_phase_has_an_iteration_for_each_agent(both: Both) -> None:
    assert [phase.size([]) for phase in both.apart.phases] == [AGENTS]
    assert [phase.size([]) for phase in both.together.phases] == [1]


def test_runs_at_the_same_time(both: Both) -> None:
    """One of them may find out that the program has to run together while others go on."""
    same = [(LOAD, 0, 5, 8), (STORE, 0, 64, 8), (STORE, 0, 200, 8)] * AGENTS
    expected = outcome(both.together, same, 1)
    for _ in range(20):
        fresh = compile_module(text_of("sparsecore.apart, "), cache=None)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _, f=fresh: outcome(f, same, 3), range(12)))
        assert found == [expected] * 12
