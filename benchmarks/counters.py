"""Time lookups and updates with counters off and on, in turns in one process.

    python benchmarks/counters.py             # print the table
    python benchmarks/counters.py --quick     # fewer runs
    python benchmarks/counters.py --write docs/benchmarks.md

Each run with counters on records the figures of its batch, one of raw ids the ids. Counters are computed from
them when `counters()` is called, here after all runs: the column after `on / off` includes that. The last column
has two copies of the program without counters: the noise. All share their arrays, but for the tables of the
demo model, which each copy trains.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from report import Cells, Table, arguments, figure, publish, seconds

import sdykit.sparsecore as sc
from sdykit.sparsecore.optimizers import Adagrad

BATCH, VALENCY, DIM, VOCABULARY = 4096, 20, 32, 100_000
LIMIT = 5632
"""A tenth above the ids of the fullest partition."""
CALLS = 3
"""Calls that are timed together."""
HEADS = ["ids", "program", "off, ms", "on, ms", "on / off", "and read", "counters, ms a run"]
HEADS += ["off / off"]
DEVICES, BATCHES = 4, 8
"""Of the demo model."""

SETTINGS = (False, True, False)
"""Whether each of the programs that are compared counts."""

Run = Callable[[], object]


def layer(*, counters: bool) -> sc.Embedding:
    """Return an embedding of one table, whose programs count or not."""
    sc.configure(counters=counters)
    table = sc.TableSpec(
        "table",
        VOCABULARY,
        DIM,
        Adagrad(0.1),
        max_ids_per_partition=LIMIT,
        max_unique_ids_per_partition=LIMIT,
    )
    return sc.Embedding([sc.FeatureSpec("feature", table, BATCH)])


def make_ids() -> np.ndarray:
    """Return the ids of a batch, uniform."""
    found = np.random.default_rng(0).integers(0, VOCABULARY, (BATCH, VALENCY))
    return found.astype(np.int32)


def buffer_runs() -> dict[str, list[Run]]:
    """Return calls of lookup, update and both, of buffers, which share all arrays.

    Returns:
        For each program: one without counters, one with, and another without.
    """
    layers = [layer(counters=each) for each in SETTINGS]
    state = layers[0].init(jax.random.key(0), jax.nn.initializers.normal())
    batch = layers[1].preprocess({"feature": make_ids()})
    gradients = layers[0].lookup(state, batch)
    held = {"state": jax.tree.map(jnp.copy, state)}

    def lookup(each: sc.Embedding) -> Run:
        run: Any = jax.jit(each.lookup)
        return lambda: jax.block_until_ready(run(state, batch))

    def in_place(function: Any, *args: Any) -> Run:
        run = jax.jit(function, donate_argnums=0)

        def call() -> None:
            held["state"] = jax.block_until_ready(run(held["state"], *args))

        return call

    def both(each: sc.Embedding) -> Run:
        return in_place(lambda s, b: each.update(s, b, each.lookup(s, b)), batch)

    return {
        "lookup": [lookup(each) for each in layers],
        "update": [in_place(each.update, batch, gradients) for each in layers],
        "lookup, then update": [both(each) for each in layers],
    }


def raw_runs() -> dict[str, list[Run]]:
    """Return calls of a lookup of raw ids, as `buffer_runs` does."""
    table, ids = jnp.ones((VOCABULARY, DIM)), jnp.asarray(make_ids())

    def lookup(*, counters: bool) -> Run:
        sc.configure(counters=counters)
        run: Any = jax.jit(partial(sc.lookup))
        run(table, ids)  # It is traced with this setting.
        return lambda: jax.block_until_ready(run(table, ids))

    return {"lookup": [lookup(counters=each) for each in SETTINGS]}


def demo_runs() -> dict[str, list[Run]]:
    """Return training steps of the model of `make demo`, on batches that are made before."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from examples.click_model.data import ClickData
    from examples.click_model.embeddings import AXIS, make_embedding
    from examples.click_model.learner import Learner
    from examples.click_model.options import parse

    options = parse(["--devices", str(DEVICES)])
    mesh = jax.make_mesh((DEVICES,), (AXIS,))
    data = ClickData(options.vocabularies, options.seed)

    def step(*, counters: bool) -> Run:
        sc.configure(counters=counters)
        embedding = make_embedding(data, options.width, options.batch, mesh)
        learner = Learner(mesh, options.width, embedding)
        batches = [data.batch("training", number, options.batch) for number in range(BATCHES)]
        inputs = [learner.inputs(each) for each in batches]
        held = {"state": jax.block_until_ready(learner.init(options.seed)), "step": 0}
        run = learner.compiled_step(held["state"], inputs[0])

        def call() -> None:
            held["step"] += 1
            batch = inputs[held["step"] % BATCHES]
            held["state"], _ = jax.block_until_ready(run(held["state"], batch))

        return call

    return {"step of the demo model": [step(counters=each) for each in SETTINGS]}


def measure(calls: Sequence[Run], runs: int) -> tuple[list[float], float]:
    """Return the medians of calls in milliseconds, taken in turns, and the time of the counters.

    Returns:
        The medians; and the milliseconds that the counters of one run take.
    """
    for run in calls:
        run()
    sc.counters()
    sc.reset_counters()
    order = np.random.default_rng(0)
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(runs):
        for at in order.permutation(len(calls)):
            run = calls[at]
            times[at].append(seconds(lambda run=run: [run() for _ in range(CALLS)]) / CALLS)
    spent = seconds(sc.counters)
    sc.reset_counters()
    return [1e3 * statistics.median(found) for found in times], 1e3 * spent / (runs * CALLS)


def rows_of(runs: int) -> list[Cells]:
    """Return the rows of the table."""
    rows: list[Cells] = []
    for kind, make in (("buffers", buffer_runs), ("raw", raw_runs), ("buffers", demo_runs)):
        for name, calls in make().items():
            (plain, counted, same), spent = measure(calls, runs)
            ratios = [figure(each / plain, ".3f") for each in (counted, counted + spent)]
            cells = [figure(plain, ".2f"), figure(counted, ".2f"), *ratios, figure(spent, ".2f")]
            rows.append([kind, name, *cells, figure(same / plain, ".3f")])
    return rows


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__).parse_args()
    jax.config.update("jax_num_cpu_devices", DEVICES)
    rows = rows_of(5 if args.quick else 30)
    notes = [
        f"{BATCH} x {VALENCY} ids, width {DIM}, a vocabulary of {VOCABULARY}; medians of 30.",
        f"The demo model is on {DEVICES} devices. Aim: at most 2%.",
    ]
    publish("counters.py", [Table("Counters", HEADS, rows, notes=notes)], args)


if __name__ == "__main__":
    main()
