"""Check the meshes of a program, and the places of its parts, arguments and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import jax
from jax.sharding import AbstractMesh

from sdykit.mpmd.errors import PartitionError
from sdykit.mpmd.partitioning.partitioner import Meshes

Topology = Mapping[str, Mapping[str, int]]
"""The axes of each mesh with their sizes."""

Assignment = Mapping[str, str | tuple[str, int]]
"""The mesh, or mesh and stage, of each named computation."""

_MEMORY_KINDS = ("device", "pinned_host")


def check_topology(topology: Any) -> Meshes:
    """Return the meshes in the form that the partitioner takes.

    Raises:
        PartitionError: there is no mesh, or one is not a mapping of axes to sizes.
    """
    if not isinstance(topology, Mapping) or not topology:
        raise PartitionError(
            'topology: expected the axes of each mesh, such as {"m1": {"x": 2}},'
            f" found {topology!r}"
        )
    return tuple((_mesh_name(name), _axes(name, axes)) for name, axes in topology.items())


def _mesh_name(name: Any) -> str:
    if not isinstance(name, str) or not name or '"' in name or "#" in name:
        raise PartitionError(
            f"topology: expected the name of a mesh, without '\"' and '#', found {name!r}"
        )
    return name


def _axes(mesh: str, axes: Any) -> tuple[tuple[str, int], ...]:
    if not isinstance(axes, Mapping):
        raise PartitionError(
            f'topology[{mesh!r}]: expected the sizes of its axes, such as {{"x": 2}},'
            f" found {axes!r}"
        )
    for name, size in axes.items():
        if not isinstance(name, str) or not name or '"' in name:
            raise PartitionError(
                f"topology[{mesh!r}]: expected the name of an axis, without '\"', found {name!r}"
            )
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise PartitionError(
                f"topology[{mesh!r}][{name!r}]: expected the number of devices along the axis,"
                f" at least 1, found {size!r}"
            )
    return tuple(axes.items())


def check_assignment(assignment: Any, meshes: Meshes) -> dict[str, str | tuple[str, int]]:
    """Return the assignment in the form that the partitioner takes.

    Raises:
        PartitionError: it is not a mapping, a mesh is unknown, or a stage is not a number.
    """
    if not isinstance(assignment, Mapping):
        raise PartitionError(
            'assignment: expected the mesh of each named computation, such as {"f1": "m1"},'
            f" found {assignment!r}"
        )
    return {name: _assigned(name, place, meshes) for name, place in assignment.items()}


def _assigned(name: Any, place: Any, meshes: Meshes) -> str | tuple[str, int]:
    where = f"assignment[{name!r}]"
    if not isinstance(name, str):
        raise PartitionError(f"{where}: expected the name of a named computation, found {name!r}")
    if isinstance(place, str):
        return _known(where, place, meshes)
    if not (isinstance(place, tuple) and len(place) == 2):
        raise PartitionError(
            f'{where}: expected a mesh, "m1", or a mesh and a stage, ("m1", 0), found {place!r}'
        )
    mesh, stage = place
    if not isinstance(stage, int) or isinstance(stage, bool) or not 0 <= stage < 2**31:
        raise PartitionError(
            f"{where}: expected a stage, an integer of at least 0 and below 2**31, found {stage!r}"
        )
    return _known(where, mesh, meshes), stage


def _known(where: str, mesh: Any, meshes: Meshes) -> str:
    names = [name for name, _ in meshes]
    if mesh not in names:
        raise PartitionError(
            f"{where}: the topology has no mesh {mesh!r}, only {', '.join(map(repr, names))}"
            f"{did_you_mean(mesh, names)}"
        )
    return mesh


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown name: the nearest known one, if any."""
    near = get_close_matches(str(name), list(known), 1, 0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def donated_leaves(donate_argnums: Any, args: Sequence[Any]) -> set[int]:
    """Return the numbers of the leaves of the donated arguments.

    Raises:
        PartitionError: a number is not that of an argument.
    """
    numbers = (donate_argnums,) if isinstance(donate_argnums, int) else donate_argnums
    if not isinstance(numbers, Sequence):
        raise PartitionError(f"donate_argnums: expected numbers of arguments, found {numbers!r}")
    for number in numbers:
        if not isinstance(number, int) or not -len(args) <= number < len(args):
            raise PartitionError(
                f"donate_argnums: there is no argument {number!r}; fn is called with"
                f" {len(args)} arguments"
            )
    wanted = {number % len(args) for number in numbers}
    leaves, start = set[int](), 0
    for at, argument in enumerate(args):
        count = len(jax.tree.leaves(argument))
        leaves.update(range(start, start + count) if at in wanted else ())
        start += count
    return leaves


def places_of_leaves(what: str, places: Any, values: Any, meshes: Meshes) -> dict[int, str]:
    """Return the place of each leaf that has one: a mesh, and a memory kind after `#`.

    Args:
        what: the name of the parameter, for messages.
        places: a tree of places and None, a prefix of the tree `values`.
        values: the tree of arguments or results.
        meshes: the meshes of the topology.

    Raises:
        PartitionError: a mesh or memory kind is unknown, or the trees do not fit.
    """
    if places is None:
        return {}
    none = lambda leaf: leaf is None  # noqa: E731
    for path, place in jax.tree.leaves_with_path(places, is_leaf=none):
        _check_place(f"{what}{jax.tree_util.keystr(path)}", place, meshes)
    try:
        # For JAX, None is a tree without leaves, so it is replaced by an empty text.
        filled = jax.tree.map(lambda leaf: leaf or "", places, is_leaf=none)
        leaves = jax.tree.leaves(jax.tree.broadcast(filled, values))
    except ValueError as error:
        raise PartitionError(
            f"{what}: expected a prefix of the tree of its values: {error}"
        ) from None
    return {at: place for at, place in enumerate(leaves) if place}


def _check_place(where: str, place: Any, meshes: Meshes) -> None:
    if place is None:
        return
    if not isinstance(place, str):
        raise PartitionError(
            f'{where}: expected a mesh, "m1", or a mesh and a memory kind, "m1#pinned_host",'
            f" found {place!r}"
        )
    mesh, separator, kind = place.partition("#")
    _known(where, mesh, meshes)
    if separator and kind not in _MEMORY_KINDS:
        raise PartitionError(
            f"{where}: there is no memory kind {kind!r}; expected {' or '.join(_MEMORY_KINDS)}"
        )


def mesh_of_specs(meshes: Meshes, *, needed: bool) -> AbstractMesh | None:
    """Return the mesh of all `PartitionSpec`s; None if the meshes have different axes.

    Raises:
        PartitionError: the meshes have different axes, and `PartitionSpec`s need one.
    """
    (first, axes), *rest = meshes
    for name, other in rest:
        if other == axes:
            continue
        if needed:
            raise PartitionError(
                "in_shardings, out_shardings: expected meshes with the same axes, found"
                f" {first!r} with {dict(axes)} and {name!r} with {dict(other)}"
            )
        return None
    return AbstractMesh(tuple(size for _, size in axes), tuple(name for name, _ in axes))
