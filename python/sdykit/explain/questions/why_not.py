"""Why a tensor is not sharded along an axis: what was refused around it, or nearest to it."""

from __future__ import annotations

from typing import NamedTuple

from sdykit.explain.model import Refusal
from sdykit.explain.questions.axes import axes_of, is_along, overlaps
from sdykit.explain.questions.index import Index


class WhyNot(NamedTuple):
    """A refusal of an axis.

    Attributes:
        op: the op at which it was refused.
        refusal: the refusal; the last of the op.
        distance: how many ops lie between the tensor that was asked for and that of the refusal.
    """

    op: int
    refusal: Refusal
    distance: int


def why_not(index: Index, tensor: int, axis: str) -> tuple[WhyNot, ...]:
    """Return why an axis did not come to a tensor.

    These are the last refusals of the axis at each op around the tensor. If nothing around it has the
    axis, they are those of the nearest tensors to which it did not come either.

    Returns:
        The refusals; none if the axis is nowhere near.
    """
    distance, seen, layer = 0, {tensor}, [tensor]
    while layer:
        found = [
            WhyNot(op, refusal, distance)
            for each in layer
            for op, refusal in index.refusals_of(each)
            if overlaps(refusal.axis, axis)
        ]
        if found:
            return tuple(found)
        layer = _next(index, layer, seen, axis)
        distance += 1
    return ()


def _next(index: Index, layer: list[int], seen: set[int], axis: str) -> list[int]:
    """Return the tensors without an axis that are one op further away."""
    ops, tensors = index.explanation.ops, index.explanation.tensors
    found: list[int] = []
    for tensor in layer:
        for number in index.ops_around(tensor):
            for other in (*ops[number].operands, *ops[number].results):
                has_axis = is_along(axes_of(tensors[other].final), axis)
                if other not in seen and not has_axis and tensors[other].shape:
                    seen.add(other)
                    found.append(other)
    return found
