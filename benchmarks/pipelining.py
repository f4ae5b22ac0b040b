"""Time plain and pipelined training steps, in turns in one process, beside the cost model's ratio.

    python benchmarks/pipelining.py             # print the table
    python benchmarks/pipelining.py --quick     # fewer steps

In the case `SparseCore-light` the dense part takes most of the step and uses all cores. In `host idle`
it takes about as long as SparseCores do, with one thread, so that cores are free. A ratio of 1 is no gain:
expected if other work keeps the cores busy. The chip's ratio is that of `training_step`, if its
TensorCore takes as long, compared with its SparseCores, as the dense part does here.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from report import Cells, Table, arguments, figure, publish

import sdykit.sparsecore as sc
from sdykit.sparsecore.cost import of_tables, training_step
from sdykit.sparsecore.optimizers import Adagrad

BATCH, DIM, VOCABULARY = 2048, 64, 200_000
HEADS = ["case", "SparseCores, ms", "dense, ms", "plain, ms", "pipelined, ms", "ratio", "chip's"]
Dense = Callable[[Any, dict[str, jax.Array], Any], tuple[Any, dict[str, jax.Array], Any]]


def layer(valency: int, *, is_off: bool) -> sc.Embedding:
    """Return a layer of one table, with or without pipelining."""
    limit = BATCH // 16 * valency * 5 // 4 + 64
    table = sc.TableSpec(
        "table",
        VOCABULARY,
        DIM,
        Adagrad(0.1),
        max_ids_per_partition=limit,
        max_unique_ids_per_partition=limit,
    )
    config = sc.SparsecoreConfig(tf_xla_disable_full_embedding_pipelining=is_off)
    return sc.Embedding([sc.FeatureSpec("feature", table, BATCH)], config=config)


def wide(width: int) -> Dense:
    """Return a dense part that multiplies large matrices, with all cores."""

    def dense(weight: Any, activations: dict[str, jax.Array], inputs: Any) -> Any:
        del inputs
        x = jnp.tile(activations["feature"], (1, width // DIM))
        for _ in range(4):
            x = jnp.tanh(x @ weight)
        return weight, {"feature": 1e-6 * x[:, :DIM]}, x.sum()

    return dense


def narrow(iterations: int) -> Dense:
    """Return a dense part that computes on a few numbers, with one thread."""

    def dense(weight: Any, activations: dict[str, jax.Array], inputs: Any) -> Any:
        del inputs
        x = jax.lax.fori_loop(
            0, iterations, lambda _, x: jnp.sin(x), activations["feature"][:8, :8]
        )
        return weight, {"feature": 1e-6 * (activations["feature"] + x.sum())}, x.sum()

    return dense


def measure(name: str, valency: int, dense: Dense, weight: jax.Array, steps: int) -> Cells:
    """Return a row of the table."""
    ids = np.random.default_rng(0).integers(0, VOCABULARY, (BATCH, valency)).astype(np.int32)
    plain, embedding = layer(valency, is_off=True), layer(valency, is_off=False)
    batch = embedding.preprocess({"feature": ids})
    runs = {
        "plain": _steps(sc.pipelined(plain, dense), batch, weight),
        "pipelined": _steps(sc.pipelined(embedding, dense), batch, weight),
        **_parts(embedding, batch, dense, weight),
    }
    seconds: dict[str, list[float]] = {each: [] for each in runs}
    for _ in range(steps):
        for each, run in runs.items():
            begin = time.perf_counter()
            run()
            seconds[each].append(time.perf_counter() - begin)
    found = {each: statistics.median(values) for each, values in seconds.items()}
    names = ("SparseCores", "dense", "plain", "pipelined")
    shown = (figure(1e3 * found[each], ".1f") for each in names)
    ratio = found["plain"] / found["pipelined"]
    chip = _ratio_of_chip(valency, ids, found["dense"] / found["SparseCores"])
    return [name, *shown, figure(ratio, ".2f"), figure(chip, ".2f")]


def _variables(embedding: sc.Embedding) -> Any:
    return embedding.from_tables({"table": np.zeros((VOCABULARY, DIM), np.float32)})


def _steps(pipeline: Any, batch: Any, weight: jax.Array) -> Callable[[], object]:
    """Return a function that takes a step, after the prologue."""
    state = pipeline.init(_variables(pipeline.embedding), jnp.copy(weight))
    held = [state]

    def step() -> None:
        held[0], _ = jax.block_until_ready(pipeline.step(held[0], batch, None))

    for _ in range(3):
        step()
    return step


def _parts(
    embedding: sc.Embedding, batch: Any, dense: Dense, weight: jax.Array
) -> dict[str, Callable[[], object]]:
    """Return functions that run the work of each unit alone."""
    held = [_variables(embedding)]
    activations = embedding.lookup(held[0], batch)

    def both(variables: Any, gradients: Any) -> Any:
        variables = embedding.update(variables, batch, gradients)
        return variables, embedding.lookup(variables, batch)

    jitted, run_dense = jax.jit(both, donate_argnums=0), jax.jit(dense)

    def sparse_cores() -> None:
        held[0], _ = jax.block_until_ready(jitted(held[0], activations))

    def alone() -> None:
        jax.block_until_ready(run_dense(weight, activations, None))

    sparse_cores()
    alone()
    return {"SparseCores": sparse_cores, "dense": alone}


def _ratio_of_chip(valency: int, ids: np.ndarray, dense_to_sparse: float) -> float:
    """Return what pipelining gains on a chip, by the cost model."""
    sc.configure(counters=True)
    sc.reset_counters()
    embedding = layer(valency, is_off=False)
    batch, variables = embedding.preprocess({"feature": ids}), _variables(embedding)
    activations = embedding.lookup(variables, batch)
    jax.block_until_ready(embedding.update(variables, batch, activations))
    costs = of_tables([[each] for each in sc.counters()])
    sc.configure()
    of_dense = dense_to_sparse * costs.total.seconds
    plain, pipelined = (
        training_step(costs, tensor_core=of_dense, pipelined=is_on).total.seconds
        for is_on in (False, True)
    )
    return plain / pipelined


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__, quick="fewer steps").parse_args()
    steps = 10 if args.quick else 60
    width = 1024
    weight = jnp.full((width, width), 1e-3)
    rows = [
        measure("SparseCore-light", 2, wide(width), weight, steps),
        measure("host idle", 20, narrow(20_000), jnp.ones(1), steps),
    ]
    publish("pipelining.py", [Table("Pipelined steps", HEADS, rows)], args)


if __name__ == "__main__":
    main()
