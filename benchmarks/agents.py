"""Time what agents of tile programs do: start, wait, meet at barriers, copy.

    python benchmarks/agents.py                # print the table

Each figure is the least of 20 runs on one core, divided by how often the agents do it.
"""

from __future__ import annotations

import time

import numpy as np
from report import Cells, Table, arguments, figure, publish

from sdykit.sparsecore.codegen import compile_module, run

ROUNDS = 20_000
RUNS = 20

_INTEGERS = ", ".join(["i64"] * 15)
_PROGRAM = """
func.func private @barrier(i64, i64, i64) attributes {{sparsecore.runtime = "sc_barrier"}}
func.func private @wait(i64, i64, i64, i64) attributes {{sparsecore.runtime = "sc_wait"}}
func.func private @dma(memref<16xi64>, memref<16xi64>, {integers})
    attributes {{sparsecore.runtime = "sc_dma"}}
func.func @agents(%status: memref<8xi64> {{sparsecore.status}}) attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {agents} : index
  %rounds = arith.constant {rounds} : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant -1 : i64
    %count = arith.constant {agents} : i64
    %bits = arith.constant 64 : i64
    %size = arith.constant 16 : i64
    %bytes = arith.constant 128 : i64
    %source = memref.alloc() : memref<16xi64>
    %target = memref.alloc() : memref<16xi64>
    scf.for %r = %c0 to %rounds step %c1 {{
      {does}
    }}
  }} {{sparsecore.together = array<i64: {cores}>, sparsecore.semaphores = array<i64: -1>}}
  return
}}
"""
_BARRIER = "func.call @barrier(%zero, %count, %zero) : (i64, i64, i64) -> ()"
_WAIT = "func.call @wait(%zero, %{}, %one, %zero) : (i64, i64, i64, i64) -> ()"
_COPY = (
    "func.call @dma(%source, %target, %zero, %zero, %none, %bytes, %none, %zero, %none, %zero, "
    "%bits, %bits, %zero, %zero, %size, %bits, %bits) "
    f": (memref<16xi64>, memref<16xi64>, {_INTEGERS}) -> ()\n      "
) + _WAIT.format("bytes")


def microseconds(agents: int, does: str, rounds: int = ROUNDS) -> float:
    """Return the time of a run of agents that do something in each round."""
    cores = ", ".join(["0"] * agents)
    text = _PROGRAM.format(agents=agents, rounds=rounds, does=does, cores=cores, integers=_INTEGERS)
    program, status = compile_module(text, cache=None), np.zeros(8, np.int64)
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run(program, [status])
        times.append(time.perf_counter() - start)
    assert not status.any()
    return min(times) * 1e6


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__, quick="2 and 16 agents only").parse_args()
    what = [
        ("barrier", agents, _BARRIER) for agents in ((2, 16) if args.quick else (2, 16, 32, 68))
    ]
    what += [("wait", 1, _WAIT.format("zero")), ("copy 128 bytes, and wait", 1, _COPY)]
    rows: list[Cells] = [
        [name, str(agents), figure(microseconds(agents, does) / ROUNDS, ".3f")]
        for name, agents, does in what
    ]
    publish("agents.py", [Table("Agents", ["what", "agents", "µs"], rows)], args)


if __name__ == "__main__":
    main()
