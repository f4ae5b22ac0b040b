"""The model: numeric features and vectors of ids in, the log odds of a click out.

After DLRM (Naumov et al. 2019): a bottom MLP turns the numeric features into one more vector, all
pairs of vectors are multiplied in dot products, and a top MLP reads these and the bottom's vector.
Without ids it is two MLPs, the dense-only model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from examples.click_model.data import NUMERIC

Layers = list[dict[str, Any]]
Params = dict[str, Layers]

HIDDEN = 64
"""Width of the hidden layers."""


def init_params(random: np.random.Generator, tables: int, width: int) -> Params:
    """Return the layers of both MLPs, on the host.

    Args:
        random: the generator of the weights.
        tables: the number of embedding tables; 0 for the dense-only model.
        width: the number of floats of an embedding.
    """
    interactions = tables * (tables + 1) // 2
    return {
        "bottom": _init_layers(random, (NUMERIC, HIDDEN, width)),
        "top": _init_layers(random, (width + interactions, HIDDEN, HIDDEN, 1)),
    }


def log_odds(params: Params, numeric: jax.Array, embeddings: Mapping[str, jax.Array]) -> jax.Array:
    """Return the log odds of a click, `[samples]`.

    Args:
        params: the layers of `init_params`.
        numeric: `[samples, NUMERIC]`.
        embeddings: the embeddings by feature, `[samples, width]`; empty for the dense-only model.
    """
    dense = jax.nn.relu(_mlp(params["bottom"], numeric))
    # By name: a dictionary that went through `jax.grad` has lost its order.
    looked_up = [embeddings[name] for name in sorted(embeddings)]
    vectors = jnp.stack([dense, *looked_up], axis=1)
    return _mlp(params["top"], jnp.concatenate([dense, _dots(vectors)], axis=1))[:, 0]


def losses(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Return the binary cross entropy of each sample, in nats."""
    return jax.nn.softplus(logits) - labels * logits


def _init_layers(random: np.random.Generator, widths: Sequence[int]) -> Layers:
    """Return layers with random weights as by He et al. 2015 for relu, and biases of 0."""
    return [
        {
            "w": math.sqrt(2 / inputs) * random.standard_normal((inputs, outputs), np.float32),
            "b": np.zeros(outputs, np.float32),
        }
        for inputs, outputs in pairwise(widths)
    ]


def _mlp(layers: Layers, x: jax.Array) -> jax.Array:
    """Return the output of dense layers, with relu between them."""
    for number, layer in enumerate(layers, start=1):
        x = x @ layer["w"] + layer["b"]
        x = jax.nn.relu(x) if number < len(layers) else x
    return x


def _dots(vectors: jax.Array) -> jax.Array:
    """Return the dot products of all pairs of `[samples, vectors, width]`, `[samples, pairs]`."""
    return _below_diagonal(jnp.einsum("bnd,bmd->bnm", vectors, vectors))


@jax.custom_vjp
def _below_diagonal(square: jax.Array) -> jax.Array:
    """Return the elements below the diagonals of `[samples, n, n]`, `[samples, pairs]`."""
    rows, columns = np.tril_indices(square.shape[1], k=-1)
    return square[:, rows, columns]


def _forward(square: jax.Array) -> tuple[jax.Array, int]:
    return _below_diagonal(square), square.shape[1]


def _backward(count: int, of_pairs: jax.Array) -> tuple[jax.Array]:
    """Return the gradient of `_below_diagonal`: each element takes its pair's, others take 0.

    `jax.grad` would scatter the pairs instead, one element after another on CPUs.
    """
    rows, columns = np.tril_indices(count, k=-1)
    zero = rows.size
    pairs = np.full((count, count), zero)
    pairs[rows, columns] = np.arange(rows.size)
    padded = jnp.pad(of_pairs, ((0, 0), (0, 1)))
    return (jnp.take(padded, pairs.reshape(-1), axis=1, mode="clip").reshape(-1, count, count),)


_below_diagonal.defvjp(_forward, _backward)
