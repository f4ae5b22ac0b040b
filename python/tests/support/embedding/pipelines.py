"""A small model, its pipeline, and the same training in loops that are written by hand."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import sdykit.sparsecore as sc
from sdykit.sparsecore.optimizers import Optimizer

BATCH = 16
"""Samples of a device."""
STEPS = 5
TABLES = {"users": (24, 8), "items": (40, 16)}
"""Rows and widths of the tables."""


@dataclasses.dataclass(frozen=True)
class Model:
    """A layer, data, and the first values.

    Attributes:
        embedding: two tables in stacks of their own, looked up by three features.
        weight: the weight of the dense part.
        data: pairs of a batch and of targets.
    """

    embedding: sc.Embedding
    weight: Any
    data: list[tuple[Any, Any]]

    def variables(self) -> Any:
        """Return new tables and slots, the same each time."""
        random = np.random.default_rng(1)
        tables = {
            name: 0.3 * random.standard_normal(shape, np.float32) for name, shape in TABLES.items()
        }
        return self.embedding.from_tables(tables)

    def carry(self) -> Any:
        """Return new weights."""
        return jnp.copy(self.weight)


def make_model(
    optimizer: Optimizer,
    *,
    devices: int = 1,
    is_off: bool = False,
    quantization: sc.Quantization | None = None,
    steps: int = STEPS,
) -> Model:
    """Return a model; each feature has rows that many batches look up."""
    mesh = None if devices == 1 else Mesh(jax.devices()[:devices], "x", (AxisType.Auto,))
    size = BATCH * devices
    users = sc.TableSpec("users", *TABLES["users"], optimizer, quantization=quantization)
    items = sc.TableSpec(
        "items", *TABLES["items"], optimizer, combiner="mean", quantization=quantization
    )
    features = [
        sc.FeatureSpec("user", users, size),
        sc.FeatureSpec("friend", users, size),
        sc.FeatureSpec("seen", items, size),
    ]
    config = sc.SparsecoreConfig(tf_xla_disable_full_embedding_pipelining=is_off)
    embedding = sc.Embedding(features, mesh=mesh, config=config)
    random = np.random.default_rng(0)
    weight = 0.1 * jnp.asarray(random.standard_normal((8, 16)), jnp.float32)
    if mesh is not None:
        weight = jax.device_put(weight, NamedSharding(mesh, P()))
    data = []
    for _ in range(steps):
        ids = {
            "user": random.integers(24, size=(size, 1)),
            "friend": random.integers(24, size=(size, 3)),
            "seen": random.integers(40, size=(size, 2)),
        }
        targets = random.standard_normal(size).astype(np.float32)
        data.append((embedding.preprocess(ids), jax.device_put(targets, embedding.sharding)))
    return Model(embedding, weight, data)


def dense(weight: Any, activations: dict[str, jax.Array], targets: Any) -> tuple[Any, Any, Any]:
    """Return the weight after a step of gradient descent, the gradients and the loss."""

    def loss(weight: Any, activations: dict[str, jax.Array]) -> jax.Array:
        left = activations["user"] + activations["friend"]
        found = jnp.sum((left @ weight) * activations["seen"], axis=1)
        return jnp.mean((found - targets) ** 2)

    value, (of_weight, gradients) = jax.value_and_grad(loss, argnums=(0, 1))(weight, activations)
    return weight - 0.05 * of_weight, gradients, value


def train(model: Model, learning_rate: Any = None) -> tuple[Any, Any, list[float]]:
    """Return variables, weight and losses after training in the pipeline."""
    pipeline = sc.pipelined(model.embedding, dense, learning_rate=learning_rate)
    start = pipeline.init(model.variables(), model.carry())
    states, losses = [start], []
    for state, loss in pipeline.run(start, model.data):
        states.append(state)
        losses.append(float(loss))
    assert int(states[-1].step) == len(model.data)
    return states[-1].variables, states[-1].carry, losses


def train_by_hand(model: Model, *, delay: int, learning_rate: Any = None) -> Any:
    """Return the same after a loop that applies the gradients of a batch `delay` steps later.

    With 1 they are applied before the next lookup, with 2 before the one after it.
    """
    layer = model.embedding
    lookup, run_dense, update = jax.jit(layer.lookup), jax.jit(dense), jax.jit(layer.update)
    variables, weight, losses = model.variables(), model.carry(), []
    gradients: list[Any] = []

    def apply(number: int) -> Any:
        rate = learning_rate(number) if callable(learning_rate) else learning_rate
        return update(variables, model.data[number][0], gradients[number], number, rate)

    for number in itertools.count():
        if number >= delay:
            variables = apply(number - delay)
        if number == len(model.data):
            break
        batch, targets = model.data[number]
        weight, found, loss = run_dense(weight, lookup(variables, batch), targets)
        gradients.append(found)
        losses.append(float(loss))
    for number in range(len(model.data) - delay + 1, len(model.data)):
        variables = apply(number)
    return variables, weight, losses


def assert_same(found: Any, expected: Any) -> None:
    """Assert that all arrays are equal bit for bit, and have changed."""
    leaves, others = jax.tree.leaves(found), jax.tree.leaves(expected)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for one, other in zip(leaves, others, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
        assert np.isfinite(np.asarray(one)).all()


def compare(optimizer: Optimizer, **options: Any) -> None:
    """Assert that the pipeline computes what loops by hand do, with pipelining and without."""
    rate = options.pop("learning_rate", None)
    results = []
    for is_off, delay in ((False, 2), (True, 1)):
        model = make_model(optimizer, is_off=is_off, **options)
        found = train(model, rate)
        assert_same(found, train_by_hand(model, delay=delay, learning_rate=rate))
        results.append(found)
    (_, _, late), (_, _, early) = results
    # The first two losses do not depend on an update of the tables, or on one that is late alone.
    assert late[0] == early[0]
    assert len(late) < 3 or late[2:] != early[2:], "the delay makes no difference"
