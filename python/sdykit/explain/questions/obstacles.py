"""What stands in the way of axes: each thing once, with all that it costs."""

from __future__ import annotations

from typing import NamedTuple

from sdykit.explain.model import Given, Refusal, SourceLine
from sdykit.explain.questions.axes import axes_of, is_along, name_of, overlaps, size_of
from sdykit.explain.questions.index import Index
from sdykit.explain.questions.why import why


class Obstacle(NamedTuple):
    """Something that stands in the way of axes.

    Attributes:
        given: the sharding of the user's that is in the way, if one is.
        tensor: the tensor that it was given to; without one, the tensor in the way.
        op: the op, if it is in the way by itself: it has no rule, or its shape does not divide.
        source: the line of it, if known.
        reasons: the reasons of the refusals.
        axes: the axes that are refused.
        refusals: an op and a refusal there for each tensor and axis; those that cost most first.
        bytes: what a device would hold less if no axis were refused for it.
    """

    given: Given | None
    tensor: int
    op: int | None
    source: SourceLine | None
    reasons: tuple[str, ...]
    axes: tuple[str, ...]
    refusals: tuple[tuple[int, Refusal], ...]
    bytes: float


def obstacles(index: Index, axis: str | None = None) -> list[Obstacle]:
    """Return what stands in the way of axes at the end, the most expensive first.

    A refused axis counts if the tensor is not divided along it in any dimension.

    Args:
        index: the explanation.
        axis: only what stands in the way of this one.
    """
    lost: dict[tuple[int, str], tuple[int, Refusal]] = {}
    for op, refusal in index.refusals():
        is_wanted = axis is None or overlaps(refusal.axis, axis)
        if is_wanted and _is_lost(index, refusal):
            lost.setdefault((refusal.tensor, name_of(refusal.axis)), (op, refusal))
    by_obstacle: dict[tuple[object, ...], list[tuple[int, Refusal]]] = {}
    for op, refusal in lost.values():
        by_obstacle.setdefault(_obstacle(index, op, refusal), []).append((op, refusal))
    found = [_made(index, refusals) for refusals in by_obstacle.values()]
    return sorted(found, key=lambda each: -each.bytes)


def _is_lost(index: Index, refusal: Refusal) -> bool:
    final = index.explanation.tensors[refusal.tensor].final
    return not is_along(axes_of(final), refusal.axis)


def _obstacle(index: Index, op: int, refusal: Refusal) -> tuple[object, ...]:
    """Return what refusals with one cause have in common."""
    tensor = _root(index, refusal)
    given = None if tensor is None else index.explanation.tensors[tensor].given
    if given is None:
        source = index.explanation.ops[op].source
        return (refusal.reason, source if source is not None else op)
    if given.source is not None:
        # One line may come in several scopes, such as those of a function and its gradient.
        return (given.by, str(given.source), given.sharding)
    return (given.op,) if given.op is not None else (tensor,)


def _root(index: Index, refusal: Refusal) -> int | None:
    """Return the tensor whose given sharding causes a refusal, if one is."""
    if refusal.by is None:
        return None
    if refusal.by_axis is not None:
        links = why(index, refusal.by, refusal.by_axis)
        return links[-1].tensor if links else refusal.by
    return refusal.by if refusal.reason in ("closed", "maximal", "no common mesh") else None


def _made(index: Index, refusals: list[tuple[int, Refusal]]) -> Obstacle:
    costs = {each: _cost(index, each[1]) for each in refusals}
    refusals = sorted(refusals, key=lambda each: -costs[each])
    op, first = refusals[0]
    root = _root(index, first)
    tensor = first.tensor if root is None else root
    given = None if root is None else index.explanation.tensors[root].given
    source = index.explanation.ops[op].source if given is None else given.source
    return Obstacle(
        given,
        tensor,
        op if given is None else None,
        source,
        tuple(dict.fromkeys(refusal.reason for _, refusal in refusals)),
        tuple(dict.fromkeys(name_of(refusal.axis) for _, refusal in refusals)),
        tuple(refusals),
        sum(costs.values()),
    )


def _cost(index: Index, refusal: Refusal) -> float:
    """Return what a device would hold less of a tensor if it were divided along the axis too."""
    explanation = index.explanation
    tensor = explanation.tensors[refusal.tensor]
    source = explanation.tensors[refusal.source].final
    mesh = {} if source is None else explanation.meshes.get(source.mesh, {})
    size = size_of(refusal.axis, mesh)
    return index.bytes_per_device(tensor) * (1 - 1 / size)
