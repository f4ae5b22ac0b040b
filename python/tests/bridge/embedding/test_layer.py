"""The functional layer: features of many tables, on one device and on several."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.embedding.layer import variables as layer_variables
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.limits import compute_limits
from sdykit.sparsecore.optimizers import Adam
from sdykit.sparsecore.quantization import Quantization
from support.bridge.ffi_programs import run_python
from support.embedding.many_tables import FEATURES, make_ids, train

KEY = jax.random.key(0)
NORMAL = jax.nn.initializers.normal(0.1)


def test_lookup_returns_all_features() -> None:
    embedding = sc.Embedding(FEATURES)
    assert [each.name for each in embedding.stacks] == ["users_items", "words"]
    variables = embedding.init(KEY, NORMAL)
    tables = embedding.tables(variables)
    assert {name: each.shape for name, each in tables.items()} == {
        "users": (100, 16),
        "items": (500, 10),
        "words": (64, 33),
    }
    ids, weights = make_ids(0)
    found = jax.jit(embedding.lookup)(variables, embedding.preprocess(ids, weights))
    assert set(found) == {feature.name for feature in FEATURES}
    for feature in FEATURES:
        name, table = feature.name, tables[feature.table.name]
        own = weights.get(name, np.ones(ids[name].shape, np.float32))
        total = own.sum(1, keepdims=True) if feature.table.combiner == "mean" else 1
        expected = np.einsum("sv,svd->sd", own / total, table[ids[name]])
        np.testing.assert_allclose(found[name], expected, rtol=1e-5, atol=1e-6)


def test_training_has_the_same_result_on_any_number_of_devices() -> None:
    """Up to rounding: the order of sums depends on the number of devices."""
    expected = train(None)
    assert expected["loss"][-1] < expected["loss"][0] / 2
    program = """
    from support.embedding import many_tables
    many_tables.main()
    """
    lines = "\n".join(line.strip() for line in program.splitlines())
    for devices in (2, 8):
        flags = f"--xla_force_host_platform_device_count={devices}"
        text = run_python(lines, XLA_FLAGS=flags)
        found = {name: np.array(each) for name, each in json.loads(text).items()}
        assert found.keys() == expected.keys()
        for name, array in found.items():
            np.testing.assert_allclose(array, expected[name], rtol=2e-4, atol=1e-5)


def test_initial_values_depend_only_on_table_and_row() -> None:
    whole = sc.Embedding(FEATURES)
    tables = whole.tables(whole.init(KEY, NORMAL))
    for feature in FEATURES[:1] + FEATURES[-1:]:
        for chip in ("v5p", "v6e"):
            alone = sc.Embedding([feature], chip=chip)
            name = feature.table.name
            found = alone.tables(alone.init(KEY, NORMAL))[name]
            np.testing.assert_array_equal(found, tables[name])
    assert not np.array_equal(tables["users"][:, :10], tables["items"][:100])
    assert abs(tables["items"].std() - 0.1) < 0.01
    assert len(np.unique(tables["items"])) > 4900


def made_by(**settings: Any) -> tuple[sc.Embedding, dict[str, np.ndarray]]:
    embedding = sc.Embedding(FEATURES, config=sc.SparsecoreConfig(**settings))
    return embedding, embedding.tables(embedding.init(KEY, NORMAL))


def test_initialize_tables_on_host_copies_from_the_host() -> None:
    embedding, _ = made_by(initialize_tables_on_host=True)
    key = jax.random.key(0)
    with (
        jax.transfer_guard_device_to_host("allow"),
        jax.transfer_guard_host_to_device("disallow_explicit"),
        pytest.raises(jax.errors.JaxRuntimeError, match="Disallowed host-to-device transfer"),
    ):
        embedding.init(key, NORMAL)


@pytest.mark.parametrize(
    "settings",
    [
        {"initialize_tables_on_host": False},
        {"initialize_tables_on_host": False, "enable_fast_table_initialization": True},
    ],
)
def test_without_initialize_tables_on_host_no_table_is_on_the_host(
    settings: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_host(*_: Any) -> None:
        raise AssertionError("made on the host")

    monkeypatch.setattr(layer_variables, "make_on_host", on_host)
    _, found = made_by(**settings)
    monkeypatch.undo()
    _, expected = made_by()
    assert found.keys() == expected.keys()
    for name, table in found.items():
        np.testing.assert_array_equal(table, expected[name])


def test_enable_fast_table_initialization_wins_over_the_host() -> None:
    with pytest.warns(UserWarning, match="tables are made on the device"):
        config = sc.SparsecoreConfig(
            initialize_tables_on_host=True, enable_fast_table_initialization=True
        )
    assert not sc.Embedding(FEATURES, config=config).settings.config.initialize_tables_on_host


def test_each_table_may_have_its_initializer() -> None:
    embedding = sc.Embedding(FEATURES)
    constant = jax.nn.initializers.constant
    tables = embedding.tables(
        embedding.init(KEY, {"users": constant(1), "items": NORMAL, "words": constant(3)})
    )
    assert (tables["users"] == 1).all()
    assert (tables["words"] == 3).all()
    assert len(np.unique(tables["items"])) > 4900


def test_from_tables_is_the_inverse_of_tables() -> None:
    embedding = sc.Embedding(FEATURES)
    variables = embedding.init(KEY, NORMAL)
    tables, slot = embedding.tables(variables), embedding.tables(variables, "accumulator")
    assert set(slot) == {"users", "items"}
    assert all((each == np.float32(0.1)).all() for each in slot.values())
    slot["users"][3] = 7
    again = embedding.from_tables(tables, {"accumulator": slot})
    assert jax.tree.structure(again) == jax.tree.structure(variables)
    for name, table in embedding.tables(again).items():
        np.testing.assert_array_equal(table, tables[name])
    np.testing.assert_array_equal(embedding.tables(again, "accumulator")["users"], slot["users"])


def test_an_int8_table_comes_from_tables() -> None:
    table = sc.TableSpec("t", 40, 8, dtype="int8", quantization=Quantization(-1, 1))
    embedding = sc.Embedding([sc.FeatureSpec("f", table, 8)])
    values = np.random.default_rng(0).integers(-128, 128, (40, 8)).astype(np.int8)
    variables = embedding.from_tables({"t": values})
    ids = np.arange(8)[:, None] * 5
    found = embedding.lookup(variables, embedding.preprocess({"f": ids}))["f"]
    step = np.float32(2) / np.float32(255)
    expected = np.float32(-1) + step * (values[ids[:, 0]].astype(np.float32) + np.float32(128))
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(BridgeError) as raised:
        embedding.init(KEY, NORMAL)
    assert str(raised.value) == (
        "init: table 't' is int8; expected float32, as only such tables can be updated "
        "(from_tables takes others, to be looked up)"
    )


def test_a_batch_beyond_the_limits_is_split_into_minibatches() -> None:
    ids, weights = make_ids(0)
    plain = sc.Embedding(FEATURES)
    limits = compute_limits([ids], plain.stacks, plain.system)
    tight = sc.Embedding(FEATURES, limits=limits)
    assert tight.stacks[1].max_ids_per_partition < plain.stacks[1].max_ids_per_partition
    variables = tight.init(KEY, NORMAL)
    found = tight.lookup(variables, tight.preprocess(ids, weights))
    crowded = {**ids, "word": np.zeros_like(ids["word"])}
    with pytest.raises(sc.LimitExceeded):
        tight.preprocess(crowded)
    split = sc.Embedding(FEATURES, limits=limits, minibatching="sample")
    assert split.prepare(crowded).num_minibatches > 1
    batch = split.preprocess(ids, weights)
    again = jax.jit(split.lookup)(variables, batch)
    for name, array in found.items():
        np.testing.assert_array_equal(again[name], array)
    after = split.lookup(variables, split.preprocess(crowded))["word"]
    expected = 2 * tight.tables(variables)["words"][:1]
    np.testing.assert_array_equal(after, np.repeat(expected, len(after), axis=0))


def test_step_and_learning_rate_may_be_traced() -> None:
    table = sc.TableSpec("t", 40, 8, Adam(0.1))
    embedding = sc.Embedding([sc.FeatureSpec("f", table, 8)])
    variables = embedding.init(KEY, NORMAL)
    batch = embedding.preprocess({"f": np.arange(8)[:, None]})
    ones = {"f": jnp.ones((8, 8))}
    update = jax.jit(embedding.update)
    known = embedding.update(variables, batch, ones, 5, 0.25)
    traced = update(variables, batch, ones, jnp.int32(5), jnp.float32(0.25))
    other = update(variables, batch, ones, jnp.int32(6), jnp.float32(0.25))
    same = jax.tree.map(np.array_equal, known, traced)
    assert all(jax.tree.leaves(same))
    assert not np.array_equal(known["t"]["table"], other["t"]["table"])


def _error(call: Callable[[], Any]) -> str:
    with pytest.raises(BridgeError) as raised:
        call()
    return str(raised.value)


def test_variables_batches_and_gradients_of_other_features_are_errors() -> None:
    embedding = sc.Embedding(FEATURES)
    variables, batch = embedding.init(KEY, NORMAL), embedding.preprocess(*make_ids(0))
    found = embedding.lookup(variables, batch)
    assert _error(lambda: embedding.lookup({}, batch)) == (
        "lookup: variables are none; expected users_items, words"
    )
    assert _error(lambda: embedding.lookup(variables, {"words": batch["words"]})) == (
        "lookup: stacks of the batch are words; expected users_items, words"
    )
    assert _error(lambda: embedding.update(variables, batch, {"user": found["user"]})) == (
        "update: gradients are user; expected item, more items, user, word"
    )
    wrong = {**found, "item": found["user"]}
    assert _error(lambda: embedding.update(variables, batch, wrong)) == (
        "update: gradients['item'] is float32[32,16]; expected float32[32,10]"
    )
    no_slots = {**variables, "words": {**variables["words"], "slots": {}}}
    assert _error(lambda: embedding.update(no_slots, batch, found)) == (
        "update: slots are none; expected those of adam: momentum, velocity"
    )
    half = dataclasses.replace(batch["words"], splits=np.asarray(batch["words"].splits)[:2])
    assert re.match(
        r"lookup: ids.splits is int32\[2,\d+\]; expected int32\[4,\d+\]",
        _error(lambda: embedding.lookup(variables, {**batch, "words": half})),
    )
    array: Any = found["user"]
    assert _error(lambda: embedding.update(variables, batch, array)) == (
        "update: gradients are ArrayImpl; expected item, more items, user, word"
    )
    assert _error(lambda: embedding.lookup({**variables, "words": {}}, batch)) == (
        "lookup: variables['words'] has no table; expected table and slots"
    )
    bare = {**variables, "words": {"table": variables["words"]["table"]}}
    assert _error(lambda: embedding.update(bare, batch, found)) == (
        "update: parts of variables['words'] are table; expected slots, table"
    )
    raw = {**batch, "words": np.zeros((32, 2), np.int32)}
    assert _error(lambda: embedding.lookup(variables, raw)) == (
        "lookup: batch['words'] is of type ndarray; expected DeviceBuffers, which preprocess returns"
    )


def test_features_in_place_of_a_batch_are_an_error_on_a_mesh() -> None:
    mesh = jax.make_mesh((1,), ("chips",))
    embedding = sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", 64, 8), 4)], mesh=mesh)
    variables = embedding.init(KEY, NORMAL)
    ids: Any = sc.Ragged(np.arange(4), np.arange(5))
    for batch, found in ({"f": ids}, "f"), ({"t": ids, "f": ids}, "f, t"):
        expected = f"stacks of the batch are {found}; expected t"
        assert _error(lambda b=batch: embedding.lookup(variables, b)) == f"lookup: {expected}"
        assert _error(lambda b=batch: embedding.update(variables, b, {})) == f"update: {expected}"
    assert _error(lambda: embedding.lookup(variables, {"t": ids})) == (
        "lookup: batch['t'] is of type Ragged; expected DeviceBuffers, which preprocess returns"
    )


@pytest.mark.parametrize("size", [(64, 8), (6400, 8), (640, 16)])
def test_variables_of_another_layer_are_an_error(size: tuple[int, int]) -> None:
    def layer(rows: int, dim: int) -> sc.Embedding:
        return sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", rows, dim), 16)])

    own, other = layer(640, 8), layer(*size)
    batch = own.preprocess({"f": np.full((16, 1), 639)})
    variables = other.init(KEY, NORMAL)
    for where, call in (
        ("lookup", lambda: own.lookup(variables, batch)),
        ("update", lambda: own.update(variables, batch, {"f": jnp.ones((16, 8))})),
    ):
        assert _error(call) == (
            f"{where}: variables['t']: table is float32[{size[0]},{size[1]}]; "
            "expected float32[640,8]"
        )
    if size[1] == 8:
        mixed = other.preprocess({"f": np.zeros((16, 1), np.int32)})
        assert f"the batch has table 't' of {size[0]} rows" in _error(
            lambda: own.lookup(own.init(KEY, NORMAL), mixed)
        )


def test_wrong_initializers_are_errors() -> None:
    embedding = sc.Embedding(FEATURES)
    given: Any
    for given, text in (
        ({"users": NORMAL}, "initializers are users; expected items, users, words"),
        (
            3,
            "the initializer of table 'users' is 3; expected a function such as those of "
            "jax.nn.initializers",
        ),
        (
            lambda key, shape, dtype: jnp.zeros((1, 1), dtype),
            "an initializer returns float32[1,1]; expected float32[1,16]",
        ),
    ):
        assert _error(lambda given=given: embedding.init(KEY, given)) == f"init: {text}"


def test_wrong_tables_and_slots_are_errors() -> None:
    embedding = sc.Embedding(FEATURES)
    tables = embedding.tables(embedding.init(KEY, NORMAL))
    slot = {name: tables[name] for name in ("users", "items")}
    for given, slots, text in (
        ({**tables, "u": 1}, {}, "tables are items, u, users, words; expected items, users, words"),
        ({"users": 1}, {}, "tables are users; expected items, users, words"),
        (tables, {"acumulator": slot}, "slots has 'acumulator'; expected one of "),
        (tables, {"accumulator": tables}, "tables of slot 'accumulator' are items, users, words; "),
        ({**tables, "users": tables["users"].astype(float)}, {}, "table 'users' holds float64; "),
    ):
        found = _error(lambda given=given, slots=slots: embedding.from_tables(given, slots))
        assert found.startswith(f"from_tables: {text}")
    variables = embedding.from_tables(tables)
    assert _error(lambda: embedding.tables(variables, "acumulator")) == (
        "tables: slot is 'acumulator'; expected one of accumulator, momentum, velocity"
    )


def test_wrong_arguments_of_a_layer_are_errors() -> None:
    for changed, text in (
        ({"features": FEATURES[0]}, "features is of type FeatureSpec; expected Sequence"),
        ({"features": ["user"]}, "features[0] is of type str; expected FeatureSpec"),
        ({"config": "fast"}, "config is of type str; expected SparsecoreConfig or None"),
        ({"limits": 3}, "limits is of type int; expected Limits or None"),
        (
            {"minibatching": "vocab"},
            "minibatching is 'vocab'; expected one of 'off', 'vocabulary', 'sample'",
        ),
    ):
        given: dict[str, Any] = {"features": FEATURES, **changed}
        assert _error(lambda given=given: sc.Embedding(**given)) == f"Embedding: {text}"
