"""Steps of preprocessed stacks, compared with dense products of single tables and features."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.inputs import Ragged
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.preprocess import Layout, Minibatching, preprocess
from sdykit.sparsecore.preprocess.results import SampleIndex, StackBuffers
from sdykit.sparsecore.reference import (
    Entries,
    entries_from_coo,
    entries_from_packed,
    fold_gains,
    lookup,
    update,
)
from sdykit.sparsecore.specs import Combiner, FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import Stack, stack
from sdykit.sparsecore.stacking.arrays import (
    stack_activations,
    stack_tables,
    unstack_activations,
    unstack_tables,
)

F32 = np.float32
OPTIMIZER = Adagrad(0.1)
LIMITS = {System(1, 4): 6, System(2, 2): 6, System(4, 4): 3}
"""Limits that are too low for one pass."""


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """Three features of two tables, which share a stack."""

    system: System
    combiner: Combiner
    stack: Stack
    ids: dict[str, Ragged]
    weights: dict[str, np.ndarray]
    tables: dict[str, np.ndarray]
    gradients: dict[str, np.ndarray]


def make_case(system: System, combiner: Combiner, limit: int) -> Case:
    rng = np.random.default_rng(system.num_sparse_cores)
    tables = [
        TableSpec(name, size, width, OPTIMIZER, combiner, limit, limit)
        for name, size, width in (("a", 40, 5), ("b", 70, 8))
    ]
    features = [
        FeatureSpec(name, tables[table], system.num_sparse_cores * samples)
        for name, table, samples in (("x", 0, 2), ("y", 1, 4), ("z", 0, 1))
    ]
    (stacked,) = stack(features, system)
    stacked = dataclasses.replace(
        stacked, max_ids_per_partition=limit, max_unique_ids_per_partition=limit
    )
    ids, weights, gradients = {}, {}, {}
    for feature in features:
        counts = rng.integers(0, 9, feature.batch_size)
        values = rng.integers(0, feature.table.vocabulary_size, counts.sum(), np.int32)
        ids[feature.name] = Ragged(values, np.append(0, counts.cumsum()))
        weights[feature.name] = rng.uniform(0.5, 2, len(values)).astype(F32)
        shape = (feature.batch_size, feature.table.embedding_dim)
        gradients[feature.name] = rng.standard_normal(shape).astype(F32)
    values = {
        table.name: rng.standard_normal((table.vocabulary_size, table.embedding_dim)).astype(F32)
        for table in tables
    }
    return Case(system, combiner, stacked, ids, weights, values, gradients)


def dense(case: Case, feature: FeatureSpec) -> np.ndarray:
    """Return the matrix of a feature's lookup in float64."""
    ids, name = case.ids[feature.name], feature.name
    splits = np.asarray(ids.row_splits)
    rows = np.repeat(np.arange(feature.batch_size), np.diff(splits))
    matrix = np.zeros((feature.batch_size, feature.table.vocabulary_size))
    gains = fold_gains(case.combiner, rows, case.weights[name])
    np.add.at(matrix, (rows, np.asarray(ids.values)), gains.astype(np.float64))
    return matrix


def read(case: Case, buffers: StackBuffers, num_minibatches: int | None) -> Entries:
    return entries_from_packed(
        buffers.row_pointers,
        buffers.embedding_ids,
        buffers.sample_ids,
        buffers.gains,
        samples_per_core=case.stack.batch_size // case.system.num_sparse_cores,
        system=case.system,
        num_minibatches=num_minibatches,
    )


def check_index(case: Case, entries: Entries, index: SampleIndex) -> None:
    """Check that the index lists each sample's entries in the order of its sum."""
    rows = case.stack.vocabulary_size // case.system.num_sparse_cores
    for core, splits in enumerate(index.splits[0]):
        for sample in range(len(splits) - 1):
            here = slice(splits[sample], splits[sample + 1])
            mine = np.flatnonzero((entries.core == core) & (entries.local_sample == sample))
            expected = entries.partition[mine] * rows + entries.local_id[mine]
            assert index.rows[0, here].tolist() == expected.tolist()
            assert np.array_equal(index.gains[0, here], entries.gain[mine])


