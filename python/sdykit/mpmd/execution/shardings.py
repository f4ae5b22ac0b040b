"""Where the values of a program are: the `jax.sharding.NamedSharding` of each type.

The sharding of a value can use parts of an axis, as `"x":(1)2`. Its JAX mesh therefore has the axes
of the program's mesh cut into such parts: the same devices in the same order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from sdykit.dialects import sdy
from sdykit.mpmd.errors import ExecutionError


def sharding_of(
    what: str,
    shape: Sequence[int],
    sharding: sdy.TensorShardingAttr | None,
    *,
    mesh: sdy.MeshAttr,
    devices: Sequence[Any],
    memory_kind: str,
) -> NamedSharding:
    """Return the sharding of a value; without `sharding` each device holds all of it.

    Args:
        what: the value, for messages.
        shape: its global shape.
        sharding: its sharding over the axes of the mesh.
        mesh: the mesh.
        devices: the devices of the mesh.
        memory_kind: the memory that it is in.

    Raises:
        ExecutionError: the devices have no such memory, a dimension cannot be split evenly, or
            the value is unreduced.
    """
    _check_memory(what, memory_kind, devices)
    if sharding is None:
        whole = Mesh(np.array(devices, object), ("devices",))
        return NamedSharding(whole, PartitionSpec(), memory_kind=memory_kind)
    if sharding.unreduced_axes:
        raise ExecutionError(f"{what} is unreduced, which cannot be run: {sharding}")
    parts = _parts_of_axes(what, mesh, sharding.all_axes())
    _check_even(what, shape, sharding, mesh)
    sizes = [size for each in parts.values() for size in each.values()]
    names = [name for each in parts.values() for name in each]
    cut = Mesh(np.array(devices, object).reshape(sizes), names)
    spec = [
        tuple(name for axis in dimension.axes for name in _names_of(axis, mesh, parts))
        for dimension in sharding.dim_shardings
    ]
    return NamedSharding(cut, PartitionSpec(*spec), memory_kind=memory_kind)


def _check_memory(what: str, kind: str, devices: Sequence[Any]) -> None:
    known = [memory.kind for memory in devices[0].addressable_memories()]
    if kind not in known:
        raise ExecutionError(
            f'{what} is in memory "{kind}", but CPU devices have only {", ".join(map(repr, known))}'
        )


def _check_even(
    what: str, shape: Sequence[int], sharding: sdy.TensorShardingAttr, mesh: sdy.MeshAttr
) -> None:
    for at, (size, dimension) in enumerate(zip(shape, sharding.dim_shardings, strict=True)):
        count = math.prod(axis.size_in(mesh) for axis in dimension.axes)
        if size % count:
            raise ExecutionError(
                f"{what}: dimension {at} of size {size} cannot be split evenly into {count} parts"
                f" by {sharding}; pad it to {-(-size // count) * count}, or do not divide it:"
                " arrays of JAX have equal parts"
            )


Parts = dict[str, dict[str, int]]
"""For each axis its parts, from major to minor, with their sizes."""


def _parts_of_axes(what: str, mesh: sdy.MeshAttr, used: Iterable[sdy.AxisRefAttr]) -> Parts:
    """Cut the axes of a mesh where one of the used axes begins or ends."""
    cuts = {axis.name: {1, axis.size} for axis in mesh.axes}
    for axis in used:
        if axis.name not in cuts:
            names = ", ".join(f'"{name}"' for name in cuts) or "none"
            raise ExecutionError(f'{what}: its mesh has no axis "{axis.name}", only {names}')
        if (part := axis.sub_axis_info) is not None:
            cuts[axis.name] |= {part.pre_size, part.pre_size * part.size}
    parts: Parts = {}
    for name, points in cuts.items():
        bounds = sorted(points)
        parts[name] = {}
        for low, high in itertools.pairwise(bounds):
            if high % low:
                raise ExecutionError(
                    f'{what}: axis "{name}" of size {bounds[-1]} is cut at {low} and {high},'
                    " which overlap"
                )
            parts[name][f"{name}:{low}"] = high // low
    return parts


def _names_of(axis: sdy.AxisRefAttr, mesh: sdy.MeshAttr, parts: Parts) -> list[str]:
    """Return the parts that an axis, or a part of an axis, is made of."""
    part = axis.sub_axis_info
    start = 1 if part is None else part.pre_size
    stop = start * axis.size_in(mesh)
    low, found = 1, []
    for name, size in parts[axis.name].items():
        if start <= low < stop:
            found.append(name)
        low *= size
    return found
