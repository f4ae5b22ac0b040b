"""Arguments that are too large for a program, of symbolic size, or not a key; programs for other devices than CPUs."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, PartitionSpec

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from support.embedding.embedding_cases import buffers_case

TABLE = jax.ShapeDtypeStruct((64, 4), jnp.float32)
TOO_MANY = "lookup: ids are 2147483648 entries on all devices together; expected at most 2147483647"


def ids_of(samples: int, valency: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((samples, valency), jnp.int32)


def error_of(*arguments: Any, lookup: Any = sc.lookup) -> str:
    """Return the error of tracing a lookup, for which no arrays are made."""
    with pytest.raises(BridgeError) as raised:
        jax.eval_shape(lookup, *arguments)
    return str(raised.value)


def test_more_entries_than_int32_are_an_error() -> None:
    assert error_of(TABLE, ids_of(2**16, 2**15)) == TOO_MANY
    largest = ids_of(2**16, 2**15 - 1)
    assert jax.eval_shape(sc.lookup, TABLE, largest).shape == (2**16, 4)


def test_more_entries_than_int32_on_all_devices_are_an_error() -> None:
    split = PartitionSpec("x")
    lookup = jax.shard_map(
        sc.lookup, mesh=AbstractMesh((4,), ("x",)), in_specs=split, out_specs=split
    )
    assert error_of(TABLE, ids_of(2**16, 2**15), lookup=lookup) == TOO_MANY
    largest = ids_of(2**16, 2**15 - 1)
    assert jax.eval_shape(lookup, TABLE, largest).shape == (2**16, 4)


def test_more_entries_of_buffers_than_int32_are_an_error() -> None:
    case = buffers_case(0, layout="jax_tpu_embedding")

    def large(x: np.ndarray) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct((2**31,), x.dtype)

    names = ("embedding_ids", "sample_ids", "gains")
    changed: dict[str, Any] = {name: large(getattr(case.ids, name)) for name in names}
    buffers = dataclasses.replace(case.ids, **changed)
    assert error_of(jnp.asarray(case.flat), buffers) == TOO_MANY


def test_more_rows_than_int32_are_an_error() -> None:
    table = jax.ShapeDtypeStruct((2**31, 4), jnp.float32)
    assert error_of(table, ids_of(4, 2)) == (
        "lookup: table is float32[2147483648,4]; expected at most 2147483647 rows on a device"
    )


def test_symbolic_sizes_are_refused() -> None:
    (rows,) = jax.export.symbolic_shape("rows")
    table = jax.ShapeDtypeStruct((rows, 4), jnp.float32)
    assert error_of(table, ids_of(4, 2)) == (
        "lookup: table is float32[rows,4]; expected sizes that are numbers"
    )


def test_samples_of_different_lengths_are_refused() -> None:
    text = r"^lookup: ids is a list; expected integers \[batch, valency\] \(setting an array .+\)$"
    with pytest.raises(BridgeError, match=text):
        sc.lookup(jnp.ones((8, 4)), [[1, 2], [3]])


def test_programs_for_other_devices_are_refused() -> None:
    traced = jax.jit(sc.lookup).trace(jnp.ones((8, 4)), ids_of(4, 2))
    with pytest.raises(BridgeError) as raised:
        traced.lower(lowering_platforms=("tpu",))
    assert str(raised.value) == (
        "lookup: the program is compiled for tpu; expected cpu, whose devices simulate the chip"
    )
    # Which of several it is can be asked when it runs.
    chosen = jax.jit(
        lambda table, ids: jax.lax.platform_dependent(
            table, ids, cpu=sc.lookup, default=lambda table, ids: table[ids].sum(1)
        )
    )
    lowered = chosen.trace(jnp.ones((8, 4)), ids_of(4, 2)).lower(lowering_platforms=("cpu", "tpu"))
    assert "@sdykit_sparsecore" in lowered.as_text()


@pytest.mark.parametrize(
    ("key", "found"),
    [
        (0, "0"),
        (None, "None"),
        (np.zeros(3, np.uint32), "uint32[3]"),
        (jnp.zeros(2), "float32[2]"),
        (jax.random.split(jax.random.key(0)), "key<fry>[2]"),
    ],
)
def test_init_refuses_what_is_not_one_key(key: Any, found: str) -> None:
    embedding = sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", 8, 8), 8)])
    with pytest.raises(BridgeError) as raised:
        embedding.init(key, jax.nn.initializers.normal())
    assert str(raised.value) == (
        f"init: key is {found}; expected one key, such as jax.random.key(0)"
    )


def test_keys_of_the_old_style_make_the_same_values() -> None:
    embedding = sc.Embedding([sc.FeatureSpec("f", sc.TableSpec("t", 8, 8), 8)])
    normal = jax.nn.initializers.normal()
    keys: tuple[Any, ...] = (
        jax.random.key(3),
        jax.random.PRNGKey(3),
        np.asarray(jax.random.PRNGKey(3)),
    )
    first, *others = (embedding.tables(embedding.init(key, normal))["t"] for key in keys)
    for other in others:
        np.testing.assert_array_equal(other, first)
