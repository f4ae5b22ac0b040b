"""A small model of several tables, trained for a few steps."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from sdykit.sparsecore import Embedding, FeatureSpec, TableSpec
from sdykit.sparsecore.optimizers import Adagrad, Adam

_USERS = TableSpec("users", 100, 16, Adagrad(0.1), "mean")
_ITEMS = TableSpec("items", 500, 10, Adagrad(0.1), "mean")
_WORDS = TableSpec("words", 64, 33, Adam(0.05))
FEATURES = [
    FeatureSpec("user", _USERS, 32),
    FeatureSpec("item", _ITEMS, 32),
    FeatureSpec("more items", _ITEMS, 64),
    FeatureSpec("word", _WORDS, 32),
]
_VALENCIES = {"user": 1, "item": 3, "more items": 2, "word": 2}
STEPS = 10


def make_ids(seed: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Make ids, and the weights of one feature."""
    rng = np.random.default_rng(seed)
    ids = {
        each.name: rng.integers(
            0, each.table.vocabulary_size, (each.batch_size, _VALENCIES[each.name])
        )
        for each in FEATURES
    }
    weights = {"item": rng.uniform(0.5, 2, ids["item"].shape).astype(np.float32)}
    return ids, weights


def train(mesh: Any) -> dict[str, np.ndarray]:
    """Train towards activations of 1; return losses and tables."""
    import jax
    import jax.numpy as jnp

    embedding = Embedding(FEATURES, mesh=mesh)
    variables = embedding.init(jax.random.key(0), jax.nn.initializers.normal(0.1))
    batch = embedding.preprocess(*make_ids(0))

    @jax.jit
    def step(variables: Any, number: Any) -> Any:
        activations = embedding.lookup(variables, batch)
        loss, gradients = jax.value_and_grad(
            lambda each: sum(jnp.mean((x - 1) ** 2) * 50 for x in each.values())
        )(activations)
        return embedding.update(variables, batch, gradients, number), loss

    losses = []
    for number in range(STEPS):
        variables, loss = step(variables, jnp.int32(number))
        losses.append(float(loss))
    return {"loss": np.array(losses), **embedding.tables(variables)}


def main() -> None:
    """Train on all devices; prints JSON."""
    Embedding(FEATURES)  # Sets NPROC, and starts no backend.
    import jax

    mesh = jax.make_mesh((jax.device_count(),), ("x",))
    print(json.dumps({name: each.tolist() for name, each in train(mesh).items()}))
