"""Arrays of a model as entries of a ledger of HBM."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from sdykit.bridge.embedding.checks import describe
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.memory import Entry, Kind


def array_entries(kind: Kind, tree: Any) -> list[Entry]:
    """Return an entry for each array of a pytree, of the part that a device has of it.

    Args:
        kind: the kind of the entries.
        tree: arrays, or anything with a shape and a dtype; one without a sharding is on each device.

    Raises:
        BridgeError: a leaf has no shape.
    """
    found: list[Entry] = []
    for path, each in jax.tree_util.tree_leaves_with_path(tree):
        name = jax.tree_util.keystr(path, simple=True, separator=".")
        array = each if hasattr(each, "shape") and hasattr(each, "dtype") else _array(name, each)
        size = math.prod(_shape_on_device(array)) * jnp.dtype(array.dtype).itemsize
        found.append(Entry(kind=kind, owner="", name=name, bytes=size, note=describe(array)))
    return found


def _array(name: str, value: Any) -> Any:
    try:
        return jnp.asarray(value)
    except (TypeError, ValueError) as error:
        raise BridgeError(
            f"ledger: {name} is a {type(value).__name__}; expected arrays, or shapes and dtypes "
            f"({error})"
        ) from None


def _shape_on_device(array: Any) -> tuple[int, ...]:
    # The sharding of a traced array is not known yet.
    sharding = None if isinstance(array, Tracer) else getattr(array, "sharding", None)
    return tuple(array.shape) if sharding is None else sharding.shard_shape(tuple(array.shape))
