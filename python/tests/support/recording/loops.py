"""Training loops to record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

import sdykit.sparsecore as sc
from sdykit.sparsecore.inputs import FeatureInput

SAMPLES, VALENCY, VOCABULARY = 64, 4, 1000

Ids = Mapping[str, FeatureInput]


def make_tables(count: int = 2, **fields: Any) -> list[sc.TableSpec]:
    """Return tables of 1000 rows, 16 and 32 wide in turn."""
    return [
        sc.TableSpec(f"table_{at}", VOCABULARY, 16 * (1 + at % 2), **fields) for at in range(count)
    ]


def make_layer(tables: Sequence[sc.TableSpec], **fields: Any) -> sc.Embedding:
    """Return a layer with a feature for each table."""
    return sc.Embedding(
        [sc.FeatureSpec(f"of_{each.name}", each, SAMPLES) for each in tables], **fields
    )


def batches(layer: sc.Embedding, count: int, seed: int = 0) -> Iterator[dict[str, np.ndarray]]:
    """Yield batches of random ids."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        yield {
            each.name: random.integers(0, each.table.vocabulary_size, (SAMPLES, VALENCY))
            for each in layer.features
        }


def make_step(layer: sc.Embedding) -> Callable[..., Any]:
    """Return a compiled step of training: lookups, a sum of squares, updates."""

    def step(variables: Any, batch: Any) -> Any:
        activations = layer.lookup(variables, batch)
        gradients = jax.tree.map(lambda each: 2 * each, activations)
        return layer.update(variables, batch, gradients, 0), activations

    if layer.mesh is not None:
        spec = layer.spec
        step = jax.shard_map(
            step, mesh=layer.mesh, in_specs=(spec, spec), out_specs=(spec, spec), check_vma=False
        )
    return jax.jit(step)


def train(layer: sc.Embedding, ids: Iterator[Ids], variables: Any = None) -> Any:
    """Return the variables after a step for each batch of ids."""
    if variables is None:
        variables = layer.init(jax.random.key(0), jax.nn.initializers.normal())
    step = make_step(layer)
    for each in ids:
        variables, activations = step(variables, layer.preprocess(each))
        jax.block_until_ready(activations)
    return jax.block_until_ready(variables)
