"""What a sharding of the user's reached: forwards, with the bytes that it saves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sdykit.explain.questions.axes import axes_of, is_along, size_of
from sdykit.explain.questions.index import Index


class Reach(NamedTuple):
    """What given shardings reached.

    Attributes:
        tensors: the tensors that got axes from them, in program order, with these axes.
        bytes_saved: the bytes that a device holds less of all of them together, as they are divided
            along these axes.
    """

    tensors: tuple[tuple[int, tuple[str, ...]], ...]
    bytes_saved: float


def reach(index: Index, given: Iterable[int]) -> Reach:
    """Return what the shardings that tensors were given reached; these tensors count not."""
    wanted = set(given)
    reached: dict[int, dict[str, None]] = {}
    # Arrivals in the order of steps: what a tensor hands on has come to it before.
    for arrival in sorted(index.arrivals(), key=lambda each: each.step):
        source, axis = arrival.source, arrival.axis
        comes = is_along(reached.get(source, ()), axis)
        tensor = index.explanation.tensors[source]
        if comes or (source in wanted and index.is_given(tensor, axis)):
            reached.setdefault(arrival.change.tensor, {})[axis] = None
    for number in wanted:
        reached.pop(number, None)
    found = tuple((number, tuple(axes)) for number, axes in sorted(reached.items()))
    return Reach(found, sum(_saved(index, number, axes) for number, axes in found))


def _saved(index: Index, number: int, axes: tuple[str, ...]) -> float:
    tensor = index.explanation.tensors[number]
    if tensor.final is None or index.explanation.ops[tensor.op].is_erased:
        return 0.0
    mesh = index.explanation.meshes.get(tensor.final.mesh, {})
    factor = 1
    for axis in axes_of(tensor.final):
        if is_along(axes, axis):
            factor *= size_of(axis, mesh)
    return index.bytes_per_device(tensor) * (factor - 1)
