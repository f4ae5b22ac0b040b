"""Time Pallas kernels in each mode beside `jnp`, in turns in one process.

    python -m benchmarks.pallas             # print the tables
    python -m benchmarks.pallas --quick     # fewer runs, without the reference

The first column of a mode is the first call, in milliseconds: tracing, lowering and compiling (machine
code that is kept from before is not compiled again). The second is the median of those after it; the
last column divides those of `check` and of `fast`. A kernel that cannot be compiled is marked with `*`: it
runs op by op. Times say nothing about a chip.

A second table has JAX's own interpreter (`pltpu.force_tpu_interpret_mode()`) without sdykit's plugin, in a
process of its own, beside `fast`: on small arguments, since it is slow.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from benchmarks.report import Cells, Figures, Table, arguments, figure, publish
from examples.kernels.add_one import add_one
from examples.kernels.gather import gather
from examples.kernels.scatter_add import scatter_add
from sdykit.sparsecore.mosaic.compile import fallbacks

CHIP = "7x"
MODES = ("fast", "check", "reference")
Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A kernel, what `jnp` does for the same result, arguments of both, and small ones."""

    name: str
    kernel: Function
    plain: Function
    arguments: tuple[Any, ...]
    small: tuple[Any, ...]


def pipeline(x: jax.Array, *, whole: bool) -> jax.Array:
    """Return `x + 1` by a pipeline of blocks of 64 x 128, computed whole or vector by vector."""
    lanes = plsc.get_sparse_core_info().num_lanes
    block = pl.BlockSpec((64, 128), lambda i, j: (i, j))

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore"),
        compiler_params=pltpu.CompilerParams(needs_layout_passes=whole),
        name="pipeline",
    )
    def kernel(x_hbm, out_hbm):
        def body(x_vmem, out_vmem):
            if whole:
                out_vmem[...] = x_vmem[...] + 1
                return

            @pl.loop(0, 64)
            def _(row):
                @pl.loop(0, 128, step=lanes)
                def _(column):
                    here = (row, pl.ds(column, lanes))
                    out_vmem[here] = x_vmem[here] + 1

        pltpu.emit_pipeline(
            body,
            grid=(x.shape[0] // 64, x.shape[1] // 128),
            in_specs=[block],
            out_specs=[block],
            core_axis_name=("core", "subcore"),
            dimension_semantics=(pltpu.PARALLEL, pltpu.ARBITRARY),
        )(x_hbm, out_hbm)

    return kernel(x)  # pyright: ignore[reportCallIssue]


def barriers(x: jax.Array, *, count: int = 1000) -> jax.Array:
    """Return a vector of 16 after as many barriers of the subcores of each core."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore"),
        scratch_types=[pltpu.VMEM(x.shape, x.dtype)],
        name="barriers",
    )
    def kernel(x_hbm, out_hbm, v):
        pltpu.sync_copy(x_hbm, v)

        @pl.loop(0, count)
        def _(_: jax.Array) -> None:
            plsc.subcore_barrier()

        pltpu.sync_copy(v, out_hbm)

    return kernel(x)  # pyright: ignore[reportCallIssue]


def cases() -> list[Case]:
    """Return the kernels that are timed."""
    rng = np.random.default_rng(0)
    table = jnp.asarray(rng.normal(size=(16_384, 128)), jnp.float32)
    ids = jnp.asarray(rng.integers(0, 16_384, 16_384), jnp.int32)
    matrix = jnp.asarray(rng.normal(size=(4096, 128)), jnp.float32)
    few, gradients = ids[:2048] % 1024, jnp.ones((2048, 128))

    def plain_sums(ids: jax.Array, gradients: jax.Array) -> jax.Array:
        return jnp.zeros((1024, 128)).at[ids].add(gradients)

    large = jnp.asarray(rng.normal(size=(4096, 512)), jnp.float32)

    def plus_one(x: jax.Array) -> jax.Array:
        return x + 1

    def piped(*, whole: bool = False) -> Function:
        return partial(pipeline, whole=whole)

    return [
        Case(
            "gather, 16,384 rows of 128",
            gather,
            lambda t, i: jnp.take(t, i, 0),
            (table, ids),
            (table[:1024], ids[:256] % 1024),
        ),
        Case("add one, 4,096 x 128", add_one, plus_one, (matrix,), (matrix[:64],)),
        Case("pipeline, 4,096 x 128", piped(), plus_one, (matrix,), (matrix[:64],)),
        Case("pipeline, whole blocks", piped(whole=True), plus_one, (matrix,), (matrix[:64],)),
        Case("pipeline, 4,096 x 512", piped(), plus_one, (large,), (large[:64],)),
        Case(
            "add to rows, two barriers",
            scatter_add,
            plain_sums,
            (few, gradients),
            (few[:256], gradients[:256]),
        ),
        Case("1,000 barriers", barriers, lambda x: x.copy(), (jnp.ones(16),), (jnp.ones(16),)),
    ]


def once(function: Function, arguments: tuple[Any, ...]) -> float:
    """Return how long a call takes, in milliseconds."""
    begin = time.perf_counter()
    jax.block_until_ready(function(*arguments))
    return 1000 * (time.perf_counter() - begin)


def first_calls(case: Case, modes: tuple[str, ...]) -> dict[str, tuple[Function, Figures]]:
    """Return a compiled function for each mode and for `jnp`, with the time of its first call."""
    found: dict[str, tuple[Function, Figures]] = {}
    for mode in modes:
        sc.configure(CHIP, pallas=mode)
        jax.clear_caches()
        before = sum(each.count for each in fallbacks())
        function = jax.jit(case.kernel)
        took = once(function, case.arguments)
        fell_back = sum(each.count for each in fallbacks()) > before
        mark = "*" if fell_back or mode == "reference" else ""
        found[mode] = function.lower(*case.arguments).compile(), figure(took, ",.0f", mark)
    plain = jax.jit(case.plain)
    found["jnp"] = plain, figure(once(plain, case.arguments), ",.0f")
    return found


def measure(case: Case, modes: tuple[str, ...], runs: int) -> Cells:
    """Return a row of the table."""
    functions = first_calls(case, modes)
    times: dict[str, list[float]] = {mode: [] for mode in functions}
    for turn in range(runs):
        for mode, (function, _) in functions.items():
            if mode != "reference" or turn < 2:
                times[mode].append(once(function, case.arguments))
    row: list[str | Figures] = [case.name]
    for mode, (_, first) in functions.items():
        row += [first, figure(statistics.median(times[mode]), ",.2f")]
    ratio = statistics.median(times["check"]) / statistics.median(times["fast"])
    return [*row, figure(ratio, ".1f", "x")]


def interpreted(index: int) -> str:
    """Return the time of the case in JAX's interpreter, or what it says, from a process without the plugin."""
    command = [sys.executable, "-m", "benchmarks.pallas_interpreter", str(index)]
    environment = {**os.environ, "SDYKIT_PLUGIN": "off"}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=True
        )
    except subprocess.TimeoutExpired:
        return "more than two minutes"
    return done.stdout.splitlines()[-1]


