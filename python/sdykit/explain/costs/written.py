"""Collectives that the program has itself, in StableHLO, such as in a `jax.shard_map`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from sdykit.explain.costs.model import Kind
from sdykit.explain.questions.axes import size_of
from sdykit.mlir import ir

WRITTEN: Mapping[str, Kind] = {
    "stablehlo.all_gather": "all_gather",
    "stablehlo.all_reduce": "all_reduce",
    "stablehlo.all_to_all": "all_to_all",
    "stablehlo.reduce_scatter": "reduce_scatter",
    "stablehlo.collective_permute": "collective_permute",
    "stablehlo.collective_broadcast": "collective_broadcast",
}
"""The kinds of the ops."""

_MESH_AXES = "#stablehlo.replica_group_mesh_axes"
_MESH = re.compile(r"mesh = @([\w$.-]+|\"[^\"]*\")")
_MESH_AXIS = re.compile(r'mesh_axis<name = "([^"]*)", size = (\d+)>')
_AXIS = re.compile(r'axis_ref<name = "([^"]*)"(?:, sub_axis_info = \((\d+)\)(\d+))?')

Group = frozenset[int]


def written_group(
    op: ir.Operation, meshes: Mapping[str, Mapping[str, int]]
) -> tuple[tuple[str, ...], int]:
    """Return the axes along which a collective exchanges data, and the number of devices that do.

    Returns:
        Axes such that the devices that differ in them only are the groups of the op; none if there are
        none. Of a collective_permute, the fewest axes within which its pairs are.
    """
    if "source_target_pairs" in op.attributes:
        pairs = _rows(op.attributes["source_target_pairs"])
        for axes, groups in _choices(meshes):
            if all(any({*pair} <= group for group in groups) for pair in pairs):
                return axes, max(map(len, groups))
        return (), len({device for pair in pairs for device in pair})
    groups = str(op.attributes["replica_groups"])
    if groups.startswith(_MESH_AXES):
        return _of_mesh_axes(groups, meshes)
    rows = _rows(op.attributes["replica_groups"])
    wanted = {frozenset(device for device in row if device >= 0) for row in rows}
    if not any(wanted):
        sizes = max((tuple(mesh.values()) for mesh in meshes.values()), key=math.prod, default=())
        wanted = {frozenset(range(math.prod(sizes)))}
    devices = max(map(len, wanted))
    for axes, groups in _choices(meshes):
        if groups == wanted:
            return axes, devices
    return (), devices


def _of_mesh_axes(
    text: str, meshes: Mapping[str, Mapping[str, int]]
) -> tuple[tuple[str, ...], int]:
    """Return the axes and the devices of groups that are written as axes of a mesh."""
    found = _MESH.search(text)
    # Without a name the mesh is written in place.
    inline = {name: int(size) for name, size in _MESH_AXIS.findall(text)}
    mesh = inline if found is None else meshes.get(found[1].strip('"'), {})
    axes = tuple(
        f"{name}:({pre}){size}" if pre else name for name, pre, size in _AXIS.findall(text)
    )
    return axes, math.prod(size_of(axis, mesh) for axis in axes)


def _choices(
    meshes: Mapping[str, Mapping[str, int]],
) -> Iterator[tuple[tuple[str, ...], set[Group]]]:
    """Yield sets of axes, small ones first, with the groups of devices that differ in them only."""
    for mesh in meshes.values():
        for count in range(len(mesh) + 1):
            for axes in combinations(mesh, count):
                yield axes, _groups(mesh, axes)


def _groups(mesh: Mapping[str, int], axes: Sequence[str]) -> set[Group]:
    found: dict[tuple[int, ...], set[int]] = {}
    names = list(mesh)
    for device, at in enumerate(product(*map(range, mesh.values()))):
        kept = tuple(index for index, name in zip(at, names, strict=True) if name not in axes)
        found.setdefault(kept, set()).add(device)
    return set(map(frozenset, found.values()))


def _rows(attribute: ir.Attribute) -> list[list[int]]:
    values = ir.DenseIntElementsAttr(attribute)
    width = ir.ShapedType(values.type).shape[1]
    flat = [int(values[at]) for at in range(len(values))]
    return [flat[at : at + width] for at in range(0, len(flat), width)] if width else []
