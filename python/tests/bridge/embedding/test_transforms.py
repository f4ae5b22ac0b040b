"""Lookups and updates under JAX's transformations, and from several threads."""

from __future__ import annotations

import dataclasses
import re
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore import reference
from sdykit.sparsecore.optimizers import SGD, Adagrad
from sdykit.sparsecore.preprocess import Minibatching
from sdykit.sparsecore.quantization import Quantization
from support.embedding import embedding_cases as cases
from support.embedding.embedding_cases import Case, buffers_case, make_slots, raw_case, same

RAW = raw_case(0, samples=10)
CASES = {
    "raw": RAW,
    "raw, mean": raw_case(1, combiner="mean"),
    "raw, no weights": raw_case(2, combiner="sqrtn", weighted=False),
    "raw, width 1": raw_case(3, dim=1, valency=1),
    "raw, nothing": raw_case(4, valency=0),
    "raw, one sample": raw_case(5, samples=1),
    "buffers": buffers_case(0),
    "buffers, minibatches": buffers_case(1, minibatching="vocabulary", limit=6),
    "buffers of the library": buffers_case(2, layout="jax_tpu_embedding"),
}


def look_up(case: Case, table: Any) -> jax.Array:
    return sc.lookup(table, case.ids, case.weights, combiner=case.combiner)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_lookups_are_those_of_the_reference(case: Case) -> None:
    assert same(look_up(case, case.flat), case.lookup())
    assert same(jax.jit(lambda table: look_up(case, table))(case.flat), case.lookup())


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_gradients_of_the_table_are_those_of_the_reference(case: Case) -> None:
    rng = np.random.default_rng(0)
    weights = rng.normal(size=case.lookup().shape).astype(np.float32)

    def loss(table: jax.Array) -> jax.Array:
        return jnp.sum(look_up(case, table) * weights)

    expected = case.dense_gradient(weights)
    assert same(jax.jit(jax.grad(loss))(case.flat), expected)
    assert same(jax.grad(jax.checkpoint(loss))(jnp.asarray(case.flat)), expected)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_gradients_of_the_weights_are_those_of_jax(combiner: str) -> None:
    case = raw_case(7, samples=9, combiner=combiner)  # type: ignore[arg-type]
    factors = np.random.default_rng(0).normal(size=(9, 8)).astype(np.float32)

    def ours(weights: jax.Array, table: jax.Array) -> jax.Array:
        return jnp.vdot(sc.lookup(table, case.ids, weights, combiner=combiner), factors)

    def by_hand(weights: jax.Array, table: jax.Array) -> jax.Array:
        live = case.ids >= 0
        held = jnp.where(live, weights, 0)
        total = {"sum": held * 0 + 1, "mean": held, "sqrtn": held * held}[combiner]
        total = jnp.max(total, 1) if combiner == "sum" else jnp.sum(total, 1)
        total = jnp.sqrt(total) if combiner == "sqrtn" else total
        gains = held / jnp.where(live.any(1), total, 1)[:, None]
        return jnp.vdot(jnp.einsum("sv,svd->sd", gains, table[np.maximum(case.ids, 0)]), factors)

    found = jax.jit(jax.grad(ours, argnums=(0, 1)))(case.weights, case.flat)
    expected = jax.grad(by_hand, argnums=(0, 1))(case.weights, case.flat)
    live = case.ids >= 0
    assert (np.asarray(found[0])[~live] == 0).all()
    np.testing.assert_allclose(found[0][live], expected[0][live], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.int8, jnp.int32])
def test_tables_may_have_other_dtypes(dtype: Any) -> None:
    table = (RAW.flat * 20).astype(dtype)
    expected = raw_case(0).entries
    found = jax.jit(lambda table: look_up(RAW, table))(table)
    shards = table.reshape(RAW.table.shape)
    assert same(found, reference.lookup(shards, expected).reshape(found.shape))


def test_the_gradient_of_a_bfloat16_table_is_bfloat16() -> None:
    table = jnp.asarray(RAW.flat, jnp.bfloat16)
    found = jax.grad(lambda table: look_up(RAW, table).sum())(table)
    expected = RAW.dense_gradient(np.ones_like(RAW.lookup()))
    assert found.dtype == jnp.bfloat16
    np.testing.assert_array_equal(found, expected.astype(jnp.bfloat16))


def test_quantization_changes_activations_and_not_gradients() -> None:
    quantization = Quantization(-1.5, 2, 16)

    def run(table: jax.Array) -> jax.Array:
        return sc.lookup(table, RAW.ids, RAW.weights, quantization=quantization)

    assert same(jax.jit(run)(RAW.flat), RAW.lookup(quantization))
    # The gradient passes straight through.
    gradient = jax.grad(lambda table: run(table).sum())(RAW.flat)
    assert same(gradient, RAW.dense_gradient(np.ones_like(RAW.lookup())))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint32, np.int64])
