"""Recommend items to users: a two-tower model with the functions of jax-tpu-embedding.

The tower of users reads a row for the user and the mean of rows for items clicked before; the tower
of items reads a row for the item. A click is likely if their vectors agree. The tables are on the
SparseCores of all devices. Nothing here depends on the kind of device.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec
from jax_tpu_embedding.sparsecore.utils import utils

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from examples.jax_tpu_embedding_on_cpu.clicks import (
    LONGEST_HISTORY,
    ClickLog,
    Clicks,
)

AXIS: Final = "chips"
"""The axis of the mesh, over all devices."""
USERS: Final = 2000
ITEMS: Final = 1000
BATCH: Final = 512
"""Number of clicks of a step, over all devices. The items of the others are a click's negatives."""
WIDTH: Final = 16
"""Number of floats of a row."""
HIDDEN: Final = 64
"""Width of the hidden layer of a tower."""
RECENT: Final = 20
"""Number of batches over which losses are averaged, each computed before the model learns from it."""
GOAL: Final = 5.6
"""The loss to reach, in nats per click."""
OPTIMIZER: Final = optax.adam(0.003)
"""The optimizer of the towers."""

Features = dict[str, embedding_spec.FeatureSpec]


class State(NamedTuple):
    """The arrays that training changes."""

    towers: Any
    optimizer: Any
    tables: Any
    """Tables and slots by stack, split over the devices."""


def make_features(mesh: Mesh) -> Features:
    """Return features of three tables, of which those of users and items share a stack."""

    def feature(name: str, rows: int, valency: int, combiner: str) -> embedding_spec.FeatureSpec:
        table = embedding_spec.TableSpec(
            name=name,
            vocabulary_size=rows,
            embedding_dim=WIDTH,
            initializer=jax.nn.initializers.normal(0.1),
            optimizer=embedding_spec.AdagradOptimizerSpec(learning_rate=0.1),
            combiner=combiner,
        )
        return embedding_spec.FeatureSpec(
            name=name,
            table_spec=table,
            input_shape=(BATCH, valency),
            output_shape=(BATCH, WIDTH),
        )

    features = {
        "user": feature("user", USERS, 1, "sum"),
        "item": feature("item", ITEMS, 1, "sum"),
        "history": feature("history", ITEMS, LONGEST_HISTORY, "mean"),
    }
    embedding.auto_stack_tables(features, global_device_count=mesh.size)
    return features


def init(features: Features, mesh: Mesh) -> State:
    """Return the state of a new model."""
    tables = embedding.init_embedding_variables(
        jax.random.key(0),
        embedding.get_table_specs(features),
        NamedSharding(mesh, P(AXIS, None)),
    )
    random = np.random.default_rng(0)

    def layer(inputs: int, outputs: int) -> np.ndarray:
        return random.standard_normal((inputs, outputs)).astype(np.float32) * inputs**-0.5

    towers = {
        "user": (layer(2 * WIDTH, HIDDEN), layer(HIDDEN, WIDTH)),
        "item": (layer(WIDTH, HIDDEN), layer(HIDDEN, WIDTH)),
    }
    towers = jax.device_put(towers, NamedSharding(mesh, P()))
    return State(towers, OPTIMIZER.init(towers), tables)


def loss_of(towers: Any, rows: Any) -> jax.Array:
    """Return the mean cross entropy of finding the clicked item among those of the batch, in nats."""

    def tower(name: str, inputs: jax.Array) -> jax.Array:
        first, second = towers[name]
        return jax.nn.relu(inputs @ first) @ second

    users = tower("user", jnp.concatenate([rows["user"], rows["history"]], axis=1))
    items = tower("item", rows["item"])
    return optax.softmax_cross_entropy_with_integer_labels(
        users @ items.T, jnp.arange(BATCH)
    ).mean()