@pytest.mark.parametrize(
    ("minibatching", "layout"),
    [
        ("off", "sdykit"),
        ("vocabulary", "sdykit"),
        ("sample", "sdykit"),
        ("off", "jax_tpu_embedding"),
        ("vocabulary", "jax_tpu_embedding"),
    ],
)
@pytest.mark.parametrize(
    ("system", "combiner"),
    [(System(1, 4), "sum"), (System(2, 2), "mean"), (System(4, 4), "sqrtn")],
    ids=str,
)
def test_a_step_of_a_stack_is_close_to_dense_products(
    system: System,
    combiner: Combiner,
    minibatching: Minibatching,
    layout: Layout,
):
    case = make_case(system, combiner, limit=256 if minibatching == "off" else LIMITS[system])
    done = preprocess(
        case.ids,
        [case.stack],
        system,
        weights=case.weights,
        layout=layout,
        minibatching=minibatching,
    )
    buffers = done.buffers[case.stack.name]
    entries = read(case, buffers, None if minibatching == "off" else done.num_minibatches)
    assert (entries.minibatch.max() > 0) == (minibatching != "off")
    assert (buffers.index is not None) == (layout == "sdykit" and system.num_devices == 1)
    if buffers.index is not None:
        check_index(case, entries, buffers.index)
    check_step(case, entries)


def check_step(case: Case, entries: Entries) -> None:
    """Check a lookup and an update of the stack, table by table and feature by feature."""
    devices, width = case.system.num_devices, case.stack.embedding_dim
    shards: Any = stack_tables(case.stack, case.system, case.tables)
    shards = shards.reshape(devices, -1, width)
    activations: Any = unstack_activations(
        case.stack, case.system, lookup(shards, entries).reshape(-1, width)
    )
    totals = {name: np.zeros(table.shape) for name, table in case.tables.items()}
    for feature in case.stack.features:
        spec, matrix = feature.spec, dense(case, feature.spec)
        expected = matrix @ case.tables[spec.table.name]
        np.testing.assert_allclose(activations[spec.name], expected, rtol=1e-4, atol=1e-5)
        totals[spec.table.name] += matrix.T @ case.gradients[spec.name]
    gradients: Any = stack_activations(case.stack, case.system, case.gradients)
    table, slots = update(
        shards,
        {"accumulator": np.full_like(shards, 0.1)},
        entries,
        gradients.reshape(devices, -1, width),
        optimizer=OPTIMIZER,
        hyperparameters=OPTIMIZER.hyperparameters(0),
    )
    shape = (case.system.num_sparse_cores, -1, width)
    tables: Any = unstack_tables(case.stack, case.system, table.reshape(shape))
    accumulators: Any = unstack_tables(case.stack, case.system, slots["accumulator"].reshape(shape))
    for name, total in totals.items():
        accumulator = 0.1 + total**2
        np.testing.assert_allclose(accumulators[name], accumulator, rtol=1e-3, atol=1e-5)
        expected = case.tables[name] - 0.1 * total / np.sqrt(accumulator)
        np.testing.assert_allclose(tables[name], expected, rtol=1e-4, atol=1e-5)


def test_minibatches_of_samples_change_no_activation():
    case = make_case(System(2, 2), "sum", 256)
    split = make_case(System(2, 2), "sum", 6)
    results = []
    pairs: list[tuple[Case, Minibatching]] = [(case, "off"), (split, "sample")]
    for each, minibatching in pairs:
        done = preprocess(
            each.ids, [each.stack], each.system, weights=each.weights, minibatching=minibatching
        )
        count = None if minibatching == "off" else done.num_minibatches
        entries = read(each, done.buffers[each.stack.name], count)
        shards = stack_tables(each.stack, each.system, each.tables).reshape(2, -1, 8)
        results.append(lookup(shards, entries))
    assert np.array_equal(*results)


def test_buffers_of_one_feature_look_up_as_a_plain_list():
    # One feature, and a table that needs no padding.
    system = System(2, 2)
    table = TableSpec("t", 32, 8, OPTIMIZER)
    (stacked,) = stack([FeatureSpec("f", table, 8)], system)
    ids = np.random.default_rng(0).integers(0, 32, (8, 5)).astype(np.int32)
    buffers = preprocess({"f": ids}, [stacked], system).buffers[stacked.name]
    entries = entries_from_packed(
        buffers.row_pointers,
        buffers.embedding_ids,
        buffers.sample_ids,
        buffers.gains,
        samples_per_core=2,
        system=system,
    )
    rows = np.repeat(np.arange(8), 5)
    plain = entries_from_coo(rows, ids.ravel(), np.ones(40, F32), 8, system)
    shards = np.random.default_rng(1).standard_normal((2, 16, 8)).astype(F32)
    assert np.array_equal(lookup(shards, entries), lookup(shards, plain))
