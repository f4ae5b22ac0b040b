"""Collectives of sdy: what devices send each other, instead of how tensors are sharded before and after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes, Axis
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import axes_without
from sdykit.spmd.devices.layout import Layout
from sdykit.spmd.devices.mesh import DeviceMesh
from sdykit.spmd.errors import fail_at
from sdykit.spmd.local import emit, sending
from sdykit.spmd.local.moving import Part, Pending, moved, reduced

Collective = Callable[[ir.Operation, Part, Layout, DeviceMesh], Part]
"""Makes an op of its operand, and of the layout that its result is to have on a mesh."""


def all_gather(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Put the parts of devices together along dimensions."""
    value = part.value
    for dim, axes in enumerate(_axes_of_dims(op, "gathering_axes", mesh)):
        if axes:
            value = sending.all_gather(value, dim, mesh.groups(axes))
    return replace(part, value=value, layout=layout)


def all_slice(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Keep a part of what the device holds."""
    value = _cut(part, _axes_of_dims(op, "slicing_axes", mesh), layout, mesh)
    return replace(part, value=value, layout=layout)


def _cut(part: Part, lists: list[Axes], layout: Layout, mesh: DeviceMesh) -> ir.Value:
    """Cut the part of each device in a layout out of what it holds, along the axes of each dimension."""
    sizes = layout.local(part.shape)
    starts = [
        emit.by_device([index * size for index in mesh.indices(axes)])
        for axes, size in zip(lists, sizes, strict=True)
    ]
    return emit.slice_at(part.value, starts, sizes)


def all_to_all(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Exchange parts: a dimension is put together, and another one is divided."""
    value = part.value
    for each in sdy.AllToAllParamListAttr.of(op.attributes["params"]).value:
        axes = tuple(_axis(axis, mesh) for axis in each.axes)
        value = sending.all_to_all(value, each.tgt_dim, each.src_dim, mesh.groups(axes))
    return replace(part, value=value, layout=layout)


def collective_permute(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Each device receives its new part from one that has it; what has no other use for it stays."""
    apart = part.pending.axes if part.pending is not None else ()
    has, wants = _held(part.layout, apart, mesh), _held(layout, apart, mesh)
    sources: dict[tuple[int, ...], list[int]] = {}
    for device, held in enumerate(has):
        sources.setdefault(held, []).append(device)
    pairs = []
    for device in sorted(range(len(wants)), key=lambda each: has[each] != wants[each]):
        left = sources.get(wants[device])
        if not left:
            fail_at(op, "does not only permute: no device has the part that another one needs")
        source = device if device in left else left[0]
        left.remove(source)
        pairs.append((source, device))
    return replace(part, value=sending.collective_permute(part.value, sorted(pairs)), layout=layout)


def _held(layout: Layout, apart: Axes, mesh: DeviceMesh) -> list[tuple[int, ...]]:
    """Return the number of the part in each dimension, and along axes to be reduced, of each device."""
    axes = (*layout.dims, layout.unreduced, apart)
    lists = [(layout.mesh or mesh).indices(each) for each in axes]
    return list(zip(*lists, strict=True))


def reduce_scatter(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Sum over axes, and keep a part of the sum."""
    lists = _axes_of_dims(op, "reduce_scatter_axes", mesh)
    axes = tuple(axis for axes in lists for axis in axes)
    left, reduction = _left(part, axes)
    if left != axes:  # Every device has the sum over the other ones already.
        part = _combined(part, left, reduction, mesh)
        return Part(_cut(part, lists, layout, mesh), part.shape, layout)
    value = part.value
    for dim, axes in enumerate(lists):
        if axes:
            value = sending.reduce_scatter(value, dim, mesh.groups(axes), reduction)
    return Part(value, part.shape, layout)


def all_reduce(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Sum over axes, or combine as the op did that left that to be done."""
    axes = _axes(sdy.AxisRefListAttr.of(op.attributes["reduction_axes"]), mesh)
    left, reduction = _left(part, axes)
    part = _combined(part, left, reduction, mesh)
    return Part(part.value, part.shape, layout, _pending_without(part, axes))


def _left(part: Part, axes: Axes) -> tuple[Axes, str]:
    """Return those axes of a collective that are still to be combined over, and by which op."""
    pending = part.pending
    if pending is None or axes_without(pending.axes, axes) == pending.axes:
        return axes, emit.ADD
    if pending.reduction is None:
        return axes_without(axes, pending.axes), emit.ADD
    return axes, pending.reduction


def _combined(part: Part, axes: Axes, reduction: str, mesh: DeviceMesh) -> Part:
    if not axes:
        return part
    return replace(part, value=sending.all_reduce(part.value, mesh.groups(axes), reduction))


def _pending_without(part: Part, axes: Axes) -> Pending | None:
    if part.pending is None:
        return None
    left = axes_without(part.pending.axes, axes)
    return replace(part.pending, axes=left) if left else None


def replicated_to_unreduced(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Keep the tensor on the first devices along axes, and zeros on the others."""
    axes = _axes(sdy.AxisRefListAttr.of(op.attributes["axes"]), mesh)
    return unreduced(part, axes, layout, mesh)


def unreduced(part: Part, axes: Axes, layout: Layout, mesh: DeviceMesh) -> Part:
    """Return a tensor that the first devices along some axes hold, and the others zeros of."""
    index = emit.by_device(mesh.indices(axes))
    is_first = emit.compare("EQ", index, emit.constant(0))
    zeros = emit.zeros(part.value.type)
    predicate = emit.broadcast(is_first, emit.shape_of(part.value), [])
    value = emit.select(predicate, part.value, zeros)
    return replace(part, value=value, layout=layout, pending=_pending_without(part, axes))


def sharded_to_unreduced(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Each device puts its part into a larger one of zeros."""
    lists = _axes_of_dims(op, "axes", mesh)
    result = emit.tensor(layout.local(part.shape), emit.element_of(part.value))
    starts = [
        emit.by_device([index * size for index in mesh.indices(axes)])
        for axes, size in zip(lists, emit.shape_of(part.value), strict=True)
    ]
    operands = [emit.zeros(result), part.value, *starts]
    value = emit.make("stablehlo.dynamic_update_slice", result, operands)
    axes = tuple(axis for axes in lists for axis in axes)
    return replace(part, value=value, layout=layout, pending=_pending_without(part, axes))


def padded(op: ir.Operation, part: Part, layout: Layout, mesh: DeviceMesh) -> Part:
    """Do what a collective is for where parts have padding: by gathering and cutting."""
    if op.name == "sdy.reduce_scatter":
        axes = tuple(a for axes in _axes_of_dims(op, "reduce_scatter_axes", mesh) for a in axes)
        part = _combined(part, *_left(part, axes), mesh)
        return moved(Part(part.value, part.shape, part.layout), layout)
    if op.name == "sdy.sharded_to_unreduced":
        axes = tuple(a for axes in _axes_of_dims(op, "axes", mesh) for a in axes)
        return unreduced(moved(part, layout), axes, layout, mesh)
    return moved(part, layout)


def resharded(part: Part, layout: Layout) -> Part:
    """Return a tensor in another layout, unreduced along its axes and no others."""
    part = moved(summed_to(part, layout), layout)
    axes = axes_without(layout.unreduced, part.layout.unreduced)
    if not axes:
        return part
    assert layout.mesh is not None
    return unreduced(part, axes, layout, layout.mesh)


def summed_to(part: Part, layout: Layout) -> Part:
    """Sum over unreduced axes that a layout does not have."""
    is_same_mesh = part.layout.mesh == layout.mesh
    axes = axes_without(part.layout.unreduced, layout.unreduced if is_same_mesh else ())
    return reduced(part, axes, emit.ADD)


COLLECTIVES: dict[str, Collective] = {
    "sdy.all_gather": all_gather,
    "sdy.all_reduce": all_reduce,
    "sdy.all_slice": all_slice,
    "sdy.all_to_all": all_to_all,
    "sdy.collective_permute": collective_permute,
    "sdy.reduce_scatter": reduce_scatter,
    "sdy.replicated_to_unreduced": replicated_to_unreduced,
    "sdy.sharded_to_unreduced": sharded_to_unreduced,
}


def _axes_of_dims(op: ir.Operation, name: str, mesh: DeviceMesh) -> list[Axes]:
    lists = sdy.ListOfAxisRefListsAttr.of(op.attributes[name]).value
    return [_axes(each, mesh) for each in lists]


def _axes(axes: sdy.AxisRefListAttr, mesh: DeviceMesh) -> Axes:
    return tuple(_axis(each, mesh) for each in axes.value)


def _axis(axis: sdy.AxisRefAttr, mesh: DeviceMesh) -> Axis:
    part = axis.sub_axis_info
    if part is None:
        return Axis(axis.name, 1, dict(mesh.axes)[axis.name])
    return Axis(axis.name, part.pre_size, part.size)