def fast_and_small(case: Case) -> Figures:
    """Return the median of five calls in `fast` on the small arguments, in milliseconds."""
    sc.configure(CHIP, pallas="fast")
    jax.clear_caches()
    function = jax.jit(case.kernel)
    once(function, case.small)
    return figure(statistics.median(once(function, case.small) for _ in range(5)), ",.2f")


def beside_interpreter() -> Table:
    """Return the table of `fast` and JAX's interpreter."""
    rows: list[Cells] = []
    for index, case in enumerate(cases()):
        sizes = ", ".join(" x ".join(map(str, each.shape)) for each in case.small)
        rows.append([case.name, sizes, fast_and_small(case), interpreted(index)])
    heads = ["kernel", "arguments", "fast, ms", "JAX's interpreter"]
    return Table("Kernels beside JAX's interpreter", heads, rows)


def main() -> None:
    """Print the tables."""
    args = arguments(__doc__, quick="fewer runs, without the reference").parse_args()
    modes = MODES[:2] if args.quick else MODES
    times = [f"{mode}, {what}" for mode in (*modes, "jnp") for what in ("first", "then")]
    heads = ["milliseconds", *times, "check / fast"]
    rows = [measure(case, modes, 5 if args.quick else 31) for case in cases()]
    publish("pallas.py", [Table("Kernels", heads, rows), beside_interpreter()], args)


if __name__ == "__main__":
    main()
