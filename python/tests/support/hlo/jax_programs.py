"""Compile JAX programs and write XLA's text of them, before and after optimization.

    python python/tests/support/hlo/jax_programs.py DIRECTORY

Tests run it in a process of its own, since it needs eight devices and flags of XLA. XLA dumps
`module_*.before_optimizations.txt` and so on; the program adds the same modules in other
spellings: short, with the shapes of operands, without `%`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = (
        f"--xla_dump_to={sys.argv[1]} --xla_dump_hlo_as_text --xla_dump_hlo_module_re=jit_"
        " --xla_force_host_platform_device_count=8"
    )
    os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

_hlo: Any = importlib.import_module("jaxlib._hlo")

MATRIX = np.ones((4, 4), np.float32)
VECTOR = np.arange(4, dtype=np.float32)
IMAGE = np.ones((1, 8, 8, 3), np.float32)

PROGRAMS: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {}


def program(*arguments: object) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return a decorator that registers a function with the arguments it is lowered for."""

    def register(function: Callable[..., object]) -> Callable[..., object]:
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return register


@program(MATRIX, MATRIX)
def matmul(a, b):
    return a @ b + 1.0


@program(MATRIX)
def softmax(x):
    return jax.nn.softmax(x)


@program(MATRIX, VECTOR)
def gradient(w, x):
    return jax.grad(lambda w: jnp.sum(jnp.tanh(w @ x) ** 2))(w)


@program(MATRIX)
def scan(x):
    return lax.scan(lambda c, _: (jnp.sin(c), c.sum()), x, None, length=5)


@program(VECTOR)
def while_loop(x):
    return lax.while_loop(lambda c: c[0] < 10, lambda c: c * 2 + 1, x)


@program(np.float32(1), VECTOR)
def conditional(p, x):
    return lax.cond(p > 0, jnp.sort, lambda v: v * 2, x)


@program(np.int32(1), VECTOR)
def switch(i, x):
    return lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x)


@program(np.ones((8, 4), np.float32), np.array([[1], [3]]))
def gather(x, i):
    return x[i]


@program(np.ones((8, 4), np.float32), np.array([1, 3]), np.ones((2, 4), np.float32))
def scatter_add(x, i, y):
    return x.at[i].add(y)


@program(np.ones((8, 4), np.float32), np.array([1, 3]), np.ones((2, 4), np.float32))
def scatter_set(x, i, y):
    return x.at[i].set(y, unique_indices=True)


@program(IMAGE, np.ones((3, 3, 3, 4), np.float32))
def convolution(x, w):
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=numbers)


