"""Loops, branches, barriers and shared constants: the cases that import passes treat specially.

An iterative solver whose loop carries sharded tensors, with a branch inside; constants, an
iota and a broadcast that unrelated ops share; and every way to say a sharding.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_alike import shard_alike
from jax.sharding import PartitionSpec as P

from examples.models.program import Program, f32, i32
from sdykit.bridge.from_jax import attach, constrain

SIZE = 32


def program() -> Program:
    """Return the function `(matrix, target, mode) -> (solution, weights, steps)`."""
    return Program(
        solve,
        (f32(SIZE, SIZE), f32(SIZE, 8), i32()),
        in_shardings=(P("data", "model"), P("data", None), None),
        out_shardings=(P("data", None), None, None),
    )


def solve(
    matrix: jax.Array, target: jax.Array, mode: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Solve `matrix @ x = target` by damped steps; f32[SIZE, SIZE], f32[SIZE, 8], i32[]."""
    weights = _weights()
    start = jnp.zeros_like(target)

    def unfinished(state: tuple[jax.Array, jax.Array, jax.Array]) -> jax.Array:
        _, error, step = state
        return jnp.logical_and(step < 100, error > 1e-3)

    def advance(
        state: tuple[jax.Array, jax.Array, jax.Array],
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        x, _, step = state
        residual = constrain(target - matrix @ x, '[{"data", ?}p1, {?}p2]')
        change = jax.lax.switch(mode, [_plain, _normalised, _weighted], matrix.T @ residual)
        error = jax.lax.cond(step > 0, jnp.max, jnp.mean, jnp.abs(residual))
        return x + 0.1 * change, error, step + 1

    x, _, steps = jax.lax.while_loop(unfinished, advance, (start, jnp.float32(1.0), jnp.int32(0)))
    x, weights = jax.lax.optimization_barrier((x, weights))
    scaled, x = shard_alike(x * weights[:, None], x)
    return attach(x, P("data")), jnp.sum(scaled, axis=1) + weights, steps


def _weights() -> jax.Array:
    """Use a constant and a broadcast three times each; the uses may be sharded differently."""
    table = jnp.asarray(np.linspace(0.0, 1.0, SIZE, dtype=np.float32))
    ones = jnp.broadcast_to(jnp.float32(1.0), (SIZE, SIZE))
    rows = jax.lax.with_sharding_constraint(ones * table[:, None], P("data", None))
    columns = jax.lax.with_sharding_constraint(ones * table[None, :], P(None, "model"))
    diagonal = jnp.where(jnp.arange(SIZE)[:, None] == jnp.arange(SIZE)[None, :], ones, 0.0)
    return jnp.sum(rows + columns + diagonal, axis=1) + table


def _plain(x: jax.Array) -> jax.Array:
    return x


def _normalised(x: jax.Array) -> jax.Array:
    return x / (1e-6 + jnp.linalg.norm(x))


def _weighted(x: jax.Array) -> jax.Array:
    return jax.lax.with_sharding_constraint(x * _weights()[:, None], P("data", "model"))
