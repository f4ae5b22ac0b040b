"""The JAX primitives of `sharding_api`: how they are traced, transformed and lowered."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.core
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching
from jax.interpreters import mlir as jax_mlir
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.sharding.explicit import with_explicit_axes
from sdykit.bridge.sharding.text import OPEN_DIM, TensorSharding
from sdykit.dialects import sdy
from sdykit.mlir import ir

_group_numbers = itertools.count(1 << 32)  # Far from the numbers that JAX uses for shard_alike.

text_only = jax.make_user_context(False)
"""`with text_only(True)`: programs are traced and lowered to be read, on meshes without devices.

JAX keeps them apart from those that run.
"""


def constrained(x: jax.Array, sharding: TensorSharding, devices: Mesh | None) -> jax.Array:
    """Return `x` with a `sdy.sharding_constraint`.

    Args:
        x: an array; outside tracing a program of the constraint alone runs on it.
        sharding: what is demanded.
        devices: the mesh whose devices the program needs, if JAX knows of none otherwise.
    """
    if not isinstance(x, jax.core.Tracer):
        return _run_constraint(x, sharding=sharding, devices=devices)
    return _with_devices(_constraint.bind(x, sharding=sharding, devices=devices), devices)


def _with_devices(x: jax.Array, devices: Mesh | None) -> jax.Array:
    if devices is None:
        return x
    # JAX takes the devices of a program from its own constraints: one that demands nothing.
    anything = P(*[P.UNCONSTRAINED] * np.ndim(x))
    return jax.lax.with_sharding_constraint(x, NamedSharding(devices, anything))


def bind_group(arrays: Sequence[jax.Array]) -> list[jax.Array]:
    """Add a `sdy.sharding_group` to each array, all with one new number; return the arrays."""
    return _group.bind(*arrays, number=next(_group_numbers))


@functools.partial(jax.jit, static_argnums=(1, 2))
def _program(x: jax.Array, sharding: TensorSharding, devices: Mesh | None) -> jax.Array:
    return constrained(x, sharding, devices)


def _run_constraint(x: Any, *, sharding: TensorSharding, devices: Mesh | None) -> jax.Array:
    with jax.disable_jit(False):
        return _program(x, sharding, devices)


_constraint = Primitive("sdy_sharding_constraint")
_constraint.def_impl(_run_constraint)
_constraint.def_abstract_eval(lambda x, **_: x)
ad.deflinear2(_constraint, lambda cotangent, _, **params: [_constraint.bind(cotangent, **params)])


def _run_group(*arrays: Any, number: int) -> list[jax.Array]:
    with jax.disable_jit(False):
        return jax.jit(functools.partial(_group.bind, number=number))(*arrays)


_group = Primitive("sdy_sharding_group")
_group.multiple_results = True
_group.def_impl(_run_group)
_group.def_abstract_eval(lambda *arrays, **_: list(arrays))


def _transpose_group(cotangents: Sequence[Any], *, number: int) -> list[Any]:
    """Put the cotangents into the group, but for those known to be zero, which have no array."""
    present = [at for at, cotangent in enumerate(cotangents) if type(cotangent) is not ad.Zero]
    result = list(cotangents)
    grouped = _group.bind(*(cotangents[at] for at in present), number=number)
    for at, value in zip(present, grouped, strict=True):
        result[at] = value
    return result


ad.deflinear(_group, _transpose_group)


def _batch_constraint(
    axis_data: Any,
    args: Sequence[Any],
    dims: Sequence[int | None],
    *,
    sharding: TensorSharding,
    devices: Mesh | None,
) -> tuple[Any, int | None]:
    (x,), (at,) = args, dims
    if at is not None:
        sharding = sharding.with_dim(at, _mapped_dim(sharding, axis_data.spmd_name))
    return _constraint.bind(x, sharding=sharding, devices=devices), at


def _mapped_dim(
    sharding: TensorSharding, spmd_name: str | tuple[str, ...] | None
) -> sdy.DimensionShardingAttr:
    """Return the sharding of the dimension that `jax.vmap` adds.

    Raises:
        BridgeError: `spmd_axis_name` has an axis that the sharding has already.
    """
    if spmd_name is None:
        return OPEN_DIM
    names = spmd_name if isinstance(spmd_name, tuple) else (spmd_name,)
    taken = {axis.name for axis in sharding.view.all_axes()} & {*names}
    unknown = [name for name in names if name not in sharding.mesh.axis_names]
    if taken or unknown:
        reason = "a constraint inside has that axis" if taken else "the mesh has no such axis"
        raise BridgeError(
            f"jax.vmap with spmd_axis_name {', '.join(map(repr, names))} of sharding {sharding}: {reason};"
            f" the mesh has {list(sharding.mesh.axis_names)}"
        )
    return sdy.DimensionShardingAttr(tuple(map(sdy.AxisRefAttr, names)), True)


def _batch_group(
    axis_data: Any, args: Sequence[Any], dims: Sequence[int | None], *, number: int
) -> tuple[list[Any], list[int]]:
    moved = [
        batching.bdim_at_front(array, at, axis_data.size, axis_data.explicit_mesh_axis)
        for array, at in zip(args, dims, strict=True)
    ]
    return _group.bind(*moved, number=number), [0] * len(moved)


batching.fancy_primitive_batchers[_constraint] = _batch_constraint
batching.fancy_primitive_batchers[_group] = _batch_group


def _lower_constraint(
    context: jax_mlir.LoweringRuleContext,
    x: ir.Value,
    *,
    sharding: TensorSharding,
    devices: Mesh | None,
) -> list[ir.Value]:
    _check_devices(context, sharding)
    # The types as they are here: `jax.vmap` may have added a dimension with explicit axes.
    sharding = with_explicit_axes(sharding, context.avals_in[0])
    # JAX lifts the inlined mesh to a symbol when the module is complete.
    attributes = {"sharding": ir.Attribute.parse(sharding.inlined)}
    return [ir.Operation.create("sdy.sharding_constraint", [x.type], [x], attributes).result]


def _check_devices(context: jax_mlir.LoweringRuleContext, sharding: TensorSharding) -> None:
    """Do nothing if the program runs on the devices of the mesh, or is only read."""
    axis_context: Any = context.module_context.axis_context
    mesh = getattr(axis_context, "mesh", None)  # That of a manual region.
    devices = axis_context.num_devices if mesh is None else mesh.size
    if devices != sharding.mesh.size and not text_only.value:
        raise BridgeError(
            f"sharding {sharding} is on a mesh of {sharding.mesh.size} devices,"
            f" {dict(sharding.mesh.shape_tuple)}, but the program runs on {devices}: enter the mesh"
            " with jax.set_mesh(mesh), pass a jax.sharding.Mesh as mesh=, or put the arguments on"
            " its devices with jax.device_put(x, NamedSharding(mesh, P())); to read the program"
            " without them, sdykit.bridge.from_jax.lower(fn, ..., mesh=mesh)"
        )


def _lower_group(_: Any, *values: ir.Value, number: int) -> tuple[ir.Value, ...]:
    group_id = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    for value in values:
        ir.Operation.create("sdy.sharding_group", [], [value], {"group_id": group_id})
    return values


jax_mlir.register_lowering(_constraint, _lower_constraint)
jax_mlir.register_lowering(_group, _lower_group)
