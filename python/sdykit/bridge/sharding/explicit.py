"""Explicit axes: those that the types of arrays have. A constraint cannot change them.

On a mesh with explicit axes JAX knows how each array is sharded along them, and writes it into the
program. A constraint of such an array is about the other axes; what it says of the explicit ones
must be what the type says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jax.sharding import AbstractMesh, AxisType

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.sharding.text import TensorSharding
from sdykit.dialects import sdy

_CHANGE = "constraints cannot change the type; jax.sharding.reshard(x, P(...)) does"


def explicit_dims(array_type: Any) -> tuple[tuple[str, ...], ...]:
    """Return the explicit axes along which each dimension of an array is sharded, by its type."""
    entries = tuple(array_type.sharding.spec.partitions)
    entries += (None,) * (array_type.ndim - len(entries))
    return tuple(
        () if entry is None else entry if isinstance(entry, tuple) else (entry,)
        for entry in entries
    )


def check_type(sharding: TensorSharding, array_type: Any, found: str) -> None:
    """Do nothing if a constraint agrees with the type of the array that it is for.

    Args:
        sharding: what is demanded of the array.
        array_type: the type of the array, as `jax.typeof` returns it.
        found: what errors call the sharding.

    Raises:
        BridgeError: it names an explicit axis where the type has none, or leaves out the one that
            the type has; or it has unreduced axes that the type does not have.
    """
    found = f"{found} of an array of type {array_type}"
    wanted = explicit_dims(array_type)
    for number, (dim, axes) in enumerate(zip(sharding.dims, wanted, strict=True)):
        _check_dim(sharding.mesh, dim, axes, f"{found}: dimension {number}")
    taken = {axis for axes in wanted for axis in axes}
    for axis in sharding.view.replicated_axes:
        if axis.name in taken:
            raise BridgeError(f"{found}: replicated={{{axis.name!r}}}: {_CHANGE}")
    for axis in sharding.view.unreduced_axes:
        if axis.name not in array_type.sharding.spec.unreduced:
            raise BridgeError(
                f"{found}: unreduced={{{axis.name!r}}}: its parts are no summands along"
                f" {axis.name!r}, and would be summed as if they were. Leave unreduced out; an"
                " array is unreduced by its type only, on explicit axes, such as the result of"
                f" jnp.dot(x, w, out_sharding=P(unreduced={{{axis.name!r}}}))"
            )


def _check_dim(
    mesh: AbstractMesh, dim: sdy.DimensionShardingAttr, wanted: tuple[str, ...], place: str
) -> None:
    named = [axis for axis in dim.axes if axis.name in _explicit_axes(mesh)]
    if not named:
        whole = dim.is_closed and not dim.axes and set(_explicit_axes(mesh)) == set(mesh.axis_names)
        if not (whole and wanted):
            return
    parts = any(axis.sub_axis_info is not None for axis in named)
    leading = list(dim.axes[: len(named)]) == named
    if not parts and leading and tuple(axis.name for axis in named) == wanted:
        return
    raise BridgeError(
        f"{place} is sharded along {_words(wanted)} by the type, found {dim.print_body()}: {_CHANGE}"
    )


def _explicit_axes(mesh: AbstractMesh) -> Sequence[str]:
    types = zip(mesh.axis_names, mesh.axis_types, strict=True)
    return [name for name, kind in types if kind is AxisType.Explicit]


def _words(axes: Sequence[str]) -> str:
    return " and ".join(map(repr, axes)) or "no explicit axis"


def with_explicit_axes(sharding: TensorSharding, array_type: Any) -> TensorSharding:
    """Return the sharding with the explicit axes of the array's type, where it leaves them out."""
    dims = [
        dim
        if axes == tuple(axis.name for axis in dim.axes[: len(axes)])
        else replace(dim, axes=(*map(sdy.AxisRefAttr, axes), *dim.axes))
        for dim, axes in zip(sharding.dims, explicit_dims(array_type), strict=True)
    ]
    summed = array_type.sharding.spec.unreduced
    unreduced = [sdy.AxisRefAttr(name) for name in sharding.mesh.axis_names if name in summed]
    view = replace(sharding.view, dim_shardings=tuple(dims), unreduced_axes=tuple(unreduced))
    return replace(sharding, view=view)
