"""The derivatives that exist, errors of others, and calls outside of `jax.jit`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import SGD, Adagrad, Adam
from support.bridge.ffi_programs import run_python
from support.embedding.embedding_cases import buffers_case, raw_case, same

RAW = raw_case(0, samples=10)
GRADIENTS = np.random.default_rng(0).normal(size=RAW.lookup().shape).astype(np.float32)
ONCE = "lookup: the gradient for the table is differentiated; expected first derivatives only"
NONE = (
    "grad_update: an argument is differentiated, but an update has no gradient; expected it outside "
    "of what jax.grad differentiates"
)


def look_up(table: Any, weights: Any) -> jax.Array:
    return jnp.vdot(sc.lookup(table, RAW.ids, weights), GRADIENTS)


def test_a_function_that_is_traced_once_can_be_differentiated_for_each_argument() -> None:
    """JAX then keeps one structure of residuals for all arguments."""
    given = (jnp.asarray(RAW.flat), jnp.asarray(RAW.weights))
    expected = [np.asarray(jax.jit(jax.grad(look_up, which))(*given)) for which in (0, 1)]
    assert same(expected[0], RAW.dense_gradient(GRADIENTS))
    traced = jax.jit(look_up, inline=True)
    for _ in range(2):
        for which in (0, 1):
            found = jax.jit(jax.grad(lambda *x: traced(*x) * 1, which))(*given)
            assert same(found, expected[which])


def test_a_traced_function_can_be_differentiated_after_an_error() -> None:
    """The error leaves nothing wrong in what was traced before."""
    case = buffers_case(0)
    traced = jax.jit(lambda table, ids: sc.lookup(table, ids).sum(), inline=True)
    expected = case.dense_gradient(np.ones_like(case.lookup()))
    for _ in range(2):
        gradient = jax.jit(jax.grad(lambda table: traced(table, case.ids) * 1))
        assert same(gradient(case.flat), expected)
        with pytest.raises(BridgeError, match="ids are DeviceBuffers and are differentiated"):
            jax.grad(traced, 1, allow_int=True)(jnp.asarray(case.flat), case.ids)


def test_the_gradient_of_the_weights_can_be_differentiated() -> None:
    def squared(look: Callable[[Any, Any], jax.Array], table: Any, weights: Any) -> jax.Array:
        return jnp.sum(jax.grad(lambda w: look(table, w) ** 2)(weights) ** 2)

    def by_hand(table: Any, weights: Any) -> jax.Array:
        held = jnp.where(RAW.ids >= 0, weights, 0)
        rows = table[np.maximum(RAW.ids, 0)]
        return jnp.vdot(jnp.einsum("sv,svd->sd", held, rows), GRADIENTS)

    given = (jnp.asarray(RAW.flat), jnp.asarray(RAW.weights))
    found = jax.jit(jax.grad(lambda *args: squared(look_up, *args), (0, 1)))(*given)
    expected = jax.grad(lambda *args: squared(by_hand, *args), (0, 1))(*given)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-5, atol=1e-4 * np.abs(other).max())


@pytest.mark.parametrize("case", [RAW, buffers_case(0)], ids=["raw", "buffers"])
def test_the_gradient_of_the_table_cannot_be_differentiated(case: Any) -> None:
    def loss(table: jax.Array) -> jax.Array:
        return jnp.sum(sc.lookup(table, case.ids, case.weights) ** 2)

    with pytest.raises(BridgeError) as raised:
        jax.grad(lambda table: jax.grad(loss)(table).sum())(jnp.asarray(case.flat))
    assert str(raised.value) == ONCE


@pytest.mark.parametrize("argument", range(4))
@pytest.mark.parametrize("transform", [lambda x: x, jax.jit], ids=["plain", "jit"])
def test_an_update_cannot_be_differentiated(argument: int, transform: Any) -> None:
    def update(table: Any, accumulator: Any, weights: Any, rate: Any) -> jax.Array:
        table, slots = sc.grad_update(
            table,
            {"accumulator": accumulator},
            RAW.ids,
            weights,
            GRADIENTS,
            optimizer=Adagrad(0.1),
            learning_rate=rate,
        )
        return table.sum() + slots["accumulator"].sum()

    given = [RAW.flat, np.ones_like(RAW.flat), RAW.weights, np.float32(0.1)]
    with pytest.raises(BridgeError) as raised:
        jax.grad(transform(update), argument)(*map(jnp.asarray, given))
    assert str(raised.value) == NONE
    # A gradient of other parts of the function is not affected.
    gradient = jax.grad(
        lambda x: update(*map(jax.lax.stop_gradient, (x, x, *given[2:]))) + x.sum()
    )(jnp.asarray(RAW.flat))
    assert same(gradient, np.ones_like(RAW.flat))


def test_lookups_and_updates_work_without_jit() -> None:
    update = sc.grad_update(RAW.flat, {}, RAW.ids, RAW.weights, GRADIENTS, optimizer=SGD(0.1))
    with jax.disable_jit():
        assert same(sc.lookup(RAW.flat, RAW.ids, RAW.weights), RAW.lookup())
        again = sc.grad_update(RAW.flat, {}, RAW.ids, RAW.weights, GRADIENTS, optimizer=SGD(0.1))
    assert same(again[0], np.asarray(update[0]))


def test_equal_calls_compile_nothing_again(caplog: pytest.LogCaptureFixture) -> None:
    def call() -> None:
        sc.lookup(RAW.flat, RAW.ids, RAW.weights, combiner="mean")
        sc.grad_update(RAW.flat, {}, RAW.ids, RAW.weights, GRADIENTS, optimizer=SGD(0.1))

    call()
    with jax.log_compiles(), caplog.at_level(logging.WARNING):
        call()
        assert not caplog.messages
        jax.jit(lambda x: x + 7)(1)  # A compilation is logged like this.
    assert any("Compiling" in text for text in caplog.messages)


SHARDED = """
import sdykit.sparsecore as sc
from support.embedding.embedding_cases import raw_case, same
sc.lookup  # Sets NPROC.
import jax, numpy as np
from jax.sharding import AxisType, PartitionSpec as P
mesh = jax.make_mesh((2,), ("a",), axis_types=(AxisType.Auto,))
case = raw_case(0, 2)
run = jax.shard_map(lambda table, ids, weights: sc.lookup(table, ids, weights), mesh=mesh,
                    in_specs=P("a"), out_specs=P("a"))
