"""Tile programs whose phase has agents: a prologue, a body, and how to run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdykit.sparsecore.codegen import Program, compile_module, run, take_report

LOCKSTEP, SUBCORE = -2, -1
ORDERS = [LOCKSTEP, SUBCORE, 0, 1, 12345]
SEMAPHORES = 5 << 48
"""The number of the first semaphore of an agent, in reports."""

_SIGNATURES = {
    "sc_barrier": ("i64, i64, i64", ""),
    "sc_fetch_and_add": ("memref<?xi32>, i64, i64, i64", " -> i64"),
    "sc_sem_check": ("i64, i64, i64", ""),
    "sc_sem_read": ("i64, i64", " -> i64"),
    "sc_sem_take": ("i64", " -> i64"),
    "sc_spin": ("i64, i64", ""),
    "sc_signal": ("i64, i64, i64, i64", ""),
    "sc_wait": ("i64, i64, i64, i64", ""),
}


def call(function: str, *operands: str, result: str = "") -> str:
    """Return the line that calls a function of the runtime."""
    types, returns = _SIGNATURES[function]
    start = f"%{result} = " if result else ""
    values = ", ".join(f"%{operand}" for operand in operands)
    return f"{start}func.call @{function}({values}) : ({types}){returns or ' -> ()'}"


@dataclass(frozen=True)
class Result:
    """What a run left: the words of `y`, and the report."""

    y: list[int]
    report: list[int]


def agents(
    body: str,
    cores: Sequence[int],
    *,
    places: Sequence[int] = (),
    declarations: str = "",
    arguments: str = "%y: memref<?xi64>",
) -> str:
    """Return a program whose agents run a body.

    `%i` is the number of the agent (index), `%v` the same (i64), `%n` and `%count` how many there are,
    `%k0` to `%k9` small numbers (i64), `%minus` is -1, `%c0`, `%c1` the same as indices, and `%y` words
    that all of them may write.
    """
    declared = "\n".join(
        f'func.func private @{name}({types}){returns} attributes {{sparsecore.runtime = "{name}"}}'
        for name, (types, returns) in _SIGNATURES.items()
    )
    small = "\n".join(f"    %k{number} = arith.constant {number} : i64" for number in range(10))
    made = f", sparsecore.semaphores = array<i64: {_listed(places)}>" if places else ""
    return f"""
{declared}
{declarations}
func.func @agents(%status: memref<8xi64> {{sparsecore.status}},
                  %settings: memref<4xi64> {{sparsecore.settings}}, {arguments})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {len(cores)} : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
    %minus = arith.constant -1 : i64
    %count = arith.constant {len(cores)} : i64
    %v = arith.index_cast %i : index to i64
{small}
{body}
  }} {{sparsecore.together = array<i64: {_listed(cores)}>{made}}}
  return
}}
"""


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def run_agents(
    program: str | Program,
    size: int,
    order: int = LOCKSTEP,
    more: Sequence[np.ndarray] = (),
    threads: int = 1,
) -> Result:
    """Run a program, with `y` of so many words, all -1 before."""
    compiled = compile_module(program, cache=None) if isinstance(program, str) else program
    status, y = np.zeros(8, np.int64), np.full(size, -1, np.int64)
    run(compiled, [status, np.array([order, 0, 0, 0]), y, *more], threads)
    return Result(y.tolist(), take_report(compiled.interface, status))


def splitmix(state: int) -> tuple[int, int]:
    """Return the next state and number of splitmix64, as its author defines it."""
    mask = (1 << 64) - 1
    state = z = (state + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
    return state, z ^ z >> 31


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
"""Agents that write to memory of their own and to that of their core, and read after a barrier."""
