"""The layers of the click model, beside numpy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from examples.click_model.data import NUMERIC
from examples.click_model.model import Layers, Params, init_params, log_odds, losses


def _mlp(layers: Layers, x: np.ndarray) -> np.ndarray:
    for layer in layers[:-1]:
        x = np.maximum(x @ np.asarray(layer["w"]) + np.asarray(layer["b"]), 0)
    return x @ np.asarray(layers[-1]["w"]) + np.asarray(layers[-1]["b"])


def _expected(params: Params, numeric: np.ndarray, embeddings: list[np.ndarray]) -> np.ndarray:
    result = []
    for sample, numbers in enumerate(numeric):
        dense = np.maximum(_mlp(params["bottom"], numbers), 0)
        vectors = [dense, *(each[sample] for each in embeddings)]
        dots = [vectors[i] @ vectors[j] for i in range(len(vectors)) for j in range(i)]
        result.append(_mlp(params["top"], np.array([*dense, *dots]))[0])
    return np.array(result)


def _without_own_gradients(params: Params, numeric: jax.Array, vectors: jax.Array) -> jax.Array:
    """Return the sum of `log_odds`, by operations whose gradients are JAX's.

    Args:
        params: the layers of `init_params`.
        numeric: `[samples, NUMERIC]`.
        vectors: the embeddings, `[samples, tables, width]`.
    """

    def layers(layers: Layers, x: jax.Array) -> jax.Array:
        for layer in layers[:-1]:
            x = jax.nn.relu(x @ layer["w"] + layer["b"])
        return x @ layers[-1]["w"] + layers[-1]["b"]

    dense = jax.nn.relu(layers(params["bottom"], numeric))
    whole = jnp.concatenate([dense[:, None], vectors], axis=1)
    products = jnp.einsum("bnd,bmd->bnm", whole, whole)
    rows, columns = np.tril_indices(whole.shape[1], k=-1)
    return layers(params["top"], jnp.concatenate([dense, products[:, rows, columns]], axis=1)).sum()


@pytest.mark.parametrize("tables", [1, 3, 12])
def test_gradients_are_those_of_the_plain_operations(tables: int) -> None:
    random = np.random.default_rng(1)
    params = jax.tree.map(jnp.asarray, init_params(random, tables, width=5))
    numeric = jnp.asarray(random.standard_normal((7, NUMERIC), np.float32))
    vectors = jnp.asarray(random.standard_normal((7, tables, 5), np.float32))
    # Two digits: the features are taken in the order of their names.
    named = {f"feature{number:02}": vectors[:, number] for number in range(tables)}
    found = jax.grad(lambda *given: log_odds(*given).sum(), (0, 2))(params, numeric, named)
    of_params, of_vectors = jax.grad(_without_own_gradients, (0, 2))(params, numeric, vectors)
    assert jax.tree.all(jax.tree.map(np.array_equal, found[0], of_params))
    assert np.array_equal(np.stack([found[1][name] for name in sorted(named)], axis=1), of_vectors)


@pytest.mark.parametrize("tables", [0, 1, 3])
def test_the_network_multiplies_every_two_vectors(tables: int) -> None:
    random = np.random.default_rng(0)
    params = init_params(random, tables, width=5)
    numeric = random.standard_normal((7, NUMERIC), np.float32)
    embeddings = [random.standard_normal((7, 5), np.float32) for _ in range(tables)]
    named = {f"feature{number}": jnp.asarray(each) for number, each in enumerate(embeddings)}
    found = log_odds(params, jnp.asarray(numeric), named)
    assert found.shape == (7,)
    turned = dict(reversed(named.items()))
    assert np.array_equal(found, log_odds(params, jnp.asarray(numeric), turned))
    assert np.allclose(found, _expected(params, numeric, embeddings), rtol=1e-4, atol=1e-5)


def test_losses_are_those_of_probabilities() -> None:
    logits = np.array([-3.0, 0.0, 2.0, 80.0, -80.0], np.float32)
    labels = np.array([0, 1, 0, 1, 1], np.float32)
    clicked = 1 / (1 + np.exp(-logits.astype(np.float64)))
    expected = -np.log(np.where(labels == 1, clicked, 1 - clicked))
    assert np.allclose(losses(jnp.asarray(logits), jnp.asarray(labels)), expected, rtol=1e-6)
