"""Whole steps: updated rows, clipping, users' own updates, shards, quantization."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from sdykit.sparsecore.optimizers import (
    OPTIMIZERS,
    SGD,
    Adagrad,
    Custom,
    Optimizer,
    RowWiseAdagrad,
)
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.reference import (
    entries_from_coo,
    fold_gains,
    gradient_sums,
    lookup,
    shard,
    unshard,
    update,
    update_rows,
)
from sdykit.sparsecore.specs import System
from support.amounts import examples
from support.sparsecore.reference_cases import SYSTEMS, Batch, batches, random_batch

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(30))
F32 = np.float32
ALL = [kind(0.1) for name, kind in OPTIMIZERS.items() if name != "custom"]


def floats(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(F32)


def slots_of(optimizer: Optimizer, seed: int, *shape: int) -> dict[str, np.ndarray]:
    *rows, dim = shape
    return {
        name: np.abs(floats(seed, *rows, 1 if name in optimizer.row_slots else dim))
        for name in optimizer.slots
    }


def step(
    optimizer: Optimizer, batch: Batch, number: int = 2
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, dict[str, np.ndarray]]:
    """Run a step of a random table, and return table and slots before and after it."""
    system = batch.system
    table = floats(0, batch.vocabulary, 4)
    slots = slots_of(optimizer, 1, batch.vocabulary, 4)
    gradients = floats(2, system.num_devices, batch.batch_size // system.num_devices, 4)
    after, slots_after = update(
        shard(table, system),
        {name: shard(slot, system) for name, slot in slots.items()},
        batch.entries(),
        gradients,
        optimizer=optimizer,
        hyperparameters=optimizer.hyperparameters(number),
    )
    whole = {name: unshard(slot, system) for name, slot in slots_after.items()}
    return table, slots, unshard(after, system), whole


def test_a_step_is_the_one_computed_by_hand():
    # Row 1: (16 + 9) and lr * 3 / 5; row 0 has a gradient of 0 and keeps its bits.
    system = System(1, 1)
    entries = entries_from_coo([0, 1, 1], [1, 1, 0], np.array([1, 2, 0], F32), 2, system)
    table = np.array([[[1], [2], [3]]], F32)
    accumulator = np.full((1, 3, 1), 16, F32)
    table, slots = update(
        table,
        {"accumulator": accumulator},
        entries,
        np.array([[[1], [1]]], F32),
        optimizer=Adagrad(2.5),
        hyperparameters={"learning_rate": 2.5},
    )
    assert table.ravel().tolist() == [1, 0.5, 3]
    assert slots["accumulator"].ravel().tolist() == [16, 25, 16]


@SAME_EVERY_TIME
@given(batches())
def test_only_rows_of_entries_change(batch: Batch):
    for optimizer in ALL:
        table, slots, after, slots_after = step(optimizer, batch)
        untouched = ~np.isin(np.arange(batch.vocabulary), batch.col_ids)
        assert np.array_equal(after[untouched], table[untouched])
        for name, slot in slots.items():
            assert np.array_equal(slots_after[name][untouched], slot[untouched])
        if len(batch.col_ids):
            assert (after[~untouched] != table[~untouched]).any()


@pytest.mark.parametrize("optimizer", ALL, ids=str)
def test_arguments_are_not_changed(optimizer: Optimizer):
    batch = random_batch(np.random.default_rng(3), System(1, 2))
    table = shard(floats(0, batch.vocabulary, 4), batch.system)
    slots = slots_of(optimizer, 1, *table.shape)
    gradients = floats(2, 1, batch.batch_size, 4)
    arrays = (table, gradients, *slots.values())
    before = [array.copy() for array in arrays]
    scalars = optimizer.hyperparameters(1)
    update(table, slots, batch.entries(), gradients, optimizer=optimizer, hyperparameters=scalars)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
@pytest.mark.parametrize("optimizer", ALL, ids=str)
def test_a_sharded_step_is_close_to_the_unsharded_one(optimizer: Optimizer, system: System):
    batch = random_batch(np.random.default_rng(4), system)
    one = Batch(**{**vars(batch), "system": System(1, 1)})
    table, slots = step(optimizer, batch)[2:]
    expected_table, expected_slots = step(optimizer, one)[2:]
    np.testing.assert_allclose(table, expected_table, rtol=2e-4, atol=1e-4)
    for name, slot in expected_slots.items():
        np.testing.assert_allclose(slots[name], slot, rtol=2e-4, atol=1e-4)


def test_row_wise_adagrad_is_close_to_its_definition():
    """Against the definition of fbgemm, `EXACT_ROWWISE_ADAGRAD`, in higher precision."""
    gradient, table = floats(0, 9, 21), floats(1, 9, 21)
    accumulator = np.abs(floats(2, 9, 1))
    optimizer = RowWiseAdagrad(0.3, epsilon=0.01)
    found, slots = update_rows(
        optimizer, gradient, table, {"accumulator": accumulator}, optimizer.hyperparameters()
    )
    g = gradient.astype(np.float64)
    a = accumulator + np.mean(g * g, axis=1, keepdims=True)
    np.testing.assert_allclose(slots["accumulator"], a, rtol=1e-6)
    np.testing.assert_allclose(found, table - 0.3 * g / (np.sqrt(a) + 0.01), rtol=1e-5, atol=1e-6)


def test_a_custom_update_sees_one_row():
    shapes = []

    def rule(g: Any, w: Any, seen: Any, rate: Any) -> Any:
        shapes.append([each.shape for each in (g, w, seen, rate)])
        return w - rate * g.max(), seen + 1

    optimizer = Custom(0.5, update=rule, row_slot_values=(("seen", 0.0),))
    gradient, table = floats(0, 3, 4), floats(1, 3, 4)
    slots = {"seen": np.zeros((3, 1), F32)}
    found, after = update_rows(optimizer, gradient, table, slots, optimizer.hyperparameters())
    assert shapes == [[(1, 4), (1, 4), (1, 1), (1, 4)]] * 3
    assert np.array_equal(found, table - F32(0.5) * gradient.max(1, keepdims=True))
    assert np.array_equal(after["seen"], np.ones((3, 1)))


@pytest.mark.parametrize("system", [System(1, 1), *SYSTEMS], ids=str)
def test_rows_are_sharded_as_documented(system: System):
    table = np.arange(16 * system.num_sparse_cores * 3).reshape(-1, 3)
    shards = shard(table, system)
    cores, per_core = system.sparse_cores_per_device, 16
    assert shards.shape == (system.num_devices, per_core * cores, 3)
    for row, values in enumerate(table.tolist()):
        global_core = row % system.num_sparse_cores
        device, core = divmod(global_core, cores)
        place = core * per_core + row // system.num_sparse_cores
        assert shards[device, place].tolist() == values
    assert np.array_equal(unshard(shards, system), table)
    assert np.array_equal(unshard(shard(table[:, 0], system), system), table[:, 0])


@pytest.mark.parametrize("optimizer", ALL, ids=str)
def test_bounds_clip_the_table_only(optimizer: Optimizer):
    bounded = type(optimizer)(**{**vars(optimizer), "min_value": -0.01, "max_value": 0.02})
    gradient, table = floats(0, 6, 4), floats(1, 6, 4)
    slots = slots_of(optimizer, 2, 6, 4)
    scalars = optimizer.hyperparameters(3)
    free, free_slots = update_rows(optimizer, gradient, table, slots, scalars)
    found, found_slots = update_rows(bounded, gradient, table, slots, scalars)
    assert np.array_equal(found, np.clip(free, F32(-0.01), F32(0.02)))
    assert {F32(-0.01), F32(0.02)} <= set(found.ravel())
    for name, slot in free_slots.items():
        assert np.array_equal(found_slots[name], slot)


def adagrad_of_a_user(xp: Any) -> Any:
    def apply(gradient: Any, table: Any, accumulator: Any, rate: Any, scale: Any) -> Any:
        assert gradient.shape == rate.shape == scale.shape
        accumulator = accumulator + gradient * gradient * scale
        return table - rate * gradient / xp.sqrt(accumulator), accumulator

    return apply


@pytest.mark.parametrize("xp", [np, jnp], ids=["numpy", "jax"])
def test_a_users_update_equals_the_same_built_in_rule(xp: Any):
    custom = Custom(
        0.1,
        update=adagrad_of_a_user(xp),
        slot_values=(("accumulator", 0.1),),
        more_hyperparameters=(("scale", 1.0),),
        max_value=0.5,
    )
    batch = random_batch(np.random.default_rng(5), System(2, 2))
    expected = step(Adagrad(0.1, max_value=0.5), batch)
    found = step(custom, batch)
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-6)
    np.testing.assert_allclose(found[3]["accumulator"], expected[3]["accumulator"], rtol=1e-6)
    assert found[2][batch.col_ids].max() == 0.5


def test_a_users_update_in_place_changes_no_argument():
    def apply(gradient: Any, table: Any, rate: Any) -> Any:
        table -= rate * gradient
        return (table,)

    gradient, table = floats(0, 2, 4), floats(1, 2, 4)
    before = table.copy()
    found, _ = update_rows(Custom(0.5, update=apply), gradient, table, {}, {"learning_rate": 0.5})
    assert np.array_equal(table, before)
    assert np.array_equal(found, before - F32(0.5) * gradient)


def test_gradients_pass_straight_through_quantization():
    # The lookup is quantized, the gradient is not: the stored table changes by lr * gradient.
    quantization, system = Quantization(-1, 1, 3), System(1, 1)
    gains = fold_gains("mean", [0, 0], np.array([1, 3], F32))
    entries = entries_from_coo([0, 0], [0, 1], gains, 1, system)
    table = np.array([[[0.4], [5.0]]], F32)
    assert lookup(table, entries, quantization).tolist() == [[[0.25 * 0 + 0.75 * 1]]]
    gradients = np.array([[[8.0]]], F32)
    sums = gradient_sums(entries, gradients, 2)
    assert sums.gradient.tolist() == [[2], [6]]
    after, _ = update(
        table,
        {},
        entries,
        gradients,
        optimizer=SGD(0.5),
        hyperparameters={"learning_rate": 0.5},
    )
    assert after.tolist() == [[[F32(0.4) - 1], [2.0]]]
