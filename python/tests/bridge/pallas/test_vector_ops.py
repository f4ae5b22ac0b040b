"""What JAX makes of its functions on vectors: compiled, with the bits of the reference."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from sdykit.sparsecore.mosaic.compile import fallbacks
from support.codegen.tile_programs import assert_same

ROWS = 5
LANES = {"7x": 16, "v5p": 8}
Function = Callable[..., Any]

INTERLEAVED: Any = {"format": plsc.PackFormat.INTERLEAVED}


def unpacked(word: Any) -> Any:
    return plsc.unpack(plsc.bitcast(word, jnp.bfloat16), **INTERLEAVED)


def everywhere(scalar: Any, like: Any) -> Any:
    return jnp.broadcast_to(scalar, like.shape)


SCANS: list[Function] = [
    lambda x, i, m: plsc.cumsum(x, mask=m),
    lambda x, i, m: plsc.cumsum(i, mask=m),
    lambda x, i, m: plsc.cummax(x, mask=m),
    lambda x, i, m: plsc.cummax(i, mask=m),
    lambda x, i, m: plsc.cummax(i.astype(jnp.uint32), mask=m),
    lambda x, i, m: everywhere(jnp.sum(x), x),
    lambda x, i, m: everywhere(jnp.max(i), x),
    lambda x, i, m: everywhere(jnp.min(x), x),
    lambda x, i, m: everywhere(jnp.any(m), x),
    lambda x, i, m: everywhere(jnp.all(m), x),
    lambda x, i, m: plsc.scan_count(i, m),
    lambda x, i, m: plsc.scan_count(x, m),
    lambda x, i, m: plsc.all_reduce_population_count(m),
    lambda x, i, m: plsc.all_reduce_ffs(m),
]
MOVES: list[Function] = [
    lambda x, i, m: lax.sort(x),
    lambda x, i, m: plsc.sort_key_val(i, x),
    lambda x, i, m: plsc.sort_key_val(x, i, mask=m, descending=True),
    lambda x, i, m: plsc.sort_key_val(i.astype(jnp.uint32), x, descending=True),
    lambda x, i, m: lax.rev(x, (0,)),
    lambda x, i, m: jnp.take_along_axis(x, i & 7, axis=0, mode="promise_in_bounds"),
    lambda x, i, m: i + lax.iota(jnp.int32, len(i)),
    lambda x, i, m: jnp.concatenate([x[len(x) // 2 :], x[: len(x) // 2]]),
    lambda x, i, m: plsc.bitcast(plsc.pack(x, x * 3, **INTERLEAVED), jnp.int32),
    lambda x, i, m: plsc.bitcast(plsc.pack(i, i + 1, **INTERLEAVED), jnp.int32),
    lambda x, i, m: unpacked(i),
    lambda x, i, m: lax.bitcast_convert_type(x, jnp.int32) ^ 5,
]
INTEGERS: list[Function] = [
    lambda x, i, m: (lax.div(i, i >> 9), lax.rem(i, i >> 9)),
    lambda x, i, m: (lax.div(i, lax.rev(i, (0,))), lax.rem(i, lax.rev(i, (0,)))),
    lambda x, i, m: lax.div(i.astype(jnp.uint32), i.astype(jnp.uint32) >> 29),
    lambda x, i, m: (i // 7, i % -5),
    lambda x, i, m: (i << (i & 63), lax.shift_right_arithmetic(i, i & 63)),
    lambda x, i, m: lax.shift_right_logical(i, i & 63),
    lambda x, i, m: (jnp.maximum(i, 3), jnp.minimum(i, -3), jnp.abs(i), jnp.sign(i)),
    lambda x, i, m: everywhere(lax.div(i[0], i[1]) + lax.rem(i[2], i[3]), i),
    lambda x, i, m: (m == (i > 0), m | (i < 3), m ^ (i == 1)),
    lambda x, i, m: everywhere(lax.fori_loop(0, i[0] & 7, lambda k, s: s * 3 + k, 1), i),
    lambda x, i, m: everywhere(lax.cond(i[0] > 0, lambda: i[1], lambda: i[2] + 1), i),
]
FLOATS: list[Function] = [
    lambda x, i, m: (x.astype(jnp.int32), x.astype(jnp.uint32), i.astype(jnp.float32)),
    lambda x, i, m: (jnp.exp(x), jnp.abs(x), jnp.sign(x), -x),
    lambda x, i, m: (jnp.maximum(x, lax.rev(x, (0,))), jnp.minimum(x, lax.rev(x, (0,)))),
    lambda x, i, m: (x / lax.rev(x, (0,)), lax.rem(x, lax.rev(x, (0,)))),
    lambda x, i, m: (x < 1, x == 1, x != lax.rev(x, (0,)), x >= 0),
    lambda x, i, m: (jnp.where(m, x, 2.0), jnp.clip(x, -1, 1)),
    lambda x, i, m: (x * 1e-30 * 1e-12, x + 1e-40),
]
GROUPS = {"scans": SCANS, "moves": MOVES, "integers": INTEGERS, "floats": FLOATS}


def results(functions: list[Function], x: Any, i: Any, m: Any) -> list[Any]:
    """Return the vectors that functions return, booleans as integers."""
    found = [function(x, i, m) for function in functions]
    flat = [each for some in found for each in (some if isinstance(some, tuple | list) else [some])]
    return [jnp.where(each, 1, 0) if each.dtype == jnp.bool_ else each for each in flat]


def kernel(functions: list[Function], lanes: int) -> Function:
    """Return a kernel that applies functions to each row of floats, integers, and masks as integers."""
    dtypes = [jnp.float32, jnp.int32, jnp.int32]
    shaped = [jax.ShapeDtypeStruct((lanes,), each) for each in dtypes[:2]]
    shapes = jax.eval_shape(lambda x, i: results(functions, x, i, i > 0), *shaped)
    outputs = [jax.ShapeDtypeStruct((ROWS, lanes), each.dtype) for each in shapes]
    held = [pltpu.VMEM((ROWS, lanes), each) for each in (*dtypes, *(o.dtype for o in outputs))]
    mesh = plsc.VectorSubcoreMesh(
        core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1
    )

    @functools.partial(
        pl.kernel,
        out_type=outputs,
        mesh=mesh,
        scratch_types=held,
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
    )
    def run(*refs: Any) -> None:
        arrays, local = refs[: len(held)], refs[len(held) :]
        for source, target in zip(arrays[:3], local[:3], strict=True):
            pltpu.sync_copy(source, target)

        @pl.loop(0, ROWS)
        def _(row: Any) -> None:
            x, i, m = (each[row, :] for each in local[:3])
            found = results(functions, x, i, m > 0)
            for target, value in zip(local[3:], found, strict=True):
                target[row, :] = value

        for source, target in zip(local[3:], arrays[3:], strict=True):
            pltpu.sync_copy(source, target)

    return run


def operands(lanes: int) -> list[Any]:
    rng = np.random.default_rng(lanes)
    x = rng.standard_normal((ROWS, lanes)) * 10.0 ** rng.integers(-2, 3, (ROWS, lanes))
    x[1] = rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1, 1, 2, 1e-40, -3e38], lanes)
    x[2] = rng.integers(-2, 3, lanes)
    x[3] *= 1e10
    i = rng.integers(-(2**31), 2**31, (ROWS, lanes))
    i[1] = rng.integers(-3, 4, lanes)
    i[2] = rng.choice([0, -1, -(2**31), 2**31 - 1, 31, 32, 33], lanes)
    i[3] = 0
    m = rng.integers(0, 2, (ROWS, lanes))
    m[3], m[4] = 0, 1
    return [x.astype(np.float32), i.astype(np.int32), m.astype(np.int32)]


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    sc.configure()


@pytest.mark.parametrize("chip", LANES)
@pytest.mark.parametrize("group", GROUPS)
def test_functions_on_vectors_have_the_bits_of_the_reference(group: str, chip: str) -> None:
    found = []
    before = len(fallbacks())
    for mode in ("fast", "reference"):
        sc.configure(chip, pallas=mode)
        run = kernel(GROUPS[group], LANES[chip])
        found.append([np.asarray(each) for each in jax.jit(run)(*operands(LANES[chip]))])
    assert fallbacks()[before:] == ()
    for number, (compiled, meant) in enumerate(zip(*found, strict=True)):
        assert_same(compiled.ravel(), meant.ravel(), f"result {number}")


def test_subnormal_numbers_are_kept() -> None:
    for mode in ("fast", "reference"):
        sc.configure("7x", pallas=mode)
        x, i, m = operands(16)
        x[...] = 1e-40
        found = jax.jit(kernel([lambda x, i, m: (x * 0.5, x + x)], 16))(x, i, m)
        tiny = np.float32(1e-40)
        assert [float(each[0, 0]) for each in found] == [float(tiny * np.float32(0.5)), 2 * tiny]
