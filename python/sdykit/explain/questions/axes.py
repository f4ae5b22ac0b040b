"""Axes as texts, taken apart: which mesh axis they are of, and what part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from sdykit.explain.model import TensorSharding

_PART = re.compile(r"(.+):\((\d+)\)(\d+)")


@cache
def parts(axis: str) -> tuple[str, int, int | None]:
    """Return the name of an axis, what is before it and its size; None: the whole of it."""
    found = _PART.fullmatch(axis)
    return (axis, 1, None) if found is None else (found[1], int(found[2]), int(found[3]))


def name_of(axis: str) -> str:
    """Return the name of the mesh axis that an axis is, or is a part of."""
    return parts(axis)[0]


def overlaps(axis: str, other: str) -> bool:
    """Return whether two axes have a part in common."""
    if axis == other:
        return True
    (name, pre, size), (other_name, other_pre, other_size) = parts(axis), parts(other)
    if name != other_name:
        return False
    if size is None or other_size is None:
        return True
    return pre < other_pre * other_size and other_pre < pre * size


def is_along(axes: Iterable[str], axis: str) -> bool:
    """Return whether one of several axes has a part in common with an axis."""
    return any(overlaps(each, axis) for each in axes)


def size_of(axis: str, mesh: Mapping[str, int]) -> int:
    """Return the number of devices that an axis counts; 1 for one that the mesh lacks."""
    name, _, size = parts(axis)
    return mesh.get(name, 1) if size is None else size


def divided(sharding: TensorSharding | None, meshes: Mapping[str, Mapping[str, int]]) -> int:
    """Return the number of parts that a tensor is divided into."""
    if sharding is None:
        return 1
    count = 1
    for axis in axes_of(sharding):
        count *= size_of(axis, meshes.get(sharding.mesh, {}))
    return count


def axes_of(sharding: TensorSharding | None) -> Iterable[str]:
    """Return all axes that the dimensions of a tensor are divided along."""
    return () if sharding is None else [axis for dim in sharding.dims for axis in dim.axes]