@program(IMAGE)
def pooling(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@program(IMAGE)
def pooling_gradient(x):
    pool = partial(lax.reduce_window, init_value=-jnp.inf, computation=lax.max)
    window = ((1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.grad(lambda v: pool(v, window_dimensions=window[0], window_strides=window[1],
                                   padding=window[2]).sum())(x)  # fmt: skip


@program(VECTOR)
def sort_two(x):
    return lax.sort((x, -x), num_keys=2)


@program(VECTOR)
def top_k(x):
    return lax.top_k(x, 2)


@program(jax.random.PRNGKey(0))
def random_bits(key):
    return jax.random.normal(key, (3, 2))


@program(VECTOR)
def fft(x):
    return jnp.fft.rfft(x)


@program(MATRIX)
def cholesky(x):
    return jnp.linalg.cholesky(x + 4 * jnp.eye(4))


@program(MATRIX, VECTOR)
def triangular(a, b):
    return lax.linalg.triangular_solve(a, b, lower=True)


@program(MATRIX)
def constants(x):
    table = np.arange(16, dtype=np.float32).reshape(4, 4)
    return x + table, np.arange(3), np.array([1 + 2j, -0.5j]), np.array([True, False])


@program(MATRIX.astype(jnp.bfloat16))
def small_types(x):
    return x.astype(jnp.float8_e4m3fn), (x > 0), x.astype(jnp.int8), x.astype(jnp.int4)


@program(MATRIX, np.int32(1))
def dynamic_slices(x, i):
    return lax.dynamic_slice(x, (i, 0), (2, 2)), lax.dynamic_update_slice(x, x[:2, :2], (i, i))


@program(MATRIX)
def cumulative(x):
    return jnp.cumsum(x, axis=0), jnp.cumprod(x, axis=1)


@program(MATRIX, MATRIX)
def einsum(a, b):
    return jnp.einsum("ij,kj->ik", a, b, precision="highest")


@program(MATRIX)
def control_flow_nested(x):
    def body(c, _):
        inner = lax.fori_loop(0, 3, lambda i, v: v + i, c)
        return lax.cond(inner.sum() > 1, jnp.sin, jnp.cos, inner), None

    return lax.scan(body, x, None, length=2)[0]


@program(VECTOR)
def host_callback(x):
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@program(*[np.float32(i) for i in range(12)])
def many_arguments(*arguments):
    return jnp.stack(arguments), arguments


@program(VECTOR)
def rematerialized(x):
    return jax.grad(jax.checkpoint(lambda v: jnp.sum(jnp.sin(jnp.sin(v)))))(x)


@program(MATRIX)
def odd_metadata(x):
    with jax.named_scope('a "quoted" \\ scope // with {brackets} and (parentheses'):
        return jnp.tanh(x) * 2


@program(np.zeros((0, 4), np.float32))
def empty_arrays(x):
    return x + 1, jnp.sum(x, axis=0)


@program(MATRIX)
def select_and_clip(x):
    return jnp.where(x > 0.5, jnp.clip(x, 0, 1), jnp.inf), jnp.isnan(x)


@program(MATRIX)
def vmapped_reductions(x):
    return jax.vmap(jnp.argmax)(x), jax.vmap(jnp.var)(x), jnp.any(x > 3)


def _sharded() -> None:
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    spec = PartitionSpec("x", "y")
    big = jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, spec))

    def mapped(name: str, function: Callable[..., object], out: PartitionSpec = spec) -> None:
        call = jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=out, check_vma=False)
        call.__name__ = name
        PROGRAMS[name] = (call, (big,))

    mapped("all_reduce", lambda v: lax.psum(v, "x"))
    mapped("all_gather", lambda v: lax.all_gather(v, "y", tiled=True), PartitionSpec("x", None))
    mapped("reduce_scatter", lambda v: lax.psum_scatter(v, "x", tiled=True))
    mapped("all_to_all", lambda v: lax.all_to_all(v, "x", 0, 0, tiled=True))
    mapped("permute", lambda v: lax.ppermute(v, "y", [(0, 1), (1, 2), (2, 3)]))

    def partitioned(v: jax.Array) -> jax.Array:
        return lax.with_sharding_constraint(v @ v.T, NamedSharding(mesh, PartitionSpec("y")))

    PROGRAMS["partitioned"] = (partitioned, (big,))


def _spellings() -> dict[str, Any]:
    shapes, plain = _hlo.HloPrintOptions(), _hlo.HloPrintOptions()
    shapes.print_operand_shape = True
    plain.print_percent = False
    plain.print_program_shape = False
    return {"short": _hlo.HloPrintOptions.short_parsable(), "shapes": shapes, "plain": plain}


def main(directory: Path) -> None:
    """Lower and compile all programs, and write them."""
    _sharded()
    for name, (function, arguments) in PROGRAMS.items():
        donated = 0 if name == "many_arguments" else ()
        lowered = jax.jit(function, donate_argnums=donated).lower(*arguments)
        (directory / f"{name}.lowered.txt").write_text(lowered.as_text(dialect="hlo"))
        executable: Any = lowered.compile().runtime_executable()
        compiled = executable.hlo_modules()[0]
        for spelling, options in _spellings().items():
            (directory / f"{name}.{spelling}.txt").write_text(compiled.to_string(options))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
