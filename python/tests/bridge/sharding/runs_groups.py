"""`group` on eight devices: the values, and that its arrays are sharded alike."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

from sdykit.bridge.from_jax import BridgeError, constrain, group
from support.bridge.eight_devices import AUTOMATIC, EXPLICIT, MIXED, A, assert_array, on, run

Arrays = tuple[jax.Array, ...]


def sharded(a: jax.Array) -> jax.Array:
    return constrain(jnp.sin(a), '[{"data"}, {"model"}]')


def test_all_take_the_sharding_of_one() -> None:
    def fn(a: jax.Array) -> Arrays:
        return group(sharded(a), jnp.zeros((16, 8)), jnp.arange(128).reshape(16, 8))

    first, second, third = run(fn, A)
    assert_array(first, np.sin(A), "data", "model")
    assert_array(second, np.zeros((16, 8)), "data", "model")
    assert_array(third, np.arange(128).reshape(16, 8), "data", "model")


def test_without_the_group_they_do_not() -> None:
    assert_array(
        run(lambda a: (sharded(a), jnp.zeros((16, 8))), A)[1], np.zeros((16, 8)), None, None
    )


def test_groups_stay_apart() -> None:
    def fn(a: jax.Array) -> Arrays:
        rows = constrain(jnp.sin(a), '[{"data"}, {}]')
        columns = constrain(jnp.cos(a), '[{}, {"data"}]')
        return (
            group(rows, jnp.zeros((16, 8)), jnp.ones((16, 8)))[1:]
            + group(columns, jnp.full((16, 8), 2.0))[1:]
        )

    zeros, ones, twos = run(fn, A)
    assert_array(zeros, np.zeros((16, 8)), "data", None)
    assert_array(ones, np.ones((16, 8)), "data", None)
    assert_array(twos, np.full((16, 8), 2.0), None, "data")


def test_gradients_join_the_group() -> None:
    def fn(a: jax.Array, b: jax.Array) -> jax.Array:
        a, b = group(constrain(a, '[{"data"}, {}]'), b)
        return jnp.sum(a**3 * b)

    first, second = run(jax.grad(fn, (0, 1)), A, A + 1)
    assert_array(first, 3 * A**2 * (A + 1), "data", None)
    assert_array(second, A**3, "data", None)


def test_under_vmap_in_a_loop_and_in_a_manual_region() -> None:
    def mapped(a: jax.Array) -> Arrays:
        return jax.vmap(lambda row: group(row, jnp.zeros(8)))(sharded(a))

    assert_array(run(mapped, A)[1], np.zeros((16, 8)), "data", "model")

    def looped(a: jax.Array) -> jax.Array:
        def step(carried: jax.Array, _: None) -> tuple[jax.Array, None]:
            return group(carried, sharded(a))[0] + 1, None

        return jax.lax.scan(step, jnp.zeros((16, 8)), None, length=3)[0]

    assert_array(run(looped, A), np.full((16, 8), 3.0), "data", "model")

    def manual(a: jax.Array) -> jax.Array:
        def on_device(part: jax.Array) -> jax.Array:
            return group(constrain(part, '[{}, {"model"}]'), part * 0)[1]

        return jax.shard_map(
            on_device, in_specs=P("data"), out_specs=P("data"), axis_names={"data"}
        )(a)

    assert_array(run(manual, A), np.zeros((16, 8)), "data", "model")


def test_outside_tracing_the_arrays_are_sharded_alike() -> None:
    first, second = group(on(AUTOMATIC, A, "data"), on(AUTOMATIC, A + 1))
    assert_array(first, A, "data", None)
    assert_array(second, A + 1, "data", None)


@pytest.mark.parametrize("mesh", [EXPLICIT, MIXED])
def test_explicit_axes_must_agree(mesh: Any) -> None:
    a, b = on(mesh, A, "data"), on(mesh, A)
    assert_array(run(lambda a: group(a, a + 1)[1], a, mesh=mesh), A + 1, "data", None)
    expected = (
        "group takes arrays that explicit axes shard alike, found types float32[16@data,8],"
        " float32[16,8]; jax.sharding.reshard changes them"
    )
    with pytest.raises(BridgeError, match=re.escape(expected)):
        run(group, a, b, mesh=mesh)


def test_the_axes_beside_explicit_ones_are_shared() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return group(constrain(a, '[{}, {"model"}]'), a + 1)[1]

    assert_array(run(fn, on(MIXED, A, "data"), mesh=MIXED), A + 1, "data", "model")


def test_under_vmap_on_an_explicit_axis() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return jax.vmap(lambda row: group(row, jnp.ones(8))[1])(a)

    assert_array(run(fn, on(MIXED, A, "data"), mesh=MIXED), np.ones((16, 8)), "data", None)