def make_step(features: Features, mesh: Mesh) -> Callable[[State, Any], tuple[State, jax.Array]]:
    """Return a jitted training step, which updates its state in place."""
    split = partial(jax.shard_map, mesh=mesh, check_vma=False)
    lookup = split(
        partial(
            embedding.tpu_sparse_dense_matmul,
            global_device_count=mesh.size,
            feature_specs=features,
        ),
        in_specs=(P(AXIS), P(AXIS)),
        out_specs=P(AXIS),
    )
    update = split(
        partial(embedding.tpu_sparse_dense_matmul_grad, feature_specs=features),
        in_specs=(P(AXIS), P(AXIS), P(AXIS)),
        out_specs=P(AXIS),
    )

    def step(state: State, ids: Any) -> tuple[State, jax.Array]:
        rows = lookup(ids, state.tables)
        loss, (of_towers, of_rows) = jax.value_and_grad(loss_of, argnums=(0, 1))(state.towers, rows)
        changes, optimizer = OPTIMIZER.update(of_towers, state.optimizer)
        towers = optax.apply_updates(state.towers, changes)
        # The loss is a mean over the batch; each row is in few samples, so its gradient is tiny.
        of_rows = jax.tree.map(lambda gradient: BATCH * gradient, of_rows)
        return State(towers, optimizer, update(of_rows, ids, state.tables)), loss

    table_format = utils.embedding_table_format(mesh, P(AXIS, None))
    return jax.jit(step, donate_argnums=0, out_shardings=(State(None, None, table_format), None))


def preprocess(features: Features, mesh: Mesh, clicks: Clicks, step: int) -> Any:
    """Return the ids of a batch, preprocessed on the host, on the devices."""
    ids = {
        "user": clicks.users[:, None],
        "item": clicks.items[:, None],
        "history": clicks.histories,
    }
    preprocessed, _ = embedding.preprocess_sparse_dense_matmul_input(
        ids,
        None,
        features,
        local_device_count=mesh.local_mesh.size,
        global_device_count=mesh.size,
        batch_number=step,
    )
    return jax.device_put(preprocessed, NamedSharding(mesh, P(AXIS)))


def train(features: Features, mesh: Mesh, log: ClickLog, steps: int) -> tuple[float, float]:
    """Train; return the loss of the last batches, and that of a model that knows all probabilities."""
    state, learn = init(features, mesh), make_step(features, mesh)
    losses: list[float] = []
    of_odds: list[float] = []
    started = time.perf_counter()
    for step, clicks in zip(range(1, steps + 1), log.batches(BATCH, seed=1), strict=False):
        state, loss = learn(state, preprocess(features, mesh, clicks, step))
        losses.append(float(loss))
        of_odds.append(log.loss_of_odds(clicks))
        if step % 40 == 0:
            seconds = time.perf_counter() - started
            print(f"step {step}: loss {np.mean(losses[-RECENT:]):.4f}, {seconds:.1f} s", flush=True)
    return float(np.mean(losses[-RECENT:])), float(np.mean(of_odds[-RECENT:]))


def main() -> int:
    """Train, and return whether the loss missed the goal."""
    parser = argparse.ArgumentParser(description="Learn who clicks what.")
    parser.add_argument("--steps", metavar="N", type=int, default=300, help="default: 300")
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error(f"argument --steps: found {steps}; expected a positive integer")
    mesh = Mesh(jax.devices(), [AXIS])
    features = make_features(mesh)
    stacks = ", ".join(embedding.get_stacked_table_specs(features))
    cores = utils.num_sparsecores_per_device(mesh.devices.item(0))
    print(
        f"{USERS} users, {ITEMS} items; {mesh.size} devices x {cores} SparseCores; stacks: {stacks}"
    )
    loss, of_odds = train(features, mesh, ClickLog.planted(USERS, ITEMS, seed=0), steps)
    print(
        f"loss {loss:.4f}, expected below {GOAL}; {math.log(BATCH):.4f} is a guess, "
        f"{of_odds:.4f} knows all chances"
    )
    return int(loss >= GOAL)


if __name__ == "__main__":
    sys.exit(main())
