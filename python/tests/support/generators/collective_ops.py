"""StableHLO's collectives, with replica groups of both kinds."""

from __future__ import annotations

import math

from support.generators.builder import Builder, Region
from support.generators.choices import Choices
from support.generators.meshes import Mesh, axis_refs
from support.generators.operands import reducer, static_operand, tensor_type
from support.generators.tensors import (
    Scope,
)


def collective(builder: Builder, scope: Scope, choices: Choices) -> None:
    """A StableHLO collective, whose groups are written out or refer to a mesh."""
    operand = static_operand(builder, scope, choices)
    type_ = tensor_type(operand)
    groups, size = _replica_groups(builder, choices)
    words = [f"replica_groups = {groups}"]
    kinds = ["all_reduce", "collective_broadcast"]
    if type_.shape and type_.sizes[0]:
        kinds.append("all_gather")
        kinds += ["reduce_scatter"] * (type_.sizes[0] % size == 0)
        kinds += ["all_to_all"] * (len(type_.shape) > 1 and type_.sizes[0] % size == 0)
    kind = choices.pick(kinds)
    first, rest = type_.sizes[:1], type_.sizes[1:]
    result, regions = type_, list[Region]()
    if kind in ("all_reduce", "reduce_scatter"):
        regions = [reducer(builder, scope, choices, type_.with_shape())]
    if kind == "all_gather":
        words.append("all_gather_dim = 0 : i64")
        result = type_.with_shape(first[0] * size, *rest)
    elif kind == "reduce_scatter":
        words.append("scatter_dimension = 0 : i64")
        result = type_.with_shape(first[0] // size, *rest)
    elif kind == "all_to_all":
        words += ["split_dimension = 0 : i64", "concat_dimension = 1 : i64"]
        words.append(f"split_count = {size} : i64")
        result = type_.with_shape(first[0] // size, rest[0] * size, *rest[1:])
    builder.emit(scope, choices, f"stablehlo.{kind}", (operand,), (result,), words, regions)


def _replica_groups(builder: Builder, choices: Choices) -> tuple[str, int]:
    """Return replica groups as text, and the number of devices in one."""
    meshes = [mesh for mesh in builder.meshes if mesh.axes]
    if not meshes or choices.chance(0.15):
        return "dense<[[0, 1]]> : tensor<1x2xi64>", 2
    mesh = choices.pick(meshes)
    if choices.chance(0.3) and not choices.chance(0.3):
        mesh = Mesh(mesh.axes, mesh.device_ids and tuple(range(len(mesh.device_ids))))
    refs = axis_refs(mesh, frozenset(), choices)[: choices.between(1, 2)]
    parts = {ref.index for ref in refs}
    if len(parts) < len(refs):
        refs = refs[:1]
    axes = ", ".join(_stablehlo_axis(mesh, ref.index, ref.pre_size, ref.size) for ref in refs)
    size = math.prod(ref.size for ref in refs)
    where = mesh.reference if mesh.name and choices.chance(0.3) else _stablehlo_mesh(mesh)
    return f"#stablehlo.replica_group_mesh_axes<mesh = {where}, axes = [{axes}]>", size


def _stablehlo_axis(mesh: Mesh, index: int, pre_size: int, size: int) -> str:
    name, full = mesh.axes[index]
    part = f", sub_axis_info = ({pre_size}){size}" if size != full else ""
    return f'#stablehlo.axis_ref<name = "{name}"{part}>'


def _stablehlo_mesh(mesh: Mesh) -> str:
    axes = ", ".join(
        f'#stablehlo.mesh_axis<name = "{name}", size = {size}>' for name, size in mesh.axes
    )
    ids = list(mesh.device_ids)
    tail = f", device_ids = dense<{ids}> : tensor<{len(ids)}xi64>" if ids else ""
    return f"#stablehlo.mesh<axes = [{axes}]{tail}>"
