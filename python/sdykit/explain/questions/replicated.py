"""Which tensors are large on each device, and not divided along all axes."""

from __future__ import annotations

from typing import NamedTuple

from sdykit.explain.model import Explanation, Tensor
from sdykit.explain.questions.axes import axes_of, name_of
from sdykit.explain.questions.index import Index


class Replicated(NamedTuple):
    """A tensor that has copies.

    Attributes:
        tensor: the tensor.
        axes: the mesh axes along which it is not divided at all.
        bytes: what each device holds of it.
    """

    tensor: int
    axes: tuple[str, ...]
    bytes: float


def replicated(index: Index, axis: str | None = None) -> list[Replicated]:
    """Return the tensors that are not divided along some mesh axis, the largest on a device first.

    Args:
        index: the explanation.
        axis: only those that are not divided along this one.
    """
    explanation = index.explanation
    found = []
    for tensor in explanation.tensors:
        axes = _axes(explanation, tensor)
        if axes and (axis is None or axis in axes) and tensor.bytes and _is_left(index, tensor):
            found.append(Replicated(tensor.number, axes, index.bytes_per_device(tensor)))
    return sorted(found, key=lambda each: -each.bytes)


def _axes(explanation: Explanation, tensor: Tensor) -> tuple[str, ...]:
    meshes = explanation.meshes
    # A tensor without a sharding is on no mesh: it counts as on the only one.
    mesh = tensor.final.mesh if tensor.final is not None else next(iter(meshes), "")
    used = {name_of(axis) for axis in axes_of(tensor.final)}
    return tuple(name for name in meshes.get(mesh, {}) if name not in used)


def _is_left(index: Index, tensor: Tensor) -> bool:
    """Return whether a tensor is not erased; a result of the function is what it returns."""
    return tensor.kind != "result" and not index.explanation.ops[tensor.op].is_erased
