"""Batches of a layer: the features that they belong to, and padding."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.limits import compute_limits
from sdykit.sparsecore.optimizers import SGD

KEY = jax.random.key(0)
NORMAL = jax.nn.initializers.normal(0.1)
USERS = sc.TableSpec("users", 100, 8)
ITEMS = sc.TableSpec("items", 200, 8)


def layer(*features: sc.FeatureSpec) -> sc.Embedding:
    return sc.Embedding(features or (sc.FeatureSpec("user", USERS, 32),))


def ids_of(embedding: sc.Embedding) -> dict[str, np.ndarray]:
    return {
        each.name: np.arange(each.batch_size, dtype=np.int32)[:, None]
        for each in embedding.features
    }


def lookup_error(own: sc.Embedding, other: sc.Embedding) -> str:
    batch = other.preprocess(ids_of(other))
    variables = own.init(KEY, NORMAL)
    gradients = {each.name: jnp.ones((each.batch_size, 8)) for each in own.features}
    texts = []
    for where, call in (
        ("lookup", lambda: own.lookup(variables, batch)),
        ("lookup", lambda: jax.jit(own.lookup)(variables, batch)),
        ("update", lambda: own.update(variables, batch, gradients)),
    ):
        with pytest.raises(BridgeError) as raised:
            call()
        assert str(raised.value).startswith(f"{where}: batch[")
        texts.append(str(raised.value).removeprefix(where))
    assert len(set(texts)) == 1
    return texts[0]


def test_a_batch_of_another_size_is_an_error() -> None:
    train, evaluate = layer(), layer(sc.FeatureSpec("user", USERS, 16))
    for own, other, found, expected in ((train, evaluate, 16, 32), (evaluate, train, 32, 16)):
        assert lookup_error(own, other) == (
            f": batch['users'] was preprocessed for other features: feature 'user': the batch "
            f"has {found} samples of table 'users'; expected {expected} samples of table 'users'. "
            "Preprocess it with this layer, or look it up with the layer that preprocessed it"
        )


@pytest.mark.parametrize(
    ("own", "other", "text"),
    [
        (
            [("a", USERS), ("b", ITEMS)],
            [("b", ITEMS), ("a", USERS)],
            "stacks of the batch",
        ),
        (
            [("a", USERS), ("b", USERS)],
            [("b", USERS), ("a", USERS)],
            "the features of the batch are b, a, in this order; expected a, b.",
        ),
        (
            [("a", USERS)],
            [("a", USERS), ("b", USERS)],
            "feature 'b': the batch has 32 samples of table 'users'; expected none.",
        ),
        (
            [("a", USERS), ("b", USERS)],
            [("a", USERS)],
            "feature 'b': the batch lacks it; expected 32 samples of table 'users'.",
        ),
        (
            [("a", USERS)],
            [("a", dataclasses.replace(USERS, combiner="mean"))],
            "the combiner of the batch is 'mean'; expected 'sum'.",
        ),
        (
            [("a", USERS)],
            [("a", dataclasses.replace(USERS, vocabulary_size=90))],
            "the batch has table 'users' of 90 rows at column 0, shifted by 0; expected table "
            "'users' of 100 rows at column 0, shifted by 0.",
        ),
    ],
)
def test_a_batch_of_other_features_is_an_error(
    own: list[tuple[str, sc.TableSpec]], other: list[tuple[str, sc.TableSpec]], text: str
) -> None:
    first, second = (
        layer(*[sc.FeatureSpec(name, table, 32) for name, table in each]) for each in (own, other)
    )
    batch = second.preprocess(ids_of(second))
    with pytest.raises(BridgeError) as raised:
        first.lookup(first.init(KEY, NORMAL), batch)
    assert text in str(raised.value)


def test_layers_that_differ_in_what_a_batch_does_not_hold_share_batches() -> None:
    """Optimizer and limits may differ between training and evaluation."""
    other = dataclasses.replace(USERS, optimizer=SGD(3.0), max_ids_per_partition=128)
    train, evaluate = layer(), layer(sc.FeatureSpec("user", other, 32))
    variables = train.init(KEY, NORMAL)
    expected = train.lookup(variables, train.preprocess(ids_of(train)))["user"]
    found = train.lookup(variables, evaluate.preprocess(ids_of(train)))["user"]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("combiner", ["sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
def test_minus_one_is_no_id_in_dense_features(combiner: str, weighted: bool) -> None:
    table = dataclasses.replace(USERS, combiner=combiner)
    embedding = layer(sc.FeatureSpec("user", table, 32))
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 100, (32, 5))
    ids[rng.random(ids.shape) < 0.4] = -1
    ids[3] = -1
    weights = rng.random(ids.shape, np.float32) + np.float32(0.5) if weighted else None
    variables = embedding.init(KEY, NORMAL)
    rows = embedding.tables(variables)["users"]
    factors = (ids >= 0) * (np.float32(1) if weights is None else weights)
    expected = np.einsum("sv,svd->sd", factors, rows[ids])
    if combiner == "mean":
        expected /= np.maximum(factors.sum(1, keepdims=True), np.float32(1e-30))
    given = None if weights is None else {"user": weights}
    found = embedding.lookup(variables, embedding.preprocess({"user": ids}, given))["user"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    ragged = sc.Ragged(ids[ids >= 0], np.concatenate(([0], np.cumsum((ids >= 0).sum(1)))))
    kept = None if weights is None else {"user": weights[ids >= 0]}
    again = embedding.lookup(variables, embedding.preprocess({"user": ragged}, kept))["user"]
    np.testing.assert_array_equal(found, again)
    raw = jnp.asarray(ids), None if weights is None else jnp.asarray(weights)
    as_given = sc.lookup(jnp.asarray(rows), *raw, combiner=combiner)
    np.testing.assert_allclose(found, as_given, rtol=1e-6, atol=1e-6)


def test_limits_do_not_count_padding() -> None:
    embedding = layer()
    ids = np.full((32, 3), -1)
    ids[:, 0] = np.arange(32)
    counted = compute_limits([{"user": ids}], embedding.stacks, embedding.system)
    expected = compute_limits([ids_of(embedding)], embedding.stacks, embedding.system)
    assert counted.stacks == expected.stacks


def test_other_negative_ids_are_errors() -> None:
    embedding = layer()
    ids = np.full((32, 3), -1)
    ids[5, 1] = -2
    with pytest.raises(sc.SparseCoreError) as raised:
        embedding.preprocess({"user": ids})
    assert str(raised.value) == (
        "feature 'user', sample 5: id is -2; expected one in [0, 100), the vocabulary of table "
        "'users'"
    )
    ragged = sc.Ragged(np.array([1, -1]), np.array([0, 2] + [2] * 31))
    with pytest.raises(sc.SparseCoreError, match="feature 'user', sample 0: id is -1; expected"):
        embedding.preprocess({"user": ragged})
