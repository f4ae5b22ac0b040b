"""Element-wise functions of JAX in a kernel, against the same functions of arrays, compiled by XLA."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl

from support.codegen.tile_programs import assert_same
from support.pallas.one_op import in_vmem, lanes

pytestmark = pytest.mark.usefixtures("chip")

Function = Callable[[Any, Any], Any]
VECTORS = 12

ANY: list[Function] = [
    *(operator.add, operator.sub, operator.mul, lax.div, lax.rem, lax.max, lax.min),
    lambda a, b: jnp.where(a == b, a, b),
    lambda a, b: jnp.where(a < b, a, b),
    lambda a, b: jnp.where(a >= b, a, b),
    lambda a, b: jnp.where((a > b) & ~(a <= 3), a, b),
    lambda a, b: jnp.clip(a, 1, 3) + b,
    lambda a, b: lax.sign(a) * b,
]
SIGNED: list[Function] = [lambda a, b: jnp.abs(a) - b]
# JAX makes `0 - a` of `-a` in a kernel, which is another zero for 0.0.
NEGATED: list[Function] = [lambda a, b: -a + b]
INTEGERS: list[Function] = [
    *(operator.and_, operator.or_, operator.xor, lax.shift_right_logical),
    lambda a, b: ~a + b,
    lambda a, b: a << b,
    lambda a, b: a >> b,
    lambda a, b: (a < b).astype(a.dtype) + a,
]
WORDS: list[Function] = [
    lambda a, b: lax.bitcast_convert_type(a.astype(jnp.float32) * 3, a.dtype) + b,
    lambda a, b: a.astype(jnp.int16).astype(a.dtype) + b,
    lambda a, b: a.astype(jnp.bfloat16).astype(jnp.float32).astype(a.dtype) + b,
]
FLOATS: list[Function] = [
    lambda a, b: a.astype(jnp.int32).astype(a.dtype) + b,
    lambda a, b: a.astype(jnp.bfloat16).astype(a.dtype) - b,
    lambda a, b: (
        lax.bitcast_convert_type(lax.bitcast_convert_type(a, jnp.int32) | 0x3F800000, a.dtype) + b
    ),
]
FUNCTIONS: dict[Any, list[Function]] = {
    jnp.float32: [*ANY, *SIGNED, *FLOATS],
    jnp.bfloat16: [*ANY, *SIGNED],
    jnp.int32: [*ANY, *SIGNED, *NEGATED, *INTEGERS, *WORDS],
    jnp.uint32: [*ANY[:-2], *INTEGERS, *WORDS[:1]],
}


def width_of(dtype: Any) -> int:
    """Return how many elements of a type a vector has."""
    return lanes() * 4 // np.dtype(dtype).itemsize


def operands(dtype: Any) -> list[np.ndarray[Any, Any]]:
    """Return two arrays: integers of all sizes; floats whose results are no subnormal numbers."""
    count, rng = VECTORS * width_of(dtype), np.random.default_rng(3)
    if np.dtype(dtype).kind in "iu":
        words = rng.integers(-(2**31), 2**31, (2, count)) >> rng.integers(0, 32, (2, count))
        words[:, :6] = [[-(2**31), 7, -(2**31), 5, 0, -1], [-1, 0, 0, 33, -1, 31]]
        return list(words.astype(np.int32).view(dtype))
    values = rng.standard_normal((2, count)) * 10.0 ** rng.uniform(-6, 6, (2, count))
    values[:, :8] = [[0.0, -0.0, 1, -1, np.inf, 5, 2, -3], [-0.0, 0.0, 0, np.inf, 2, 5, -np.inf, 0]]
    return list(values.astype(dtype))


@pytest.mark.parametrize("dtype", FUNCTIONS)
def test_as_xla_computes_it(dtype: Any):
    a, b = operands(dtype)
    functions, n = FUNCTIONS[dtype], width_of(dtype)

    def body(a: Any, b: Any, out: Any) -> None:
        @pl.loop(0, VECTORS)
        def _(at: Any) -> None:
            part = pl.ds(at * n, n)
            for number, function in enumerate(functions):
                out[number, part] = function(a[part], b[part])

    found = in_vmem(body, a, b, out=np.zeros((len(functions), len(a)), dtype))
    expected = jax.jit(lambda a, b: [function(a, b) for function in functions])(a, b)
    for number, row in enumerate(expected):
        assert_same(found[number], np.asarray(row), f"function {number}")


def test_exp_is_the_nearest_number_or_its_neighbour():
    count = VECTORS * lanes()
    a = np.random.default_rng(4).uniform(-80, 80, count).astype(np.float32)

    def body(a: Any, out: Any) -> None:
        @pl.loop(0, VECTORS)
        def _(at: Any) -> None:
            part = pl.ds(at * lanes(), lanes())
            out[part] = jnp.exp(a[part])

    found, exact = in_vmem(body, a, out=np.zeros_like(a)), np.exp(a.astype(np.float64))
    assert (np.abs(found - exact) <= np.spacing(exact.astype(np.float32))).all()


def test_narrow_floats_are_rounded_after_each_op():
    n = 2 * lanes()
    a = np.full(n, 1 + 2**-7).astype(ml_dtypes.bfloat16)

    def body(a: Any, out: Any) -> None:
        out[...] = a[...] * a[...] - a[...]

    found = in_vmem(body, a, out=np.zeros_like(a))
    # (1 + 2^-7)^2 is rounded to 1 + 2^-6 before the subtraction.
    assert (found.astype(np.float32) == 2**-7).all()
