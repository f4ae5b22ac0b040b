"""Moving a tensor from one layout to another, by gathering and cutting: right for every two layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import axes_without
from sdykit.spmd.devices.layout import Layout, Shape
from sdykit.spmd.local import emit, sending


@dataclass(frozen=True)
class Pending:
    """What a collective of the program is expected to combine, though the sharding does not say so.

    Attributes:
        axes: the axes along which devices hold parts of the result of a reduction.
        reduction: the op that combines them; None: it is done, and the collective leaves them out.
    """

    axes: Axes
    reduction: str | None


@dataclass(frozen=True)
class Part:
    """What each device holds of a tensor.

    Attributes:
        value: the value in the local program.
        shape: the shape of the whole tensor; `()` for what is no tensor.
        layout: which part of it a device holds.
        pending: what an all-reduce in the program is expected to do.
    """

    value: ir.Value
    shape: Shape
    layout: Layout
    pending: Pending | None = None


def moved(part: Part, layout: Layout) -> Part:
    """Return a tensor in another layout; what is unreduced, or pending, stays so."""
    layout = replace(layout, unreduced=part.layout.unreduced)
    if layout.mesh is None and layout.unreduced:
        layout = replace(layout, mesh=part.layout.mesh)
    if part.layout.divided_alike(layout):
        return replace(part, layout=layout if layout.mesh is not None else part.layout)
    if 0 in part.shape:
        type_ = emit.tensor(layout.local(part.shape), emit.element_of(part.value))
        return replace(part, value=emit.zeros(type_), layout=layout)
    if layout.mesh is not None and layout.mesh == part.layout.mesh and _is_finer(part, layout):
        return replace(part, value=_cut_further(part, layout), layout=layout)
    value = part.value
    for dim in range(len(part.shape)):
        value = _gathered(value, part, dim)
    if not layout.is_whole:
        value = _cut_out(value, layout, part.shape)
    return replace(part, value=value, layout=layout)


def reduced(part: Part, axes: Axes, reduction: str) -> Part:
    """Return a tensor that is no longer unreduced along some axes."""
    if not axes:
        return part
    assert part.layout.mesh is not None
    value = sending.all_reduce(part.value, part.layout.mesh.groups(axes), reduction)
    left = axes_without(part.layout.unreduced, axes)
    return replace(part, value=value, layout=replace(part.layout, unreduced=left))


def _is_finer(part: Part, layout: Layout) -> bool:
    """Return whether a layout divides the parts of a tensor further, without padding."""
    pairs = zip(part.layout.dims, layout.dims, strict=True)
    return layout.divides(part.shape) and all(new[: len(old)] == old for old, new in pairs)


def _cut_further(part: Part, layout: Layout) -> ir.Value:
    sizes = layout.local(part.shape)
    assert layout.mesh is not None
    starts = []
    for old, new, size in zip(part.layout.dims, layout.dims, sizes, strict=True):
        indices = layout.mesh.indices(new[len(old) :])
        starts.append(emit.by_device([index * size for index in indices]))
    return emit.slice_at(part.value, starts, sizes)


def _gathered(value: ir.Value, part: Part, dim: int) -> ir.Value:
    axes, mesh = part.layout.dims[dim], part.layout.mesh
    if not axes:
        return value
    assert mesh is not None
    value = sending.all_gather(value, dim, mesh.groups(axes))
    shape = list(emit.shape_of(value))
    shape[dim] = part.shape[dim]
    return emit.cut(value, shape)


def _cut_out(value: ir.Value, layout: Layout, shape: Shape) -> ir.Value:
    """Cut the part of each device out of a whole tensor."""
    sizes = layout.local(shape)
    counts = [layout.count(dim) for dim in range(len(shape))]
    padded = emit.pad(value, [size * count for size, count in zip(sizes, counts, strict=True)])
    return emit.slice_at(padded, starts_of(layout, sizes), sizes)


def starts_of(layout: Layout, sizes: Sequence[int]) -> list[ir.Value]:
    """Return the position at which the part of the device begins, as scalars."""
    return [
        emit.by_device([index * size for index in layout.indices(dim)])
        if layout.dims[dim]
        else emit.constant(0)
        for dim, size in enumerate(sizes)
    ]
