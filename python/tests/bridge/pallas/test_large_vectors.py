"""Vectors of more elements than machine code has in one: compiled, with the bits of the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from sdykit.sparsecore.mosaic.compile import fallbacks

RNG = np.random.default_rng(11)
SHAPE = (64, 128)


@pytest.fixture(params=["7x", "v5p"])
def chip(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param
    sc.configure()


def kernel_of(body: Callable[[Any, Any], None], like: jax.Array) -> Callable[..., jax.Array]:
    """Return a kernel that calls `body(a, b)` with the operand and the result in VMEM."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(like.shape, like.dtype),
        mesh=plsc.VectorSubcoreMesh(
            core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1
        ),
        scratch_types=[pltpu.VMEM(like.shape, like.dtype)] * 2,
    )
    def kernel(x: Any, out: Any, a: Any, b: Any) -> None:
        pltpu.sync_copy(x, a)
        body(a, b)
        pltpu.sync_copy(b, out)

    return jax.jit(kernel)


def assert_engines_agree(chip: str, body: Callable[[Any, Any], None], x: jax.Array) -> np.ndarray:
    """Check that both compiled modes give the bytes of the reference, which is returned."""
    results = {}
    for mode in ("reference", "fast", "check"):
        sc.configure(chip, pallas=mode)
        jax.clear_caches()
        before = len(fallbacks())
        results[mode] = np.asarray(kernel_of(body, x)(x))
        assert len(fallbacks()) == before
    assert results["fast"].tobytes() == results["reference"].tobytes()
    assert results["check"].tobytes() == results["reference"].tobytes()
    return results["reference"]


def numbers(dtype: Any, shape: tuple[int, ...] = SHAPE) -> jax.Array:
    return jnp.asarray(RNG.integers(-100, 100, shape)).astype(dtype)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (lambda x: x + 1, jnp.int32),
        (lambda x: x // 3, jnp.int32),
        (lambda x: jnp.exp(x / 40), jnp.float32),
        (lambda x: jnp.where(x > 0, x, -2 * x), jnp.float32),
        (lambda x: x * x + x, jnp.bfloat16),
        (lambda x: x + 1, jnp.int8),
        (lambda x: x.astype(jnp.int32).astype(jnp.float32), jnp.float32),
        (lambda x: (x.reshape(-1) * 3).reshape(x.shape), jnp.float32),
    ],
)
def test_elementwise(chip: str, function: Callable[[Any], Any], dtype: Any) -> None:
    def body(a: Any, b: Any) -> None:
        b[...] = function(a[...])

    assert_engines_agree(chip, body, numbers(dtype))


@pytest.mark.parametrize("shape", [(65, 127), (50, 100), (3, 5, 400), (6000,), (4098, 2)])
def test_shapes_that_pieces_do_not_divide(shape: tuple[int, ...]) -> None:
    def body(a: Any, b: Any) -> None:
        b[...] = a[...] * 3 + 1

    x = numbers(jnp.int32, shape)
    np.testing.assert_array_equal(assert_engines_agree("7x", body, x), np.asarray(x) * 3 + 1)
    sc.configure()


def test_a_row_for_all_rows(chip: str) -> None:
    def body(a: Any, b: Any) -> None:
        b[...] = a[...] + a[0][None, :]

    x = numbers(jnp.float32)
    found = assert_engines_agree(chip, body, x)
    np.testing.assert_array_equal(found, np.asarray(x) + np.asarray(x)[0])


def test_what_is_used_after_its_memory_was_written(chip: str) -> None:
    def body(a: Any, b: Any) -> None:
        x = a[...]
        a[...] = x + 1
        b[...] = x * a[...]
        a[...] = b[...] - x
        b[...] = a[...] + x

    x = numbers(jnp.int32)
    found = assert_engines_agree(chip, body, x)
    np.testing.assert_array_equal(found, np.asarray(x) * (np.asarray(x) + 1))


def test_a_block_that_overlaps_the_one_it_is_made_of(chip: str) -> None:
    def body(a: Any, b: Any) -> None:
        a[pl.ds(1, 63)] = a[pl.ds(0, 63)] + 1
        b[...] = a[...]

    x = np.asarray(numbers(jnp.int32))
    found = assert_engines_agree(chip, body, jnp.asarray(x))
    np.testing.assert_array_equal(found, np.concatenate([x[:1], x[:-1] + 1]))


def test_what_a_loop_uses_of_before_it(chip: str) -> None:
    def body(a: Any, b: Any) -> None:
        x = a[...] + 1
        b[...] = x

        @pl.loop(0, 3)
        def _(_: Any) -> None:
            b[...] = b[...] * 2 + x
            a[...] = b[...]

    x = np.asarray(numbers(jnp.int32))
    found = assert_engines_agree(chip, body, jnp.asarray(x))
    np.testing.assert_array_equal(found, (x + 1) * 15)


def test_a_copy_to_memory_that_was_read_before(chip: str) -> None:
    def body(a: Any, b: Any) -> None:
        x = a[...]
        b[...] = x * 0
        pltpu.sync_copy(b, a)
        b[...] = a[...] + x

    x = numbers(jnp.int32)
    np.testing.assert_array_equal(assert_engines_agree(chip, body, x), x)


def test_values_that_are_used_many_times(chip: str) -> None:
    def body(a: Any, b: Any) -> None:
        x = a[...]
        for _ in range(50):
            x = x + x * 3
        b[...] = x

    x = np.asarray(numbers(jnp.int32))
    found = assert_engines_agree(chip, body, jnp.asarray(x))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(
            found, (x.astype(object) * 4**50 % 2**32).astype(np.uint32).view(np.int32)
        )