assert same(run(case.flat, case.ids, case.weights), case.lookup())
gradient = jax.grad(lambda table: run(table, case.ids, case.weights).sum())(case.flat)
assert same(gradient, case.dense_gradient(np.ones_like(case.lookup())))
"""


def test_gradients_work_in_a_shard_map_without_jit() -> None:
    assert run_python(SHARDED, XLA_FLAGS="--xla_force_host_platform_device_count=2") == ""


def test_traced_steps_may_have_64_bits() -> None:
    """Those above int32 become its maximum: powers of a decay are the same for both."""
    slots = {"momentum": np.zeros_like(RAW.flat), "velocity": np.ones_like(RAW.flat)}

    def update(step: Any) -> jax.Array:
        return sc.grad_update(
            RAW.flat, slots, RAW.ids, RAW.weights, GRADIENTS, optimizer=Adam(0.1), step=step
        )[0]

    expected = np.asarray(jax.jit(update)(np.int32(2**31 - 1)))
    with jax.enable_x64(True):
        assert same(jax.jit(update)(np.int64(2**32 + 1)), expected)
        with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="step: it is -1;"):
            jax.block_until_ready(jax.jit(update)(np.int64(-(2**32) + 1)))


@pytest.mark.parametrize("kind", [int, np.int64, np.array])
def test_steps_of_the_host_may_have_64_bits(kind: Any) -> None:
    given = (RAW.flat, {}, RAW.ids, RAW.weights, GRADIENTS)
    with pytest.raises(BridgeError) as raised:
        sc.grad_update(*given, optimizer=SGD(0.1), step=kind(2**32 + 1))
    text = "grad_update: step is 4294967297; expected at most 2147483647"
    assert str(raised.value) == text


def test_ids_in_a_list_may_be_traced() -> None:
    found = jax.jit(lambda a, b: sc.lookup(RAW.flat, [[a, b]]))(1, 2)
    assert same(found, np.float32(0) + RAW.flat[None, 1] + RAW.flat[None, 2])
