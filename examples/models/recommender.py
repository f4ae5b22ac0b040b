"""A training step of a recommender: 26 embedding tables, dot interactions, two MLPs.

The large tables are split by rows over all devices, the small ones stay whole; the batch is
split over all devices, the MLPs are replicated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from examples.models.program import Program, f32, i32

Tree = dict[str, Any]

ALL_AXES = ("data", "model")


@dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    tables: int = 26
    batch: int = 64
    numeric: int = 13
    """Numeric features of an example."""
    width: int = 16
    small: int = 8
    large: int = 1024
    """Rows of a small and of a large table; every third table is small."""

    def rows(self, table: int) -> int:
        """Rows of a table."""
        return self.small if table % 3 == 2 else self.large


def program(config: Config | None = None) -> Program:
    """Return the step `(params, numeric, categories, labels) -> (params, loss)`."""
    config = config or Config()
    features = config.tables + 1
    pairs = features * (features - 1) // 2
    bottom = (config.numeric, 32, config.width)
    top = (config.width + pairs, 64, 1)
    params = {
        "tables": [f32(config.rows(table), config.width) for table in range(config.tables)],
        "bottom": _layers(bottom),
        "top": _layers(top),
    }
    specs = {
        "tables": [
            P(ALL_AXES, None) if config.rows(table) == config.large else P()
            for table in range(config.tables)
        ],
        "bottom": P(),
        "top": P(),
    }
    return Program(
        training_step,
        (
            params,
            f32(config.batch, config.numeric),
            i32(config.batch, config.tables),
            f32(config.batch),
        ),
        in_shardings=(specs, P(ALL_AXES, None), P(ALL_AXES, None), P(ALL_AXES)),
        out_shardings=(specs, P()),
    )


def _layers(widths: Sequence[int]) -> list[Tree]:
    return [{"w": f32(inputs, outputs), "b": f32(outputs)} for inputs, outputs in pairwise(widths)]


def training_step(
    params: Tree, numeric: jax.Array, categories: jax.Array, labels: jax.Array
) -> tuple[Tree, jax.Array]:
    """One step of gradient descent.

    `numeric` is f32[batch, numeric], `categories` i32[batch, tables], `labels` f32[batch].
    """
    loss, grads = jax.value_and_grad(loss_of)(params, numeric, categories, labels)
    return jax.tree.map(lambda param, grad: param - 0.05 * grad, params, grads), loss


def loss_of(
    params: Tree, numeric: jax.Array, categories: jax.Array, labels: jax.Array
) -> jax.Array:
    """Binary cross entropy of the click probability."""
    dense = mlp(params["bottom"], numeric)
    looked_up = [table[categories[:, at]] for at, table in enumerate(params["tables"])]
    features = jnp.stack([dense, *looked_up], axis=1)
    features = jax.lax.with_sharding_constraint(features, P(ALL_AXES, None, None))
    products = jnp.einsum("bnd,bmd->bnm", features, features)
    rows, columns = jnp.tril_indices(features.shape[1], k=-1)
    interactions = products[:, rows, columns]
    logits = mlp(params["top"], jnp.concatenate([dense, interactions], axis=1))[:, 0]
    return jnp.mean(jax.nn.softplus(logits) - labels * logits)


def mlp(layers: list[Tree], x: jax.Array) -> jax.Array:
    """Apply dense layers, with relu between them; `x` is f32[batch, inputs]."""
    for at, layer in enumerate(layers):
        x = x @ layer["w"] + layer["b"]
        x = jax.nn.relu(x) if at + 1 < len(layers) else x
    return x
