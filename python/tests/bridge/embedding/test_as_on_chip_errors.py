"""Errors of `sc.lookup(..., as_on_chip=True)`: limits, ids and arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from support.embedding.on_chip_cases import (
    DIM,
    LIMITS,
    ON_CHIP,
    ROWS,
    make_batch,
    on_host,
)

RUN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    sc.configure()
    yield
    sc.configure()


def error_of(function: Any, *arguments: Any) -> str:
    with pytest.raises(RUN_ERRORS) as raised:
        jax.block_until_ready(jax.jit(function)(*arguments))
    return str(raised.value).splitlines()[0].removeprefix("INVALID_ARGUMENT: ")


@pytest.mark.parametrize("execute", ["cpu", "chip"])
def test_limits_bind(execute: Any) -> None:
    """Only ids of partition 0, twice in a sample: mod-sharding decides, and duplicates do not count."""
    sc.configure(execute=execute)
    table = np.ones((ROWS, DIM), np.float32)
    ids = np.tile([[0, 4, 4]], (32, 1))
    exact: dict[str, Any] = {"max_ids_per_partition": 16, "max_unique_ids_per_partition": 2}

    def lookup(table: Any, ids: Any, **limits: int) -> Any:
        return sc.lookup(table, ids, as_on_chip=True, **{**exact, **limits})

    np.testing.assert_array_equal(jax.jit(lookup)(table, ids), np.full((32, DIM), 3))
    for name, observed in (("ids", 16), ("unique_ids", 2)):
        limit = {f"max_{name}_per_partition": observed - 1}
        found = error_of(lambda *given, o=limit: lookup(*given, **o), table, ids)
        assert found == (
            f"lookup: device 0, SparseCore 0, minibatch 0: {observed} {name.replace('_', ' ')} for "
            f"partition 0; the program is compiled for {observed - 1} (max_{name}_per_partition); "
            f"expected at most {observed - 1}, or a program that is compiled for {observed}"
        )


def test_limits_that_do_not_fit_are_an_error() -> None:
    limits: dict[str, Any] = {"max_ids_per_partition": 10**8, "max_unique_ids_per_partition": 8}
    found = error_of(
        lambda ids: sc.lookup(np.ones((ROWS, DIM), np.float32), ids, as_on_chip=True, **limits),
        make_batch(0).ids,
    )
    assert found.startswith("Fixed size allocations ("), found
    assert "max_ids_per_partition" in found


@pytest.mark.parametrize("wrong", [ROWS, 2**31 - 1])
def test_an_id_that_is_not_in_the_table_is_the_error_of_raw_ids(wrong: int) -> None:
    table, ids = np.ones((ROWS, DIM), np.float32), np.array([[0, 5], [1, -1], [3, wrong], [2, 2]])
    found = error_of(lambda ids: sc.lookup(table, ids, **ON_CHIP), ids)
    assert found == error_of(lambda ids: sc.lookup(table, ids), ids)
    assert found.startswith(f"lookup: ids: sample 2, position 1: id {wrong} is not"), found


def test_weights_that_sum_to_0_are_an_error() -> None:
    ids, weights = np.arange(8).reshape(4, 2), np.ones((4, 2), np.float32)
    weights[2] = [1, -1]
    table = np.ones((ROWS, DIM), np.float32)
    found = error_of(lambda ids: sc.lookup(table, ids, weights, combiner="mean", **ON_CHIP), ids)
    assert "weights: those of sample 2, or their squares, sum to 0" in found


IDS = np.zeros((4, 2), np.int32)
TABLE = np.ones((ROWS, DIM), np.float32)


def buffers() -> Any:
    return on_host(make_batch(0), None, 4, "sum", weighted=False)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"table": TABLE[:94]},
            "table is float32[94,8]; expected a multiple of 4 rows with as_on_chip, the SparseCores of "
            "all devices (add rows that no id names)",
        ),
        (
            {"max_ids_per_partition": 0},
            "max_ids_per_partition is 0; expected an integer from 1 to 2147483647",
        ),
        (
            {"max_unique_ids_per_partition": 1.5},
            "max_unique_ids_per_partition is 1.5; expected an integer from 1 to 2147483647",
        ),
        (
            {"max_ids_per_partition": None},
            "as_on_chip is True without max_ids_per_partition; expected both limits, for which the "
            "chip's memory is laid out (sdykit.sparsecore.limits counts them in data)",
        ),
        (
            dict.fromkeys(LIMITS),
            "as_on_chip is True without max_ids_per_partition and max_unique_ids_per_partition; expected "
            "both limits, for which the chip's memory is laid out (sdykit.sparsecore.limits counts them "
            "in data)",
        ),
        (
            {"as_on_chip": False},
            "max_ids_per_partition is 999, but limits do not apply to raw ids; expected as_on_chip=True "
            "with it, or no limit",
        ),
        ({"as_on_chip": 1}, "as_on_chip is 1; expected True or False"),
        (
            {"ids": buffers},
            "found as_on_chip with ids that are DeviceBuffers; expected neither as_on_chip nor limits, as "
            "buffers take a chip's way with the limits that they were made with",
        ),
        (
            {"ids": buffers, "as_on_chip": False},
            "found max_ids_per_partition with ids that are DeviceBuffers; expected neither as_on_chip nor "
            "limits, as buffers take a chip's way with the limits that they were made with",
        ),
        (
            {"weights": np.ones((4, 1), np.float32)},
            "weights is float32[4,1]; expected float32[4,2]",
        ),
        ({"combiner": "max"}, "combiner is 'max'; expected one of sum, mean, sqrtn"),
        (
            {"axis_name": "chips"},
            "axis_name names 'chips'; the manual axes of the mesh are none: the call is not in a "
            "jax.shard_map",
        ),
    ],
)
def test_wrong_arguments_are_errors(changed: dict[str, Any], text: str) -> None:
    given = {"table": TABLE, "ids": IDS, **ON_CHIP, **changed}
    given["ids"] = given["ids"]() if callable(given["ids"]) else given["ids"]
    with pytest.raises((BridgeError, sc.SparseCoreError)) as raised:
        sc.lookup(given.pop("table"), given.pop("ids"), **given)
    assert str(raised.value) == f"lookup: {text}"


def test_too_many_entries_are_an_error() -> None:
    """Raw ids are as many as int32 holds; the segments of a chip are aligned, and need more."""
    sc.configure("v6e")
    ids = jax.ShapeDtypeStruct((2, 2**30 - 1), jnp.int32)
    table = jax.ShapeDtypeStruct((ROWS, DIM), jnp.float32)
    assert jax.eval_shape(sc.lookup, table, ids).shape == (2, DIM)
    with pytest.raises(BridgeError) as raised:
        jax.eval_shape(lambda table, ids: sc.lookup(table, ids, **ON_CHIP), table, ids)
    assert str(raised.value) == (
        "lookup: ids are 2147483680 entries on all devices together; expected at most 2147483647"
    )


def test_a_gradient_of_weights_is_an_error() -> None:
    def loss(weights: Any) -> Any:
        return sc.lookup(TABLE, IDS, weights, **ON_CHIP).sum()

    with pytest.raises(BridgeError) as raised:
        jax.grad(loss)(jnp.ones((4, 2)))
    assert str(raised.value) == (
        "lookup: weights are differentiated, but have no gradient with as_on_chip; expected a lookup "
        "without it, which has one"
    )
