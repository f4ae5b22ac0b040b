"""Kernels on floats of 8 and 16 bits, and on integers of 2 and 4: compiled, with the right numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

from support.pallas.engines import Array, assert_engines_agree
from support.pallas.kernels import vector_mesh

RNG = np.random.default_rng(19)
PARAMS = pltpu.CompilerParams(needs_layout_passes=False)
FLOATS = [jnp.float16, jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz]


def on_vectors(function: Callable[..., Any], dtype: Any, lanes: int, result: Any = None) -> Any:
    """Return a kernel that applies a function to two vectors, and a mask if that is an operand."""
    result = dtype if result is None else result

    @functools.partial(
        pl.kernel,
        out_type=jax.ShapeDtypeStruct((lanes,), result),
        mesh=vector_mesh(num_cores=1, num_subcores=1),
        scratch_types=[*[pltpu.VMEM((lanes,), dtype)] * 2, pltpu.VMEM((lanes,), result)],
        compiler_params=PARAMS,
    )
    def apply(x: Any, y: Any, out: Any, *held: Any) -> None:
        pltpu.sync_copy(x, held[0])
        pltpu.sync_copy(y, held[1])
        held[2][...] = function(held[0][...], held[1][...])
        pltpu.sync_copy(held[2], out)

    return apply


def numbers(dtype: Any, count: int) -> Array:
    """Return numbers of all magnitudes, zeros, infinite ones and NaN."""
    wide = RNG.normal(size=count) * 2.0 ** RNG.integers(-12, 10, count)
    wide[::7] = RNG.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1], len(wide[::7]))
    with np.errstate(all="ignore"):
        return wide.astype(np.float32).astype(dtype)


IN_FLOAT32: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sum": (lambda x, y: x + y, lambda x, y: x + y),
    "product": (lambda x, y: x * y, lambda x, y: x * y),
    "larger": (jnp.maximum, np.maximum),
    "chosen": (lambda x, y: jnp.where(x < y, x, -y), lambda x, y: np.where(x < y, x, -y)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", IN_FLOAT32)
@pytest.mark.parametrize("dtype", FLOATS)
def test_arithmetic_is_that_of_float32_rounded(dtype: Any, name: str) -> None:
    lanes = 16 * 4 // np.dtype(dtype).itemsize
    ours, numpys = IN_FLOAT32[name]
    x, y = numbers(dtype, lanes), numbers(dtype, lanes)
    if name not in {"sum", "product"}:  # Of zeros with two signs numpy may choose either.
        x, y = (np.where(each == 0, dtype(1), each) for each in (x, y))
    expected = numpys(x.astype(np.float32), y.astype(np.float32)).astype(dtype)
    assert_engines_agree(on_vectors(ours, dtype, lanes), [x, y], [expected])


@pytest.mark.parametrize("dtype", FLOATS)
def test_words_are_unpacked(dtype: Any) -> None:
    """Rows of narrow floats as they are in HBM: words of 32 bits, and then pairs."""
    wide = jnp.float32 if dtype == jnp.float16 else jnp.bfloat16
    lanes = 16 * 4 // np.dtype(wide).itemsize

    @functools.partial(
        pl.kernel,
        out_type=[jax.ShapeDtypeStruct((lanes,), wide)] * 2,
        mesh=vector_mesh(num_cores=1, num_subcores=1),
        scratch_types=[pltpu.VMEM((16,), jnp.int32), *[pltpu.VMEM((lanes,), wide)] * 2],
        compiler_params=PARAMS,
    )
    def unpack(words: Any, even: Any, odd: Any, held: Any, *halves: Any) -> None:
        pltpu.sync_copy(words, held)
        pair = plsc.unpack(
            plsc.bitcast(held[...], dtype),
            format=plsc.PackFormat.INTERLEAVED,
            preferred_element_type=wide,
        )
        halves[0][...], halves[1][...] = pair
        pltpu.sync_copy(halves[0], even)
        pltpu.sync_copy(halves[1], odd)

    x = numbers(dtype, 2 * lanes)
    expected = x.astype(np.float32).astype(wide)
    assert_engines_agree(unpack, [x.view(np.int32)], [expected[::2], expected[1::2]])


def test_words_are_eight_integers_of_4_bits() -> None:
    @functools.partial(
        pl.kernel,
        out_type=[jax.ShapeDtypeStruct((64,), jnp.int8)] * 2,
        mesh=vector_mesh(num_cores=1, num_subcores=1),
        scratch_types=[pltpu.VMEM((16,), jnp.int32), *[pltpu.VMEM((64,), jnp.int8)] * 2],
        compiler_params=PARAMS,
    )
    def unpack(words: Any, even: Any, odd: Any, held: Any, *halves: Any) -> None:
        pltpu.sync_copy(words, held)
        halves[0][...], halves[1][...] = plsc.unpack(
            plsc.bitcast(held[...], jnp.int4),
            format=plsc.PackFormat.INTERLEAVED,
            preferred_element_type=jnp.int8,
        )
        pltpu.sync_copy(halves[0], even)
        pltpu.sync_copy(halves[1], odd)

    words = RNG.integers(-(2**31), 2**31, 16).astype(np.int32)
    nibbles = ((words[:, None] >> (4 * np.arange(8))) & 15).ravel()
    signed = (((nibbles + 8) & 15) - 8).astype(np.int8)
    assert_engines_agree(unpack, [words], [signed[::2], signed[1::2]])


@pytest.mark.parametrize("dtype", [jnp.int4, jnp.int2])
def test_small_integers_wrap(dtype: Any) -> None:
    bits = 4 if dtype == jnp.int4 else 2
    x, y = (RNG.integers(-1 << (bits - 1), 1 << (bits - 1), 64).astype(dtype) for _ in range(2))
    total = x.astype(np.int32) * 3 + y.astype(np.int32)
    expected = (((total + (1 << (bits - 1))) % (1 << bits)) - (1 << (bits - 1))).astype(dtype)
    assert_engines_agree(on_vectors(lambda x, y: x * 3 + y, dtype, 64), [x, y], [expected])


def test_conversions_of_half_precision() -> None:
    x, y = numbers(np.float16, 32), numbers(np.float16, 32)
    x, y = (np.where(np.isfinite(each), each, np.float16(3)) for each in (x, y))

    def function(x: Any, y: Any) -> Any:
        return x.astype(jnp.int16) + y.astype(jnp.int16)

    expected = x.astype(np.int16) + y.astype(np.int16)
    assert_engines_agree(on_vectors(function, jnp.float16, 32, jnp.int16), [x, y], [expected])


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, np.float16])
def test_rows_of_narrow_floats_are_gathered(dtype: Any) -> None:
    @functools.partial(
        pl.kernel,
        out_type=jax.ShapeDtypeStruct((8, 128), dtype),
        mesh=vector_mesh(num_cores=1, num_subcores=1),
        scratch_types=[pltpu.VMEM((8,), jnp.int32), pltpu.VMEM((8, 128), dtype)],
        compiler_params=PARAMS,
    )
    def gather(x: Any, ids: Any, out: Any, rows: Any, held: Any) -> None:
        pltpu.sync_copy(ids, rows)
        pltpu.sync_copy(x.at[rows], held)
        pltpu.sync_copy(held, out)

    x = numbers(dtype, 20 * 128).reshape(20, 128)
    ids = RNG.integers(0, 20, 8).astype(np.int32)
    assert_engines_agree(gather, [x, ids], [x[ids]])
