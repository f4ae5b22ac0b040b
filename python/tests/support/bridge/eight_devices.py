"""Meshes of eight CPU devices, and functions that run on them under `jax.jit`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

_NAMES = ("data", "model")


def mesh(data: AxisType, model: AxisType) -> Mesh:
    return jax.make_mesh((4, 2), _NAMES, axis_types=(data, model))


AUTOMATIC = mesh(AxisType.Auto, AxisType.Auto)
EXPLICIT = mesh(AxisType.Explicit, AxisType.Explicit)
MIXED = mesh(AxisType.Explicit, AxisType.Auto)

A = np.arange(16 * 8, dtype=np.float32).reshape(16, 8) / 8 - 5
W = np.cos(np.arange(8 * 4, dtype=np.float32)).reshape(8, 4)


def on(mesh: Mesh, array: np.ndarray, *entries: Any) -> jax.Array:
    """Return the array on the devices of a mesh, sharded by a `PartitionSpec` of `entries`."""
    return jax.device_put(jnp.asarray(array), NamedSharding(mesh, P(*entries)))


def run(fn: Callable[..., Any], *args: Any, mesh: Mesh = AUTOMATIC) -> Any:
    """Return what a function returns under `jax.jit` with the mesh in context."""
    with jax.set_mesh(mesh):
        return jax.jit(fn)(*args)


def spec(result: jax.Array) -> tuple[Any, ...]:
    """Return the entries of the result's `PartitionSpec`, one for each dimension."""
    sharding = result.sharding
    assert isinstance(sharding, NamedSharding)
    assert sharding.mesh.size == 8
    entries = tuple(sharding.spec)
    return entries + (None,) * (result.ndim - len(entries))


def assert_array(result: jax.Array, wanted: Any, *entries: Any) -> None:
    """Assert that the values of a result are as wanted, and its sharding has these entries."""
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-5, atol=1e-5)
    assert spec(result) == entries


def local_shapes(fn: Callable[..., Any], op: str, *args: Any, mesh: Mesh = AUTOMATIC) -> set[str]:
    """Return the shapes that an HLO op of the compiled program has on one device."""
    with jax.set_mesh(mesh):
        text = jax.jit(fn).lower(*args).compile().as_text()
    assert text is not None
    lines = text.splitlines()
    return {line.split(" = ")[1].split("{")[0] for line in lines if f" {op}(" in line}


def names(axes: Sequence[str]) -> str:
    """Return axes in sdy's syntax."""
    return ", ".join(f'"{axis}"' for axis in axes)
