"""Arguments of a layer other than features: sizes of numpy, learning rates, traced keys."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import SGD, Adagrad

KEY = jax.random.key(0)
NORMAL = jax.nn.initializers.normal(0.1)
TABLES = (
    sc.TableSpec("users", 100, 8, SGD(1.0)),
    sc.TableSpec("items", 200, 8, SGD(1.0)),
    sc.TableSpec("words", 64, 8, Adagrad(0.5)),
)
EMBEDDING = sc.Embedding([sc.FeatureSpec(f"of {each.name}", each, 16) for each in TABLES])
IDS = {each.name: np.zeros((16, 1), np.int32) for each in EMBEDDING.features}
GRADIENTS = {each.name: jnp.ones((16, 8)) for each in EMBEDDING.features}


def stepped(learning_rate: Any, *, jit: bool = False) -> dict[str, float]:
    """Return how far row 0 of each table moves in a step."""
    variables = EMBEDDING.init(KEY, NORMAL)
    before = EMBEDDING.tables(variables)
    update = jax.jit(EMBEDDING.update) if jit else EMBEDDING.update
    batch = EMBEDDING.preprocess(IDS)
    after = EMBEDDING.tables(update(variables, batch, GRADIENTS, 0, learning_rate))
    return {name: float((before[name] - after[name])[0, 0]) for name in before}


def test_each_table_may_have_its_learning_rate() -> None:
    adagrad = 16 / np.sqrt(0.1 + 256)
    expected = {"users": 16 * 0.25, "items": 16 * 0.25, "words": 0.5 * adagrad}
    for rate in (0.25, np.float32(0.25), jnp.float32(0.25)):
        assert stepped({"users": rate, "items": rate}) == pytest.approx(expected, rel=1e-4)
        for jit in (False, True):
            found = stepped({"users_items": rate}, jit=jit)
            assert found == pytest.approx(expected, rel=1e-4)
    expected = {"users": 16.0, "items": 16.0, "words": 2.0 * adagrad}
    assert stepped({"words": 2.0}) == pytest.approx(expected, rel=1e-4)
    assert stepped({}) == stepped(None)


def test_learning_rates_may_be_traced() -> None:
    variables, batch = EMBEDDING.init(KEY, NORMAL), EMBEDDING.preprocess(IDS)

    def step(rate: jax.Array) -> Any:
        rates = {"users": rate, "items": rate, "words": 2 * rate}
        return EMBEDDING.update(variables, batch, GRADIENTS, 0, rates)

    found = jax.jit(step)(jnp.float32(0.25))
    expected = step(jnp.float32(0.25))
    for name, array in EMBEDDING.tables(expected).items():
        np.testing.assert_array_equal(EMBEDDING.tables(found)[name], array)


def test_wrong_learning_rates_are_errors() -> None:
    text = (
        "update: learning_rate differs for 'users' and 'items', tables of one stack; expected a "
        "rate for the stack, 'users_items', or tables that are not stacked: with different "
        "optimizers, or with disable_table_stacking"
    )
    for rates in ({"users": 0.25}, {"items": 0.25}, {"users": 0.25, "items": 0.5}):
        with pytest.raises(BridgeError) as raised:
            stepped(rates)
        assert str(raised.value) == text
    with pytest.raises(BridgeError) as raised:
        stepped({"user": 0.25})
    assert str(raised.value) == (
        "update: learning_rate names 'user'; expected tables among 'users', 'items', 'words'"
    )


def test_eval_shape_of_init_makes_no_arrays() -> None:
    shapes = jax.eval_shape(partial(EMBEDDING.init, initializer=NORMAL), KEY)
    made = EMBEDDING.init(KEY, NORMAL)
    assert jax.tree.map(lambda x: (x.shape, x.dtype), shapes) == jax.tree.map(
        lambda x: (x.shape, x.dtype), made
    )
    traced = jax.jit(partial(EMBEDDING.init, initializer=NORMAL))(KEY)
    for name, table in EMBEDDING.tables(made).items():
        np.testing.assert_array_equal(EMBEDDING.tables(traced)[name], table)


def numpy_sizes(*sizes: int) -> list[Any]:
    kinds = (np.int64, np.int32, np.uint16)
    return [kinds[number % 3](size) for number, size in enumerate(sizes)]


def test_sizes_may_be_integers_of_numpy() -> None:
    rows, width, limit, samples, devices, cores = numpy_sizes(40, 8, 64, 16, 2, 4)
    table = sc.TableSpec("t", rows, width, max_ids_per_partition=limit)
    feature = sc.FeatureSpec("f", table, samples)
    sizes = (table.vocabulary_size, table.embedding_dim, feature.batch_size)
    assert json.dumps(sizes) == "[40, 8, 16]"
    assert table == sc.TableSpec("t", 40, 8, max_ids_per_partition=64)
    embedding = sc.Embedding([feature])
    batch = embedding.preprocess({"f": np.zeros((16, 1), np.int32)})
    found = embedding.lookup(embedding.init(KEY, jax.nn.initializers.ones), batch)["f"]
    np.testing.assert_array_equal(found, np.ones((16, 8)))
    assert sc.System(devices, cores) == sc.System(2, 4)


@pytest.mark.parametrize("size", [np.bool(True), True, 1.0, np.float32(8), "8", None])
def test_sizes_that_are_not_integers_are_errors(size: Any) -> None:
    with pytest.raises(sc.SparseCoreError) as raised:
        sc.TableSpec("t", 40, size)
    assert str(raised.value) == (
        f"table 't': embedding_dim is {size!r}; expected an integer from 1 to 2147483647"
    )


def test_init_refuses_a_table_that_cannot_be_trained() -> None:
    table = dataclasses.replace(TABLES[0], dtype="bfloat16")
    embedding = sc.Embedding([sc.FeatureSpec("f", table, 16)])
    with pytest.raises(BridgeError) as raised:
        embedding.init(KEY, NORMAL)
    assert str(raised.value) == (
        "init: table 'users' is bfloat16; expected float32, as only such tables can be updated "
        "(from_tables takes others, to be looked up)"
    )


def test_the_repr_of_a_layer_is_one_line() -> None:
    assert repr(EMBEDDING) == (
        "<Embedding: 3 features, 3 tables of 364 rows in 2 stacks, on 1 x v5p of 4 SparseCores>"
    )
    assert sc.Quantization(-1, 1).num_buckets == 256
