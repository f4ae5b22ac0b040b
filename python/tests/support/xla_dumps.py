"""Compile JAX programs with shardings on 8 CPU devices: `xla_dumps.py DIRECTORY` dumps them there.

For each program XLA writes the module that it takes, with what is of sdy as text in frontend
attributes, and what its import makes of it, before propagation.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

if __name__ == "__main__":  # Before JAX starts.
    os.environ["XLA_FLAGS"] = (
        "--xla_force_host_platform_device_count=8"
        f" --xla_dump_to={sys.argv[1]} --xla_dump_hlo_pass_re=shardy"
    )

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

NAMES = (
    "constrained",
    "gradient",
    "several_results",
    "twice",
    "branches",
    "loop",
    "nested",
    "no_operands",
    "callback",
)
"""The names of the programs."""


def programs() -> dict[str, tuple[Callable[..., Any], tuple[jax.ShapeDtypeStruct, ...]]]:
    """Return each program with its arguments, by name."""
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)

    def on(*spec: Any) -> NamedSharding:
        return NamedSharding(mesh, P(*spec))

    def array(shape: tuple[int, ...], *spec: Any) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=on(*spec))

    def constrained(a: jax.Array, b: jax.Array) -> Any:
        c = jax.lax.with_sharding_constraint(a @ b, on("x", "y"))
        manual = jax.shard_map(
            lambda c: jax.lax.psum(c * 2, "x"),
            mesh=mesh,
            in_specs=P("x"),
            out_specs=P(),
            axis_names={"x"},
        )
        return manual(c), c + 1

    def gradient(x: jax.Array, w: jax.Array) -> Any:
        def loss(x: jax.Array, w: jax.Array) -> jax.Array:
            return jnp.sum(jax.checkpoint(lambda a: jnp.sin(a) @ w)(x) ** 2)

        step = jax.jit(jax.value_and_grad(loss, argnums=1), out_shardings=(on(), on(None, "y")))
        return step(x, w)

    def several_results(x: jax.Array) -> Any:
        def body(a: jax.Array, b: jax.Array) -> Any:
            return jax.lax.psum(a, "y") + b, jax.lax.axis_index("x") * jnp.ones((2,))

        specs: dict[str, Any] = {
            "in_specs": (P("x", "y"), P("x", None)),
            "out_specs": (P("x"), P("x")),
        }
        return jax.shard_map(body, mesh=mesh, check_vma=False, **specs)(x, x[:, :4])

    def twice(x: jax.Array) -> jax.Array:
        body = jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
        return body(body(x))

    def branches(x: jax.Array) -> jax.Array:
        return jax.lax.cond(
            x.sum() > 0, lambda x: jax.lax.with_sharding_constraint(x + 1, on("y")), jnp.sin, x
        )

    def loop(x: jax.Array) -> jax.Array:
        def step(_: Any, x: jax.Array) -> jax.Array:
            return jax.lax.with_sharding_constraint(jnp.tanh(x), on("x", None))

        return jax.lax.fori_loop(0, 3, step, x)

    def nested(x: jax.Array) -> jax.Array:
        def outer(a: jax.Array) -> jax.Array:
            inner = jax.shard_map(
                lambda b: jax.lax.psum(b, "y"),
                in_specs=P(None, "y"),
                out_specs=P(),
                axis_names={"y"},
            )
            return inner(a)

        specs: dict[str, Any] = {"in_specs": P("x"), "out_specs": P("x"), "axis_names": {"x"}}
        return jax.shard_map(outer, mesh=mesh, check_vma=False, **specs)(x)

    def no_operands() -> jax.Array:
        body = jax.shard_map(
            lambda: jnp.ones((2, 3)) * jax.lax.axis_index("x"),
            mesh=mesh,
            in_specs=(),
            out_specs=P("x"),
            check_vma=False,
        )
        return body()

    def callback(x: jax.Array) -> jax.Array:
        return jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    rows = array((16, 8), "x")
    return {
        "constrained": (constrained, (array((16, 8), "x", None), array((8, 4), None, "y"))),
        "gradient": (gradient, (rows, array((8, 4), None, "y"))),
        "several_results": (several_results, (array((8, 8), "x"),)),
        "twice": (twice, (rows,)),
        "branches": (branches, (rows,)),
        "loop": (loop, (rows,)),
        "nested": (nested, (rows,)),
        "no_operands": (no_operands, ()),
        "callback": (callback, (rows,)),
    }


if __name__ == "__main__":
    found = programs()
    assert tuple(found) == NAMES
    for program, arguments in found.values():
        jax.jit(program).lower(*arguments).compile()
