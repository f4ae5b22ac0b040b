"""The tables, features and batches of a case of the matrix."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax_tpu_embedding.sparsecore.lib.nn import embedding, table_stacking
from jax_tpu_embedding.sparsecore.lib.nn import embedding_spec as specs

from support.jax_tpu_embedding.matrix_axes import Case
from support.jax_tpu_embedding.matrix_model import Samples
from support.jax_tpu_embedding.matrix_optimizers import Optimizer, make_optimizer

Tree = Any
"""A nest of dictionaries and lists with a leaf for each feature."""

TABLES = {"items": (200, 6), "users": (330, 8), "words": (90, 20)}
"""Vocabulary and width: neither is what the chip pads it to."""
SAMPLES = {"items": 2, "users": 3, "words": 1, "items again": 1}
"""Samples of a SparseCore, by feature."""
VALENCY = 6
ROOMY = 48
"""A limit that no batch reaches."""
STEPS = 2
QUANTIZATION = specs.QuantizationConfig(min_value=-0.6, max_value=0.7, num_buckets=64)


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """A preprocessed batch, and the same as a user sees it."""

    inputs: embedding.PreprocessedInput
    samples: dict[str, Samples]


@dataclasses.dataclass(frozen=True, eq=False)
class Training:
    """What a case consists of.

    Attributes:
        features: the specifications, stacked.
        batches: one for each step.
        gradients: of each feature's activations, `[samples, dim]`, in each step.
    """

    case: Case
    optimizer: Optimizer
    features: Tree
    batches: list[Batch]
    gradients: list[Tree]


def make_training(case: Case, seed: int) -> Training:
    """Specify the features of a case, and draw what it is trained with."""
    optimizer = make_optimizer(case.optimizer, case.rate)
    features = make_features(case, optimizer)
    chance = np.random.default_rng([seed, 1])
    gradients = [
        jax.tree.map(
            lambda spec: chance.normal(size=spec.output_shape).astype(np.float32), features
        )
        for _ in range(STEPS)
    ]
    return Training(case, optimizer, features, make_batches(case, features, seed), gradients)


def make_features(case: Case, optimizer: Optimizer) -> Tree:
    """Specify the features, stacked as the case says."""
    tables = {name: _table(case, optimizer, name) for name in TABLES}
    cores = case.devices * case.cores

    def feature(name: str) -> specs.FeatureSpec:
        table, batch = tables[name.split(maxsplit=1)[0]], SAMPLES[name] * cores
        return specs.FeatureSpec(
            name=name,
            table_spec=table,
            input_shape=(batch, VALENCY),
            output_shape=(batch, table.embedding_dim),
        )

    one, other = [feature("words")], {"users": feature("users"), "items": feature("items")}
    if case.features == "shared table":
        one.append(feature("items again"))
    features = {"list": one, "dictionary": other}
    _stack(case, features)
    return features


def _table(case: Case, optimizer: Optimizer, name: str) -> specs.TableSpec:
    vocabulary, dim = TABLES[name]
    return specs.TableSpec(
        name=name,
        vocabulary_size=vocabulary,
        embedding_dim=dim,
        initializer=_wave,
        optimizer=optimizer.library,
        combiner=case.combiner,
        max_ids_per_partition=ROOMY,
        max_unique_ids_per_partition=ROOMY,
        quantization_config=QUANTIZATION if case.quantization == "on" else None,
    )


def _wave(
    key: jax.Array, shape: Any, dtype: Any = jnp.float32, out_sharding: Any = None
) -> jax.Array:
    """Initialize a table, each SparseCore's part of it with values of its own.

    Unlike JAX's own initializers it takes no time to compile.
    """
    del out_sharding
    places = jnp.arange(math.prod(shape), dtype=dtype) + jax.random.key_data(key)[-1] % 4096
    return (0.5 * jnp.sin(places)).reshape(shape)


def _stack(case: Case, features: Tree) -> None:
    """Stack tables, and prepare those that are left alone."""
    limits: dict[str, Any] = {
        "stack_to_max_ids_per_partition": lambda name, batch: ROOMY,
        "stack_to_max_unique_ids_per_partition": lambda name, batch: ROOMY,
    }
    if case.stacking == "auto":
        embedding.auto_stack_tables(features, global_device_count=case.devices, **limits)
    if case.stacking == "by hand":
        table_stacking.stack_tables(
            features,
            ["words", "items"],
            global_device_count=case.devices,
            num_sc_per_device=case.cores,
            rotation=1,
            stack_name="pair",
            **limits,
        )
    embedding.prepare_feature_specs_for_training(features, global_device_count=case.devices)


def rows_of_tables(training: Training) -> dict[str, tuple[str, np.ndarray]]:
    """Ask the library for each table's stack, and for its rows there."""
    case = training.case
    proto = embedding.create_proto_from_feature_specs(training.features, case.devices, case.cores)
    found = {}
    for name, (vocabulary, _) in TABLES.items():
        wanted = {name: range(vocabulary)}
        ((stack, rows),) = table_stacking.get_row_ids_in_stacked_tables(proto, wanted).items()
        found[name] = (stack, np.array(rows))
    return found


