"""Tile programs called from JAX: results, transformations, threads."""

from __future__ import annotations

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.bridge import ffi
from support.amounts import examples
from support.bridge.ffi_programs import ADD_ROWS, DOUBLE, REVERSED_TWICE


def double(x: jax.Array | np.ndarray) -> jax.Array:
    return ffi.call(DOUBLE, [x], [x])[0]


def reversed_twice(x: jax.Array | np.ndarray) -> tuple[jax.Array, ...]:
    return ffi.call(REVERSED_TWICE, [x], [x] * 2)


@pytest.mark.parametrize("size", [0, 1, 7, 1000, 1_000_001])
def test_a_call_computes_what_its_program_says(size: int) -> None:
    x = np.random.default_rng(size).normal(size=size).astype(np.float32)
    np.testing.assert_array_equal(double(x), 2 * x)
    np.testing.assert_array_equal(jax.jit(double)(x), 2 * x)


@pytest.mark.parametrize("size", [8, 1 << 20], ids=["serial", "threads"])
def test_subnormal_numbers_are_not_flushed(size: int) -> None:
    """XLA's threads flush them to zero; tile programs compute as IEEE 754 says."""
    x = np.full(size, 1e-39, np.float32)
    np.testing.assert_array_equal(jax.jit(double)(x), 2 * x)
    # What XLA computes on the same threads is as before.
    np.testing.assert_array_equal(jax.jit(lambda y: double(y) * 2)(x), jax.jit(lambda y: y * 2)(x))


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 3000), st.integers(0, 2**32 - 1))
def test_phases_on_several_threads_compute_the_same(size: int, seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=size).astype(np.float32)
    y, z = jax.jit(reversed_twice)(x)
    np.testing.assert_array_equal(y, x[::-1])
    np.testing.assert_array_equal(z, 2 * x)


def test_calls_run_in_the_order_of_their_dependences() -> None:
    x = jnp.arange(1 << 19, dtype=jnp.float32)
    got = jax.jit(lambda x: double(double(x) + 1) + double(x))(x)
    np.testing.assert_array_equal(got, 6 * np.arange(1 << 19, dtype=np.float32) + 2)


def test_a_call_works_in_a_scan() -> None:
    def step(table: jax.Array, ids: jax.Array) -> tuple[jax.Array, jax.Array]:
        (table,) = ffi.call(ADD_ROWS, [table, ids], [table], input_output_aliases={0: 0})
        return table, double(table[0])

    ids = jnp.array([[0, 2], [2, 2], [1, 0]])
    table, doubled = jax.jit(lambda table: jax.lax.scan(step, table, ids))(jnp.zeros((4, 8)))
    np.testing.assert_array_equal(table, np.repeat([[2.0], [1], [3], [0]], 8, axis=1))
    np.testing.assert_array_equal(doubled, np.repeat([[2.0], [2], [4]], 8, axis=1))


def test_vmap_takes_one_element_after_another() -> None:
    x = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    np.testing.assert_array_equal(jax.jit(jax.vmap(double))(x), 2 * x)
    np.testing.assert_array_equal(jax.vmap(double, in_axes=1, out_axes=1)(x), 2 * x)


def test_vmap_leaves_an_aliased_argument_unchanged() -> None:
    def add(table: jax.Array, ids: jax.Array) -> jax.Array:
        return ffi.call(ADD_ROWS, [table, ids], [table], input_output_aliases={0: 0})[0]

    tables = np.random.default_rng(0).normal(size=(2, 3, 8)).astype(np.float32)
    got = jax.jit(jax.vmap(add, in_axes=(0, None)))(tables, np.array([1, 1], np.int32))
    expected = tables.copy()
    expected[:, 1] = (expected[:, 1] + np.float32(1)) + np.float32(1)
    np.testing.assert_array_equal(got, expected)


def test_a_call_cannot_be_differentiated() -> None:
    with pytest.raises(ValueError, match="`sdykit_sparsecore` cannot be differentiated"):
        jax.grad(lambda x: double(x).sum())(jnp.ones(4))


def test_unsigned_integers_are_passed_as_they_are() -> None:
    table = jnp.zeros((3, 8))
    call = jax.jit(
        lambda ids: ffi.call(ADD_ROWS, [table, ids], [table], input_output_aliases={0: 0})
    )
    for dtype in (np.int32, np.uint32):
        np.testing.assert_array_equal(call(np.array([2], dtype))[0].sum(axis=1), [0, 0, 8])


def test_an_unused_call_is_dropped() -> None:
    text = jax.jit(lambda x: (double(x), x + 1)[1]).lower(jnp.ones(4)).compile().as_text()
    assert text is not None
    assert ffi.TARGET not in text


@pytest.mark.parametrize("size", [64, 300_000])
def test_eight_threads_may_call_at_once(size: int) -> None:
    run = jax.jit(reversed_twice)
    inputs = [np.full(size, k, np.float32) for k in range(8)]
    wrong: list[int] = []
    start = threading.Barrier(8)

    def work(k: int) -> None:
        start.wait()
        for _ in range(20):
            y, z = run(inputs[k])
            if not (np.array_equal(y, inputs[k]) and np.array_equal(z, 2 * inputs[k])):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_eight_threads_may_compile_at_once() -> None:
    got: dict[int, np.ndarray] = {}
    start = threading.Barrier(8)

    def work(k: int) -> None:
        # Two programs of four threads each.
        text = DOUBLE.replace("@double", f"@double_{k % 2}")
        start.wait()
        x = np.full(k + 1, k, np.float32)
        got[k] = np.asarray(jax.jit(lambda x: ffi.call(text, [x], [x])[0])(x))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        np.testing.assert_array_equal(got[k], np.full(k + 1, 2 * k, np.float32))


def test_an_exported_program_computes_the_same() -> None:
    allowed = [jax.export.DisabledSafetyCheck.custom_call(ffi.TARGET)]
    exported = jax.export.export(jax.jit(double), disabled_checks=allowed)(
        jax.ShapeDtypeStruct((4,), jnp.float32)
    )
    np.testing.assert_array_equal(exported.call(np.arange(4, dtype=np.float32)), [0, 2, 4, 6])