def test_ids_may_have_other_dtypes(dtype: Any) -> None:
    ids = np.maximum(RAW.ids, 0) if np.dtype(dtype).kind == "u" else RAW.ids
    ids = ids.astype(dtype)
    expected = sc.lookup(RAW.flat, ids.astype(np.int32))
    assert same(sc.lookup(RAW.flat, ids), np.asarray(expected))
    assert same(jax.jit(sc.lookup)(RAW.flat, ids), np.asarray(expected))


def test_large_negative_numbers_are_no_ids() -> None:
    ids = np.array([[0, -(2**40)], [-(2**31), -1]])
    np.testing.assert_array_equal(sc.lookup(RAW.flat, ids), [RAW.flat[0], 0 * RAW.flat[0]])


@pytest.mark.parametrize("optimizer", cases.OPTIMIZERS, ids=lambda each: each.name)
@pytest.mark.parametrize("is_traced", [False, True], ids=["known", "traced"])
def test_updates_are_those_of_the_reference(optimizer: Any, is_traced: bool) -> None:
    for number, case in enumerate([RAW, CASES["buffers, minibatches"]]):
        slots = make_slots(case, optimizer, number)
        gradients = np.random.default_rng(number).normal(size=case.lookup().shape)
        gradients = gradients.astype(np.float32)

        def run(step: Any, rate: Any, case: Case = case, slots: Any = slots, g: Any = gradients):
            return sc.grad_update(
                case.flat,
                slots,
                case.ids,
                case.weights,
                g,
                optimizer=optimizer,
                step=step,
                learning_rate=rate,
            )

        for step, rate in ((0, 0.05), (1, 0.5), (1000, 0.05)):
            table, held = jax.jit(run)(step, rate) if is_traced else run(step, rate)
            expected = case.update(slots, gradients, optimizer, step, rate)
            assert list(held) == list(optimizer.slots)
            for name, array in {"table": table, **held}.items():
                assert same(array, expected[name]), (step, name)


def test_all_learning_rates_share_a_program() -> None:
    def text(rate: float) -> str:
        gradients = np.ones_like(RAW.lookup())
        run = jax.jit(
            lambda: sc.grad_update(RAW.flat, {}, RAW.ids, None, gradients, optimizer=SGD(rate))
        )
        found = re.findall(r'spec = ("[^ ]*")', run.lower().as_text())
        assert len(found) == 1
        return found[0]

    assert text(0.1) == text(0.2)


def train(case: Case, table: Any, slots: Any, step: Any) -> Any:
    activations = look_up(case, table)
    return sc.grad_update(
        table,
        slots,
        case.ids,
        case.weights,
        activations - 1,
        optimizer=Adagrad(0.1),
        combiner=case.combiner,
        step=step,
    )


def expected_training(case: Case, steps: int) -> np.ndarray:
    table, slots = case.flat, {"accumulator": np.full_like(case.flat, 0.1)}
    for step in range(steps):
        one = dataclasses.replace(case, table=table.reshape(case.table.shape))
        gradients = one.lookup() - np.float32(1)
        found = one.update(slots, gradients, Adagrad(0.1), step)
        table, slots = found["table"], {"accumulator": found["accumulator"]}
    return table


@pytest.mark.parametrize("name", ["raw, mean", "buffers"])
def test_lookups_and_updates_work_in_a_scan(name: str) -> None:
    case = CASES[name]
    slots = {"accumulator": np.full_like(case.flat, 0.1)}

    def body(carried: Any, step: Any) -> Any:
        table, slots = carried
        return train(case, table, slots, step), None

    (table, _), _ = jax.jit(lambda *carried: jax.lax.scan(body, carried, jnp.arange(4)))(
        case.flat, slots
    )
    assert same(table, expected_training(case, 4))


def test_vmap_takes_one_element_after_another() -> None:
    many = [raw_case(seed) for seed in range(3)]
    tables, ids = (np.stack(each) for each in ([c.flat for c in many], [c.ids for c in many]))
    weights = np.stack([np.asarray(case.weights) for case in many])
    expected = np.stack([case.lookup() for case in many])
    assert same(jax.jit(jax.vmap(sc.lookup))(tables, ids, weights), expected)
    one_table = jax.vmap(lambda ids, weights: sc.lookup(RAW.flat, ids, weights))
    assert same(one_table(ids[:1], weights[:1])[0], many[0].lookup())
    gradient = jax.vmap(jax.grad(lambda table, ids, w: sc.lookup(table, ids, w).sum()))
    ones = np.ones_like(expected[0])
    dense = np.stack([case.dense_gradient(ones) for case in many])
    assert same(gradient(tables, ids, weights), dense)


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
def test_eight_threads_may_train_at_once(minibatching: Minibatching) -> None:
    case = buffers_case(3, minibatching=minibatching, limit=6 if minibatching != "off" else 1000)
    run = jax.jit(lambda table, slots: train(case, table, slots, 0))
    slots = {"accumulator": np.full_like(case.flat, 0.1)}
    expected = expected_training(case, 1)
    is_right: list[bool] = []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        is_right.extend(same(run(case.flat, slots)[0], expected) for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert is_right == [True] * 80