def make_batches(case: Case, features: Tree, seed: int) -> list[Batch]:
    """Preprocess a batch for each step, with limits and buffers as the case asks."""
    chance = np.random.default_rng(seed)
    given = [
        {spec.name: _samples(case, spec, chance) for spec in jax.tree.leaves(features)}
        for _ in range(STEPS)
    ]
    if case.minibatches == "many" or case.buffers == "fitted":
        _fit_limits(case, features, given)
    done = [preprocess(case, features, samples) for samples in given]
    if case.buffers == "fitted":
        # The library's sizes are those of a single minibatch.
        count = max(int(inputs.num_minibatches.flat[0]) for inputs, _ in done)
        sizes = _largest([stats for _, stats in done], "required_buffer_size_per_sc")
        sizes = {name: count * size for name, size in sizes.items()}
        stats = embedding.SparseDenseMatmulInputStats({}, {}, required_buffer_size_per_sc=sizes)
        embedding.update_preprocessing_parameters(features, stats, case.cores)
        done = [preprocess(case, features, samples) for samples in given]
    for inputs, stats in done:
        assert not any(stats.id_drop_counters.values()), stats.id_drop_counters
        count = int(inputs.num_minibatches.flat[0])
        assert (count > 1) == (case.minibatches == "many"), f"{count} minibatches"
    return [Batch(inputs, samples) for (inputs, _), samples in zip(done, given, strict=True)]


def _samples(case: Case, spec: specs.FeatureSpec, chance: np.random.Generator) -> Samples:
    """Draw ids, small ones more often, so that some are drawn twice."""
    minimum = VALENCY if case.inputs.startswith("dense") else 0
    counts = chance.integers(minimum, VALENCY + 1, spec.output_shape[0])
    vocabulary = spec.table_spec.vocabulary_size
    ids = [(vocabulary * chance.random(n) ** 2).astype(np.int32) for n in counts]
    if not case.inputs.endswith("weighted"):
        return Samples(ids, [np.ones(n, np.float32) for n in counts])
    return Samples(ids, [chance.uniform(0.2, 2, n).astype(np.float32) for n in counts])


def _fit_limits(case: Case, features: Tree, given: list[dict[str, Samples]]) -> None:
    """Set limits that each batch just keeps, or, for several minibatches, just passes."""
    off = dataclasses.replace(case, minibatches="off")
    found = [preprocess(off, features, samples)[1] for samples in given]
    limits = _largest(found, "max_ids_per_partition")
    if case.minibatches == "many":
        # One stack that has too many ids is enough: minibatches are those of all stacks.
        name = max(limits, key=lambda name: limits[name])
        limits[name] = min(int(np.max(stats.max_ids_per_partition[name])) for stats in found) - 1
    stats = embedding.SparseDenseMatmulInputStats(
        limits, _largest(found, "max_unique_ids_per_partition")
    )
    embedding.update_preprocessing_parameters(features, stats, case.cores)


def _largest(stats: list[embedding.SparseDenseMatmulInputStats], field: str) -> dict[str, Any]:
    """Return the largest number of each stack."""
    names = getattr(stats[0], field)
    return {name: max(int(np.max(getattr(one, field)[name])) for one in stats) for name in names}


def preprocess(
    case: Case, features: Tree, samples: dict[str, Samples]
) -> tuple[embedding.PreprocessedInput, embedding.SparseDenseMatmulInputStats]:
    """Call the library's preprocessing in the form that the case asks for."""
    tree = jax.tree.map(lambda spec: samples[spec.name], features)
    options: dict[str, Any] = {
        "has_leading_dimension": case.call == "pmap",
        "enable_minibatching": case.minibatches != "off",
        "allow_id_dropping": True,
    }
    places = (features, case.devices, case.devices)
    if case.inputs == "sparse tensor":
        indices, values, shapes = (jax.tree.map(of, tree) for of in (_indices, _values, _shape))
        return embedding.preprocess_sparse_dense_matmul_input_from_sparse_tensor(
            indices, values, shapes, *places, **options
        )
    form = _stacked if case.inputs.startswith("dense") else _ragged
    weights = None
    if case.inputs.endswith("weighted"):
        weights = jax.tree.map(lambda one: form(one.weights), tree)
    ids = jax.tree.map(lambda one: form(one.ids), tree)
    return embedding.preprocess_sparse_dense_matmul_input(ids, weights, *places, **options)


def _stacked(rows: list[np.ndarray]) -> np.ndarray:
    return np.stack(rows)


def _ragged(rows: list[np.ndarray]) -> np.ndarray:
    found = np.empty(len(rows), object)
    found[:] = rows
    return found


def _indices(samples: Samples) -> np.ndarray:
    pairs = [(row, place) for row, ids in enumerate(samples.ids) for place in range(len(ids))]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _values(samples: Samples) -> np.ndarray:
    return np.concatenate(samples.ids)


def _shape(samples: Samples) -> np.ndarray:
    return np.array([len(samples.ids), VALENCY], np.int64)
