"""Why a tensor is sharded along an axis: the way of the axis, back to who gave it."""

from __future__ import annotations

from typing import NamedTuple

from sdykit.explain.model import Given
from sdykit.explain.questions.axes import overlaps
from sdykit.explain.questions.index import Arrival, Index


class Link(NamedTuple):
    """A tensor on the way of an axis.

    Attributes:
        tensor: the tensor.
        dimension: the dimension that has the axis.
        axis: the axis, or the part of it that came this way.
        step: the position in `Explanation.steps` of what brought it there; None: it was given.
        op: the op that it came through; None: it was given.
        given: the sharding that it is part of, if it was given.
    """

    tensor: int
    dimension: int
    axis: str
    step: int | None = None
    op: int | None = None
    given: Given | None = None


def why(index: Index, tensor: int, axis: str) -> tuple[Link, ...]:
    """Return the way of an axis to a tensor: the tensor first, then what it came from, at last who gave it.

    Returns:
        The links; none if the tensor is not sharded along the axis.
    """
    links: list[Link] = []
    before = len(index.explanation.steps)
    while True:
        arrival = index.arrival(tensor, axis, before)
        if arrival is None:
            return (*links, *(_given(index, tensor, axis) or _manual(index, tensor, axis, links)))
        links.append(_link(index, arrival))
        tensor, axis, before = arrival.source, arrival.axis, arrival.step


def _link(index: Index, arrival: Arrival) -> Link:
    change = arrival.change
    op = index.explanation.steps[arrival.step].op
    return Link(change.tensor, change.dimension, arrival.axis, arrival.step, op)


def _given(index: Index, number: int, axis: str) -> list[Link]:
    """Return the link of a tensor that was given an axis; two if another one of its group was."""
    tensor = index.explanation.tensors[number]
    if tensor.given is None or not index.is_given(tensor, axis):
        return []
    dims = tensor.given.sharding.dims
    found = next(
        Link(number, at, each, given=tensor.given)
        for at, dim in enumerate(dims)
        for each in dim.axes
        if overlaps(each, axis)
    )
    like = tensor.given.like
    return [found] if like is None else [found, *_given(index, like, axis)]


def _manual(index: Index, number: int, axis: str, links: list[Link]) -> list[Link]:
    """Return the link of an argument of a manual computation, of which an axis is a manual one.

    Inside, no dimension has manual axes; what it comes from has them.
    """
    given = index.explanation.tensors[number].given
    if not links or given is None or given.by != "manual computation":
        return []
    return [Link(number, links[-1].dimension, axis, given=given)]
