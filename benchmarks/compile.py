"""Time the compilation of lookups and updates, and XLA's of the same functions in jax.numpy.

    python benchmarks/compile.py                # print the table
    python benchmarks/compile.py --quick        # fewer runs
    python benchmarks/compile.py --write docs/codegen.md

Each row has three times of a jitted function, from the call of `jax.jit` to an executable (trace,
lower, compile): in jax.numpy (take, multiply, segment_sum; an update is the gradient of that, and
SGD or Adagrad on the whole table), and with the tile program, compiled or found on disk. `of it` is
the time of the tile program itself, from its spec to machine code in memory. Every run has another
batch size, so that no program is found compiled in the process, which has compiled one before. The
table has medians. Its last row is for a process that has compiled nothing: the time of its first
tile program, if that is on disk.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from report import Cells, Figures, Table, arguments, figure, publish, seconds
from rich.console import Console

from sdykit.bridge import _native
from sdykit.bridge.embedding import grad_update, lookup
from sdykit.bridge.kernels import compile as kernel_compile
from sdykit.sparsecore.codegen import compiler
from sdykit.sparsecore.optimizers import SGD, Adagrad

ROWS = 1_000_000
VALENCY = 16
AIM, AIM_CACHED = 0.5, 2.0
Shapes = Sequence[jax.ShapeDtypeStruct]


@dataclass(frozen=True)
class Case:
    """A row of the table.

    Attributes:
        theirs: the function in jax.numpy.
        ours: the function with a tile program.
        width: the number of columns of the table.
        operands: the number of operands of both.
    """

    theirs: Callable[..., Any]
    ours: Callable[..., Any]
    width: int
    operands: int


def jnp_lookup(table: jax.Array, ids: jax.Array, weights: jax.Array) -> jax.Array:
    """Look up and sum in jax.numpy."""
    samples = jnp.repeat(jnp.arange(len(ids)), ids.shape[1])
    rows = jnp.take(table, ids.ravel(), axis=0) * weights.ravel()[:, None]
    return jax.ops.segment_sum(rows, samples, num_segments=len(ids))


def jnp_gradient(
    table: jax.Array, ids: jax.Array, weights: jax.Array, gradients: jax.Array
) -> jax.Array:
    """Return the gradient of `jnp_lookup` with respect to the table."""
    return jax.vjp(lambda table: jnp_lookup(table, ids, weights), table)[1](gradients)[0]


def jnp_sgd(table: jax.Array, *rest: jax.Array) -> jax.Array:
    """Return the table after a step of SGD."""
    return table - 0.1 * jnp_gradient(table, *rest)


def jnp_adagrad(table: jax.Array, *rest: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return table and accumulator after a step of Adagrad."""
    *batch, accumulator = rest
    gradient = jnp_gradient(table, *batch)
    total = accumulator + gradient * gradient
    return table - 0.1 * gradient / jnp.sqrt(total), total


def sgd(table: jax.Array, *rest: jax.Array) -> Any:
    """Return the table after a step of SGD on the rows of the batch."""
    return grad_update(table, {}, *rest, optimizer=SGD(0.1))


def adagrad(table: jax.Array, *rest: jax.Array) -> Any:
    """Return table and accumulator after a step of Adagrad on the rows of the batch."""
    *batch, accumulator = rest
    return grad_update(table, {"accumulator": accumulator}, *batch, optimizer=Adagrad(0.1))


def cases() -> dict[str, Case]:
    """Return the rows of the table, by their titles."""
    found: dict[str, Case] = {}
    for width in (8, 32, 128):
        found[f"lookup, width {width}"] = Case(jnp_lookup, lookup, width, 3)
    found["SGD, width 32"] = Case(jnp_sgd, sgd, 32, 4)
    found["Adagrad, width 32"] = Case(jnp_adagrad, adagrad, 32, 5)
    return found


def operands(width: int, batch: int, count: int) -> Shapes:
    """Return the shapes of the first `count` of table, ids, weights, gradients and accumulator."""
    table = jax.ShapeDtypeStruct((ROWS, width), jnp.float32)
    ids = jax.ShapeDtypeStruct((batch, VALENCY), jnp.int32)
    weights = jax.ShapeDtypeStruct((batch, VALENCY), jnp.float32)
    gradients = jax.ShapeDtypeStruct((batch, width), jnp.float32)
    return (table, ids, weights, gradients, table)[:count]


def compile_with_jax(function: Callable[..., Any], shapes: Shapes) -> float:
    """Return the seconds from `jax.jit(function)` to an executable."""
    return seconds(lambda: jax.jit(function).lower(*shapes).compile())


class Clock:
    """Compiles specs for the native code, and records the seconds that each takes."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.specs: list[str] = []

    def __call__(self, text: str) -> _native.Kernel:
        made: list[_native.Kernel] = []
        self.times.append(seconds(lambda: made.append(kernel_compile.compile_spec(text))))
        self.specs.append(text)
        return made[0]


def forget() -> None:
    """Drop all compiled programs of this process."""
    kernel_compile._kernels.clear()
    compiler._programs.clear()
    jax.clear_caches()


def measure(runs: int) -> list[Cells]:
    """Return the rows of the table."""
    clock = Clock()
    rows: list[Cells] = []
    _native.set_compiler(clock)
    for name, case in cases().items():
        times: list[list[float]] = []
        for run in range(runs + 1):
            shapes = operands(case.width, 4096 + 64 * (run + 1), case.operands)
            clock.times.clear()
            times.append(
                [compile_with_jax(case.theirs, shapes), compile_with_jax(case.ours, shapes)]
            )
            forget()
            times[-1] += [compile_with_jax(case.ours, shapes), *clock.times]
        xla, cold, warm, own, found = map(statistics.median, zip(*times[1:], strict=True))
        milliseconds = [figure(each * 1e3, ".1f") for each in (xla, cold, own, warm, found)]
        rows.append([name, *milliseconds, figure(own / xla, ".2f"), figure(cold / xla, ".2f")])
    _native.set_compiler(kernel_compile.compile_spec)
    first = next(spec for spec in clock.specs if '"lookup"' in spec)
    rows.append(["the first of a process", "", "", "", "", _fresh(first, runs), "", ""])
    return rows


FRESH = """
import sys, time, llvmlite.binding
import sdykit.bridge.embedding
from sdykit.bridge.kernels.compile import compile_spec
started = time.perf_counter()
compile_spec(sys.argv[1])
print(time.perf_counter() - started)
"""


def _fresh(spec: str, runs: int) -> Figures:
    command = [sys.executable, "-c", FRESH, spec]
    found = [float(subprocess.check_output(command)) for _ in range(runs)]
    return figure(statistics.median(found) * 1e3, ".1f")


HEADS = ["", "XLA, ms", "cold, ms", "of it", "on disk, ms", "of it", "of it : XLA", "cold : XLA"]


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__).parse_args()
    status = Console(stderr=True).status("measuring")
    with tempfile.TemporaryDirectory() as directory, status:
        os.environ["SDYKIT_CACHE_DIR"] = directory
        rows = measure(5 if args.quick else 15)
    title = f"Compilation; aims: {AIM:g} of XLA's time cold, {AIM_CACHED:g} ms from disk"
    publish("compile.py", [Table(title, HEADS, rows)], args)


if __name__ == "__main__":
    main()
