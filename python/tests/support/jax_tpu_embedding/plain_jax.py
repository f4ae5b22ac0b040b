"""A program of plain JAX that uses much of it, and writes `found.txt` to the working directory."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import socket
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

DEVICES = 4


def note(*words: object) -> None:
    """Write a line; what libraries print themselves goes elsewhere."""
    with Path("found.txt").open("a") as file:
        print(*words, file=file)


def show(name: str, tree: Any) -> None:
    """Write the bytes of all arrays as one digest."""
    arrays = [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()
    note(name, [array.shape for array in arrays], digest[:16])


@jax.custom_vjp
def clipped(x: jax.Array) -> jax.Array:
    """The identity, with a gradient of at most 1."""
    return x


clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1, 1),))


def loss(x: jax.Array) -> jax.Array:
    """A scalar of a matrix, by way of several primitives."""
    return jnp.sum(jnp.tanh(clipped(x) @ x.T) ** 2)


def transformed(x: jax.Array) -> None:
    """Show transformations and loops."""
    show("jit", jax.jit(loss)(x))
    show("grad", jax.grad(loss)(x))
    show("jvp", jax.jvp(lambda y: jnp.sin(y) * y, (x,), (x,)))
    show("vmap", jax.vmap(jax.value_and_grad(loss))(jnp.stack([x, 2 * x])))
    show("scan", jax.lax.scan(lambda c, y: (c * 0.9 + y, jnp.max(c)), x[0], x))
    show("while", jax.lax.while_loop(lambda c: c[1] < 9, lambda c: (c[0] * 1.5, c[1] + 1), (x, 0)))
    show("cond", jax.lax.cond(x.sum() > 0, jnp.sort, jnp.negative, x))
    keys = jax.random.split(jax.random.key(7), 3)
    show("random", [jax.random.normal(keys[0], (5,)), jax.random.randint(keys[1], (5,), 0, 9)])
    show("callback", jax.jit(lambda y: jax.pure_callback(np.cumsum, y[0], y[0]))(x))
    show("linalg", jnp.linalg.svd(x, compute_uv=False))


def distributed(x: jax.Array) -> None:
    """Show several devices."""
    mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    halves = jax.device_put(x, NamedSharding(mesh, P("a", "b")))
    summed = jax.shard_map(
        lambda y: jax.lax.psum(y, "b") + jax.lax.axis_index("a"),
        mesh=mesh,
        in_specs=P("a", "b"),
        out_specs=P("a"),
    )
    show("shard_map", jax.jit(summed)(halves))
    show("auto", jax.jit(lambda y: jnp.cumsum(y @ y.T, axis=1))(halves))
    show("pmap", jax.pmap(lambda y: jax.lax.pmean(y, "i"), axis_name="i")(x))


def compiled(x: jax.Array) -> None:
    """Show lowering and the compilation cache."""
    lowered = jax.jit(lambda y: jnp.sin(y) @ y.T).lower(x)
    note("text", hashlib.sha256(lowered.as_text().encode()).hexdigest()[:16])
    show("compiled", lowered.compile()(x))
    jax.config.update("jax_compilation_cache_dir", "cache")
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    show("cached", jax.jit(lambda y: jnp.exp(y) @ y.T)(x))
    note(sorted(path.name for path in Path("cache").iterdir()))


def spawned(number: int) -> list[float]:
    """What another process computes."""
    return jax.jit(lambda y: jnp.arange(4.0) * y)(number).tolist()


def processes() -> None:
    """Show a process that is started from here."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        note("spawned", pool.map(spawned, [3]))


def main() -> None:
    """Run all of it."""
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=1, process_id=0)
    x = jnp.asarray(np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32))
    note(jax.devices(), jax.default_backend(), jax.process_count())
    transformed(x)
    distributed(x)
    compiled(x)
    processes()


if __name__ == "__main__":
    main()
