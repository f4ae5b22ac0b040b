"""Move arrays between devices and kinds of memory; the result is always a copy."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, Sharding


def place(array: Any, sharding: NamedSharding) -> jax.Array:
    """Return a copy of an array, of numpy or JAX, with a sharding.

    No collectives are involved, so it can run beside programs on other devices.
    """
    if isinstance(array, jax.Array) and not _keeps_devices(array.sharding, sharding, array.shape):
        array = np.asarray(array)
    with jax.enable_x64(True):  # JAX would narrow 64 bits to 32.
        return jax.device_put(array, sharding, may_alias=False)


def is_placed(array: jax.Array, sharding: NamedSharding) -> bool:
    """Return whether an array has a sharding already, with its devices in the same order."""
    return array.sharding.is_equivalent_to(sharding, array.ndim)


@lru_cache(maxsize=1024)
def _keeps_devices(source: Sharding, target: NamedSharding, shape: tuple[int, ...]) -> bool:
    """Return whether JAX copies an array part by part.

    For another order of the same devices, and for other parts of the array, it would run a program
    on the devices.
    """
    if not isinstance(source, NamedSharding):
        return False
    if source.device_set == target.device_set:
        moved = NamedSharding(target.mesh, target.spec, memory_kind=source.memory_kind)
        return source.is_equivalent_to(moved, len(shape))
    return _parts(source, shape) == _parts(target, shape)


def _parts(sharding: NamedSharding, shape: tuple[int, ...]) -> list[str]:
    """Return the indices of the part of each device, in the order of the mesh."""
    return [str(indices) for indices in sharding.devices_indices_map(shape).values()]
