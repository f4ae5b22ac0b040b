"""Shardings that sdy can express and JAX cannot.

JAX itself reaches a closed constraint (`jax.lax.with_sharding_constraint`) and a manual region
(`jax.shard_map`). It cannot express a dimension that is sharded *and* open, a priority, a
sub-axis, or explicitly replicated axes: for those, `constrain` and `attach` take a sharding in the
syntax of the dialect,

    [{"data", ?}p1, {"model":(1)2}], replicated={"pipe"}

JAX's `shard_alike` makes groups of two, but JAX 0.10.2 lowers it once for each shape: all
its pairs of one shape in a module fall into one group. `group` keeps groups apart.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.core
import numpy as np
from jax.sharding import AbstractMesh, Mesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.sharding.explicit import check_type
from sdykit.bridge.sharding.primitives import bind_group, constrained
from sdykit.bridge.sharding.rules import bind_rule
from sdykit.bridge.sharding.text import (
    TensorSharding,
    mesh_in_place,
    parse_sharding,
    spec_text,
)
from sdykit.core.sdy.rules import RuleBuilder

__all__ = ["BridgeError", "attach", "constrain", "group", "with_sharding_rule"]


def constrain(x: jax.Array, sharding: str, mesh: Mesh | AbstractMesh | None = None) -> jax.Array:
    """Constrain the uses of the returned array to a sharding that a `PartitionSpec` cannot express.

    Where a `PartitionSpec` suffices, use `jax.lax.with_sharding_constraint`.

    Args:
        x: an array of any shape and dtype.
        sharding: sdy's text, one pair of braces for a dimension: `[{"data", ?}p1, {?}]`.
        mesh: the mesh that has the axes; None: the mesh in context (`jax.set_mesh`, `jax.shard_map`,
            `lower`), or that of the type of `x`.

    Returns:
        `x`, same shape, dtype and type. Other uses of `x` stay free. Gradients are constrained
        alike, explicit axes of the type of `x` are added. Outside tracing, `x` on the devices of
        the mesh, sharded so.

    Raises:
        BridgeError: the text is malformed, does not fit the shape of `x`, or names an
            axis that the mesh lacks or that is manual here; it contradicts the type of `x` on
            explicit axes; it has unreduced axes that the type does not have; there is no mesh, or
            another one in context; or the program does not run on its devices.
    """
    if isinstance(sharding, P):
        raise BridgeError(
            f"constrain takes sdy's text, found {sharding};"
            " write jax.lax.with_sharding_constraint(x, spec) instead"
        )
    return _bind(x, sharding, mesh)


def attach(x: jax.Array, sharding: str | P, mesh: Mesh | AbstractMesh | None = None) -> jax.Array:
    """Set how `x` itself is sharded.

    Args:
        x: an array of any shape and dtype.
        sharding: a `PartitionSpec`, or sdy's text as for `constrain`.
        mesh: the mesh that has the axes, as for `constrain`.

    Returns:
        `x`, as `constrain` returns it. Use the returned array for all that comes after: JAX and XLA
        drop a constraint that nothing depends on.

    Raises:
        BridgeError: as for `constrain`.
    """
    text = spec_text(sharding, np.ndim(x)) if isinstance(sharding, P) else sharding
    return _bind(x, text, mesh)


def group(*arrays: jax.Array) -> tuple[jax.Array, ...]:
    """Tie arrays to one sharding, whichever propagation finds, without a data flow edge.

    Args:
        *arrays: two or more arrays of one shape, of any dtypes.

    Returns:
        The arrays. Use the returned ones: JAX drops what nothing depends on. Their
        gradients join the group.

    Raises:
        BridgeError: there are fewer than two arrays, their shapes differ, or their types shard them
            differently along explicit axes.
    """
    shapes = [np.shape(array) for array in arrays]
    if len(shapes) < 2 or len(set(shapes)) > 1:
        raise BridgeError(f"group takes two or more arrays of one shape, found shapes {shapes}")
    types = [jax.typeof(array) for array in arrays]
    if len({type_.sharding.spec for type_ in types}) > 1:
        raise BridgeError(
            "group takes arrays that explicit axes shard alike, found types"
            f" {', '.join(map(str, types))}; jax.sharding.reshard changes them"
        )
    return tuple(bind_group(arrays))


def with_sharding_rule(
    call: Callable[..., Any], rule: str | Callable[[Any, RuleBuilder], None]
) -> Callable[..., Any]:
    """Return a custom call with a sharding rule: which dimensions of its arrays correspond.

        softmax = with_sharding_rule(
            jax.ffi.ffi_call("last_softmax", jax.ShapeDtypeStruct((8, 16), jnp.float32)),
            "([i, j])->([i, j]) {i=8, j=16} need_replication={j}",
        )

    Without a rule, no sharding gets past a custom call. The rule decides how propagation shards the
    arrays around the call, in sdykit and in XLA. XLA still runs the call whole on each device, and
    gathers its operands: a call that is to run on parts belongs into a `jax.shard_map`.

    Args:
        call: a function that returns the results of one custom call, all of them and no others.
        rule: the text of a rule in sdy's syntax, or a function as for `sdykit.core.sharding_rule`.

    Returns:
        A function of the same arguments and results, to be called while tracing. Its lowering raises
        BridgeError if `call` is something else, or the rule does not fit it.

    Raises:
        BridgeError: `call` is no function, or `rule` is neither.
    """
    if not callable(call) or not (isinstance(rule, str) or callable(rule)):
        raise BridgeError(
            "with_sharding_rule takes a function that makes a custom call and a rule, such as"
            f" '([i, j])->([i, j]) {{i=8, j=16}}'; found {call!r} and {rule!r}"
        )

    @functools.wraps(call)
    def ruled(*args: Any, **kwargs: Any) -> Any:
        results, tree = jax.tree.flatten(call(*args, **kwargs))
        return jax.tree.unflatten(tree, bind_rule(results, rule))

    return ruled


def _bind(x: jax.Array, text: str, mesh: Mesh | AbstractMesh | None) -> jax.Array:
    array_type = jax.typeof(x)
    sharding = parse_sharding(text, array_type.shape, mesh_in_place(mesh, array_type))
    check_type(sharding, array_type, f"sharding {text!r}")
    # They are those of the type, which the lowering adds.
    sharding = sharding.without_unreduced()
    devices = mesh if isinstance(mesh, Mesh) and not _has_devices(array_type) else None
    result = constrained(x, sharding, devices)
    if not isinstance(result, jax.core.Tracer):
        _check_shards(result, sharding, text)
    return result


def _has_devices(array_type: Any) -> bool:
    """Return whether JAX knows the devices without the constraint."""
    context = jax.sharding.get_abstract_mesh()
    return not (context.empty and array_type.sharding.mesh.empty)


def _check_shards(result: jax.Array, sharding: TensorSharding, text: str) -> None:
    """Do nothing if each device holds the part of the array that a sharding gives it.

    Raises:
        BridgeError: axes do not divide their dimension, or one is a part of an axis of the mesh.
    """
    sizes = dict(sharding.mesh.shape_tuple)
    wanted = [
        math.prod(
            axis.sub_axis_info.size if axis.sub_axis_info else sizes[axis.name] for axis in dim.axes
        )
        for dim in sharding.dims
    ]
    held = result.sharding.shard_shape(result.shape)
    for parts, part, size, dim in zip(wanted, held, result.shape, sharding.dims, strict=True):
        if part * parts != size and (dim.is_closed or part * parts > size):
            raise BridgeError(
                f"sharding {text!r} of an array of shape {result.shape} on mesh {sizes}: outside"
                " tracing, axes must be whole and divide their dimension, since arrays have no"
                " other shardings; constrain inside a jitted function"
            )
