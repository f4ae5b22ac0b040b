"""A model on jax-tpu-embedding, and the same model on dense arrays, which its layers must match.

Features look up rows of four tables, two of which share a stack; one dense layer follows. The dense
model multiplies tables with matrices, and JAX differentiates it whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec, table_stacking
from jax_tpu_embedding.sparsecore.utils import utils

AXIS = "chips"
BATCH = 32
OUTPUTS = 4
RATE = 0.03
"""Learning rate of all: small, so that rounding errors stay as they are."""
ACCUMULATED = 0.1
"""What Adagrad starts with."""

ADAGRAD = embedding_spec.AdagradOptimizerSpec(RATE, ACCUMULATED)


class Kind(NamedTuple):
    """What a table is like."""

    rows: int
    width: int
    combiner: str
    optimizer: str


TABLES = {
    "movies": Kind(104, 12, "mean", "adagrad"),
    "people": Kind(120, 12, "sum", "adagrad"),
    "studios": Kind(96, 12, "sum", "adagrad"),
    "genres": Kind(72, 8, "sum", "sgd"),
}
"""People and studios share a stack; the width of three is padded."""

FEATURES = {
    "liked": ("movies", 5),
    "seen": ("movies", 3),
    "who": ("people", 1),
    "made by": ("studios", 4),
    "genre": ("genres", 2),
}
"""Table, and the maximum number of ids of a sample."""

Tables = dict[str, Any]


class Batch(NamedTuple):
    """Samples for both models."""

    ids: dict[str, Any]
    """By feature: `[BATCH]` arrays of ids."""
    weights: dict[str, Any]
    matrices: dict[str, np.ndarray]
    """By feature: `[BATCH, rows]`; the mean is in it."""
    target: np.ndarray
    """`[BATCH, OUTPUTS]`."""


def make_features(
    mesh: Mesh,
    names: Mapping[str, tuple[str, int]] = FEATURES,
    limit: int = 256,
    adagrad: embedding_spec.OptimizerSpec = ADAGRAD,
) -> dict[str, embedding_spec.FeatureSpec]:
    """Specify features and their tables, stacked; `limit` is of ids, and of unique ones."""
    optimizers = {
        "adagrad": adagrad,
        "sgd": embedding_spec.SGDOptimizerSpec(RATE),
    }
    tables = {
        name: embedding_spec.TableSpec(
            name=name,
            vocabulary_size=kind.rows,
            embedding_dim=kind.width,
            initializer=jax.nn.initializers.normal(0.5),
            optimizer=optimizers[kind.optimizer],
            combiner=kind.combiner,
            max_ids_per_partition=limit,
            max_unique_ids_per_partition=limit,
        )
        for name, kind in TABLES.items()
    }
    features = {
        name: embedding_spec.FeatureSpec(
            name=name,
            table_spec=tables[table],
            input_shape=(BATCH, valency),
            output_shape=(BATCH, tables[table].embedding_dim),
        )
        for name, (table, valency) in names.items()
    }
    embedding.auto_stack_tables(
        features,
        global_device_count=mesh.size,
        stack_to_max_ids_per_partition=lambda _name, _batch: limit,
        stack_to_max_unique_ids_per_partition=lambda _name, _batch: limit,
    )
    return features


def make_batch(seed: int, names: Mapping[str, tuple[str, int]] = FEATURES) -> Batch:
    """Draw ragged ids, duplicates among them, and weights."""
    random = np.random.default_rng(seed)
    ids, weights, matrices = {}, {}, {}
    for name, (table, valency) in names.items():
        kind = TABLES[table]
        lengths = random.integers(1, valency, BATCH, endpoint=True)
        ids[name] = _ragged([random.integers(kind.rows, size=n, dtype=np.int32) for n in lengths])
        weights[name] = _ragged([random.uniform(0.5, 2, n).astype(np.float32) for n in lengths])
        matrix = np.zeros((BATCH, kind.rows), np.float32)
        for sample in range(BATCH):
            np.add.at(matrix[sample], ids[name][sample], weights[name][sample])
        if kind.combiner == "mean":
            matrix /= matrix.sum(1, keepdims=True)
        matrices[name] = matrix
    target = random.standard_normal((BATCH, OUTPUTS)).astype(np.float32)
    return Batch(ids, weights, matrices, target)


def preprocessed(features: Any, mesh: Mesh, batch: Batch) -> Any:
    """Return the library's preprocessed batch, and its statistics."""
    return embedding.preprocess_sparse_dense_matmul_input(
        batch.ids,
        batch.weights,
        features,
        local_device_count=mesh.size,
        global_device_count=mesh.size,
    )


def kernel(names: Mapping[str, tuple[str, int]] = FEATURES) -> np.ndarray:
    """Return the dense layer that training starts with."""
    width = sum(TABLES[table].width for table, _ in names.values())
    return np.random.default_rng(99).standard_normal((width, OUTPUTS)).astype(np.float32) / 8


def loss_of(weights: Any, activations: Mapping[str, Any], target: Any) -> jax.Array:
    """Return the loss of both models; it knows rows only as what was looked up."""
    joined = jnp.concatenate([activations[name] for name in sorted(activations)], axis=1)
    return jnp.sum((jnp.tanh(joined @ weights) - target) ** 2)


def unstacked(features: Any, variables: Any, mesh: Mesh) -> Tables:
    """Return each table `[rows, width]` of the library's stacks."""
    shards = mesh.size * utils.num_sparsecores_per_device()
    # Copies: what is donated later changes in place.
    stacks = {name: np.array(each.table) for name, each in variables.items()}
    specs = dict(embedding.get_table_specs(features))
    tables: Any = table_stacking.unshard_and_unstack_tables(specs, stacks, shards)
    return {name: np.array(table) for name, table in tables.items()}


@dataclass
class DenseModel:
    """What the layers must do. `late`: how many updates a lookup has not seen yet."""

    weights: Any
    tables: Tables
    late: int = 0

    def __post_init__(self) -> None:
        self.accumulators = {
            name: np.full_like(table, ACCUMULATED) for name, table in self.tables.items()
        }
        self.seen = [self.tables] * (self.late + 1)

    def learn(self, batch: Batch) -> float:
        """Take one step, and return the loss before it."""
        value, (of_weights, of_tables) = _slopes(
            self.weights, self.seen[0], batch.matrices, batch.target
        )
        self.weights = self.weights - RATE * of_weights
        self.tables = {
            name: self._updated(name, np.asarray(of_tables[name])) for name in self.tables
        }
        self.seen = [*self.seen[1:], self.tables]
        return float(value)

    def _updated(self, name: str, gradient: np.ndarray) -> np.ndarray:
        table = self.tables[name]
        if TABLES[name].optimizer == "sgd":
            return table - RATE * gradient
        self.accumulators[name] = self.accumulators[name] + gradient**2
        return table - RATE * gradient / np.sqrt(self.accumulators[name])


def _dense_loss(weights: Any, tables: Tables, matrices: Any, target: Any) -> jax.Array:
    activations = {name: matrix @ tables[FEATURES[name][0]] for name, matrix in matrices.items()}
    return loss_of(weights, activations, target)


_slopes = jax.jit(jax.value_and_grad(_dense_loss, argnums=(0, 1)))


def assert_same(found: Any, expected: Any) -> None:
    """Compare trees of arrays; sums may have another order."""
    jax.tree.map(
        lambda one, other: np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6),
        found,
        expected,
    )


def _ragged(rows: list[np.ndarray]) -> np.ndarray:
    array = np.empty(len(rows), object)
    for at, row in enumerate(rows):
        array[at] = row
    return array
