"""Shardings that sdy can express and JAX cannot.

JAX itself reaches a closed constraint with uses (`jax.lax.with_sharding_constraint`) and a
manual region (`jax.shard_map`). It cannot express a dimension that is sharded *and* open, a
priority, a sub-axis, explicitly replicated axes, or a constraint without uses: for those,
`constrain` and `attach` take a sharding in the syntax of the dialect,

    [{"data", ?}p1, {"model":(1)2}], replicated={"pipe"}

JAX's `shard_alike` makes groups of two, but JAX 0.10.2 lowers it once for each shape: all
its pairs of one shape in a module fall into one group. `group` keeps groups apart.
"""

from __future__ import annotations

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.sharding.primitives import bind_constraint, bind_group
from sdykit.bridge.sharding.text import abstract_mesh, parse_sharding, spec_text

__all__ = ["BridgeError", "attach", "constrain", "group"]


def constrain(x: jax.Array, sharding: str, mesh: Mesh | AbstractMesh | None = None) -> jax.Array:
    """Constrain the uses of `x` to a sharding that a `PartitionSpec` cannot express.

    The returned array stands for those uses; other uses of `x` stay free. Where a
    `PartitionSpec` suffices, use `jax.lax.with_sharding_constraint`.

    Args:
        x: an array of any shape and dtype, inside a function that is traced.
        sharding: sdy's text, one pair of braces for a dimension: `[{"data", ?}p1, {?}]`.
        mesh: the mesh that has the axes; None: the mesh in context (see `lower`).

    Returns:
        `x`, same shape and dtype. Gradients are constrained alike. Outside tracing
        nothing happens.

    Raises:
        BridgeError: the text is malformed, does not fit the shape of `x`, or names an
            axis that the mesh lacks or that is manual here; or there is no mesh.
    """
    if isinstance(sharding, P):
        raise BridgeError(
            f"constrain takes sdy's text, found {sharding};"
            " write jax.lax.with_sharding_constraint(x, spec) instead"
        )
    return _bind(x, sharding, mesh, attached=False)


def attach(x: jax.Array, sharding: str | P, mesh: Mesh | AbstractMesh | None = None) -> jax.Array:
    """Set how `x` itself is sharded, for all its uses: a constraint without uses.

    Args:
        x: an array of any shape and dtype, inside a function that is traced.
        sharding: a `PartitionSpec`, or sdy's text as for `constrain`.
        mesh: the mesh that has the axes; None: the mesh in context (see `lower`).

    Returns:
        `x`. Use the returned array: JAX drops what nothing depends on.

    Raises:
        BridgeError: as for `constrain`.
    """
    text = spec_text(sharding, np.ndim(x)) if isinstance(sharding, P) else sharding
    return _bind(x, text, mesh, attached=True)


def group(*arrays: jax.Array) -> tuple[jax.Array, ...]:
    """Tie arrays to one sharding, whichever propagation finds, without a data flow edge.

    Args:
        *arrays: two or more arrays of one shape, of any dtypes.

    Returns:
        The arrays. Use the returned ones: JAX drops what nothing depends on. Their
        gradients join the group.

    Raises:
        BridgeError: there are fewer than two arrays, or their shapes differ.
    """
    shapes = [np.shape(array) for array in arrays]
    if len(shapes) < 2 or len(set(shapes)) > 1:
        raise BridgeError(f"group takes two or more arrays of one shape, found shapes {shapes}")
    return tuple(bind_group(arrays))


def _bind(
    x: jax.Array, text: str, mesh: Mesh | AbstractMesh | None, *, attached: bool
) -> jax.Array:
    parsed = parse_sharding(text, np.shape(x), abstract_mesh(mesh))
    return bind_constraint(x, parsed, attached=attached)
