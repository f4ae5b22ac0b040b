"""Lookups and gradient sums: by hand, the order of the sums, and against JAX and dense products."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import (
    entries_from_coo,
    from_int8,
    gradient_sums,
    lookup,
    shard,
    simulate,
    unshard,
)
from sdykit.sparsecore.specs import System
from support.amounts import examples
from support.sparsecore.reference_cases import SYSTEMS, Batch, batches, random_batch

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(60))
F32 = np.float32
ONE = System(1, 1)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(F32)


def gradients_of(batch: Batch, rng: np.random.Generator, dim: int) -> np.ndarray:
    devices = batch.system.num_devices
    return floats(rng, devices, batch.batch_size // devices, dim)


def test_a_lookup_is_the_one_computed_by_hand():
    # [[A], [A, B, C], [B, B, D]] with A..D = 0..3: the last sample has B twice.
    table = np.array([[1, 10], [2, 20], [4, 40], [8, 80]], F32)
    gains = np.array([1, 1, 0.5, 2, 1, 3, -1], F32)
    entries = entries_from_coo([0, 1, 1, 1, 2, 2, 2], [0, 0, 1, 2, 1, 1, 3], gains, 4, ONE)
    assert len(entries) == 6
    expected = [[1, 10], [1 + 1 + 8, 100], [4 * 2 - 8, 0], [0, 0]]
    assert lookup(shard(table, ONE), entries).tolist() == [expected]


def test_gradient_sums_are_those_computed_by_hand():
    gains = np.array([1, 1, 0.5, 2, 0], F32)
    entries = entries_from_coo([0, 1, 1, 1, 2], [0, 0, 1, 2, 3], gains, 4, ONE)
    gradients = np.array([[[1, 2], [10, 20], [100, 200], [7, 7]]], F32)
    sums = gradient_sums(entries, gradients, 6)
    # Row 3 is touched, though its gain is 0; rows 4 and 5 are not.
    assert (sums.device.tolist(), sums.row.tolist()) == ([0] * 4, [0, 1, 2, 3])
    assert sums.gradient.tolist() == [[11, 22], [5, 10], [20, 40], [0, 0]]


def test_a_table_may_be_a_vector():
    table = np.array([1, 2, 4, 8], F32)
    entries = entries_from_coo([0, 0, 1], [1, 3, 2], np.array([1, 2, 3], F32), 2, ONE)
    assert lookup(shard(table, ONE), entries).tolist() == [[18, 12]]
    sums = gradient_sums(entries, np.array([[5, 7]], F32), 4)
    assert sums.gradient.tolist() == [5, 21, 10]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, jnp.bfloat16])
def test_integers_and_bfloat16_are_converted_to_float32(dtype: Any):
    table = np.array([[3, 100], [7, 2]], dtype)
    entries = entries_from_coo([0, 0], [0, 1], np.array([0.5, 2], F32), 1, ONE)
    activations = lookup(shard(table, ONE), entries)
    assert activations.dtype == F32
    assert activations.tolist() == [[[15.5, 54]]]


def test_rows_of_a_sample_are_added_in_the_order_of_the_buffers():
    # 1e8 + 1 is 1e8 in float32, so that the sum depends on the order.
    big, one, minus = F32(1e8), F32(1), F32(-1e8)
    system = System(1, 2)
    gains = np.array([1, 1, 1], F32)
    # By partition, then id: 0 and 2 (partition 0), then 1.
    table = np.array([[big], [one], [minus], [0]], F32)
    entries = entries_from_coo([0, 0, 0], [1, 2, 0], gains, 2, system)
    assert lookup(shard(table, system), entries)[0, 0, 0] == 1
    table = np.array([[big], [minus], [one], [0]], F32)
    assert lookup(shard(table, system), entries)[0, 0, 0] == 0
    # In this order of the buffers 0 and 1 are added first, then 2.
    fields = [field.name for field in dataclasses.fields(entries)[2:]]
    later = {name: getattr(entries, name)[[0, 2, 1]] for name in fields}
    later["minibatch"] = np.array([0, 0, 1])
    assert lookup(shard(table, system), dataclasses.replace(entries, **later))[0, 0, 0] == 1


def test_each_device_sums_its_rows_separately():
    big, one, minus = F32(1e8), F32(1), F32(-1e8)
    gains = np.array([1, 1, 1], F32)
    # One after another 1 + 1e8 - 1e8 is 0; two devices add 1 + 0 and 1e8 - 1e8.
    table = np.array([[one], [0], [big], [minus]], F32)
    for system, expected in ((System(1, 4), 0), (System(2, 2), 1)):
        entries = entries_from_coo([0, 0, 0], [0, 2, 3], gains, 4, system)
        assert lookup(shard(table, system), entries)[0, 0, 0] == expected


def sums_of(gradients: list[np.float32], system: System, minibatch: list[int]) -> float:
    """Return the gradient of one row that three of four samples look up, listed backwards."""
    entries = entries_from_coo([2, 1, 0], [0, 0, 0], np.ones(3, F32), 4, system)
    order = np.argsort(entries.device * entries.samples_per_device + entries.sample)
    split = np.zeros(3, np.int64)
    split[order] = minibatch
    per_device = np.array([*gradients, 0], F32).reshape(system.num_devices, -1, 1)
    sums = gradient_sums(dataclasses.replace(entries, minibatch=split), per_device, 4)
    return sums.gradient.item()


def test_gradients_of_a_row_are_added_by_minibatch_and_sample():
    big, one, minus = F32(1e8), F32(1), F32(-1e8)
    for system in (System(1, 1), System(1, 2), System(1, 4)):
        assert sums_of([big, minus, one], system, [0, 0, 0]) == 1
        assert sums_of([big, one, minus], system, [0, 0, 0]) == 0
        # Samples of the first minibatch come before those of the second.
        assert sums_of([big, one, minus], system, [0, 1, 0]) == 1
    # The first device has two of the samples: 1 + 1e8, and -1e8; or 1, and 1e8 - 1e8.
    assert sums_of([one, big, minus], System(2, 1), [0, 0, 0]) == 0
    assert sums_of([one, big, minus], System(4, 1), [0, 0, 0]) == 0
    entries = entries_from_coo([0, 2, 3], [0, 0, 0], np.ones(3, F32), 4, System(2, 2))
    gradients = np.array([one, 0, big, minus], F32).reshape(2, 2, 1)
    assert gradient_sums(entries, gradients, 4).gradient.item() == 1


def test_products_are_rounded_before_the_sum():
    # (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24; a fused sum with -1 would keep the last term.
    x = F32(1 + 2**-12)
    table = np.array([[-1], [x]], F32)
    entries = entries_from_coo([0, 0], [0, 1], np.array([1, x], F32), 1, ONE)
    assert lookup(shard(table, ONE), entries)[0, 0, 0] == 2**-11
    sums = gradient_sums(
        entries_from_coo([0, 1], [0, 0], np.array([1, x], F32), 2, ONE),
        np.array([[[-1], [x]]], F32),
        1,
    )
    assert sums.gradient[0, 0] == 2**-11


def test_subnormal_numbers_are_not_flushed():
    tiny = F32(2**-149)
    entries = entries_from_coo([0], [0], np.array([1], F32), 1, ONE)
    assert lookup(np.array([[[tiny]]]), entries)[0, 0, 0] == tiny


@SAME_EVERY_TIME
@given(batches())
def test_lookup_is_a_product_with_a_one_hot_matrix(batch: Batch):
    rng = np.random.default_rng(len(batch.row_ids))
    table = floats(rng, batch.vocabulary, 5)
    activations = lookup(shard(table, batch.system), batch.entries()).reshape(-1, 5)
    matrix = batch.one_hot()
    bound = 16 * np.finfo(F32).eps * (np.abs(matrix) @ np.abs(table))
    assert (np.abs(activations - matrix @ table.astype(np.float64)) <= bound).all()


@SAME_EVERY_TIME
@given(batches())
def test_gradient_sums_are_a_product_with_its_transpose(batch: Batch):
    rng = np.random.default_rng(len(batch.row_ids))
    system = batch.system
    rows_per_core = batch.vocabulary // system.num_sparse_cores
    gradients = gradients_of(batch, rng, 3)
    sums = gradient_sums(batch.entries(), gradients, rows_per_core)
    dense = np.zeros((system.num_devices, rows_per_core * system.sparse_cores_per_device, 3))
    dense[sums.device, sums.row] = sums.gradient
    flat = gradients.reshape(-1, 3).astype(np.float64)
    matrix = batch.one_hot()
    bound = 64 * np.finfo(F32).eps * (np.abs(matrix.T) @ np.abs(flat))
    assert (np.abs(unshard(dense, system) - matrix.T @ flat) <= bound).all()
    touched = np.zeros(dense.shape[:2], bool)
    touched[sums.device, sums.row] = True
    assert (unshard(touched, system) == np.isin(np.arange(batch.vocabulary), batch.col_ids)).all()


@pytest.mark.parametrize("system", [ONE, *SYSTEMS], ids=str)
def test_lookup_and_gradients_are_close_to_those_of_jax(system: System):
    rng = np.random.default_rng(7)
    batch = random_batch(rng, system)
    table, gradients = floats(rng, batch.vocabulary, 4), gradients_of(batch, rng, 4)

    def activations(table: jax.Array) -> jax.Array:
        rows = jnp.take(table, batch.col_ids, axis=0) * batch.gains[:, None]
        return jax.ops.segment_sum(rows, batch.row_ids, batch.batch_size)

    found = lookup(shard(table, system), batch.entries()).reshape(-1, 4)
    np.testing.assert_allclose(found, activations(jnp.asarray(table)), rtol=1e-5, atol=1e-5)

    def loss(table: jax.Array) -> jax.Array:
        return jnp.vdot(activations(table), gradients.reshape(-1, 4))

    sums = gradient_sums(batch.entries(), gradients, batch.vocabulary // system.num_sparse_cores)
    dense = np.zeros((system.num_devices, batch.vocabulary // system.num_devices, 4), F32)
    dense[sums.device, sums.row] = sums.gradient
    expected = jax.grad(loss)(jnp.asarray(table))
    np.testing.assert_allclose(unshard(dense, system), expected, rtol=1e-5, atol=1e-5)


@SAME_EVERY_TIME
@given(batches())
def test_a_quantized_lookup_reads_quantized_rows(batch: Batch):
    quantization = Quantization(-1, 1.5, 16)
    table = floats(np.random.default_rng(1), batch.vocabulary, 2)
    shards = shard(table, batch.system)
    simulated = lookup(shards, batch.entries(), quantization)
    before = lookup(simulate(shards, quantization), batch.entries())
    assert np.array_equal(simulated, before)
    narrow = shards.astype(jnp.bfloat16)
    assert np.array_equal(
        lookup(narrow, batch.entries(), quantization),
        lookup(narrow.astype(F32), batch.entries(), quantization),
    )
    codes = np.random.default_rng(2).integers(-128, -112, shards.shape).astype(np.int8)
    stored = lookup(codes, batch.entries(), quantization)
    assert np.array_equal(stored, lookup(from_int8(codes, quantization), batch.entries()))
