"""Axes of two shardings in pieces, so that any two of them are equal or do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdykit.passes.sdy._propagation.axes import Axis, can_coexist, overlap

Pieces = list[list[Axis]]
"""For each dimension, the axes that divide it, major first; neighbours are not merged."""


def all_of(pieces: Pieces) -> list[Axis]:
    """Return the axes of all dimensions."""
    return [axis for axes in pieces for axis in axes]


def align(pieces: Pieces, others: Iterable[Axis]) -> None:
    """Cut axes where others begin and end."""
    by_name: dict[str, list[Axis]] = {}
    for other in others:
        by_name.setdefault(other.name, []).append(other)
    for axes in pieces:
        axes[:] = [piece for axis in axes for piece in _cut(axis, by_name.get(axis.name, ()))]


def _cut(axis: Axis, others: Sequence[Axis]) -> list[Axis]:
    ends = {axis.next}
    for other in others:
        if overlap(axis, other) and can_coexist(axis, other):
            ends |= {end for end in (other.pre, other.next) if axis.pre < end < axis.next}
    found: list[Axis] = []
    pre = axis.pre
    for end in sorted(ends):
        found.append(Axis(axis.name, pre, end // pre))
        pre = end
    return found


def drop_equal_fronts(one: Pieces, other: Pieces) -> None:
    """Drop the axes that both sides of a dimension begin with."""
    for mine, theirs in zip(one, other, strict=True):
        count = 0
        while count < min(len(mine), len(theirs)) and mine[count] == theirs[count]:
            count += 1
        del mine[:count], theirs[:count]


def drop_end(axes: list[Axis], end: Sequence[Axis]) -> None:
    """Drop from merged axes the pieces that they end with."""
    for piece in reversed(end):
        last = axes.pop()
        if last.size > piece.size:
            axes.append(Axis(last.name, last.pre, last.size // piece.size))


def divides(one: int, other: int) -> bool:
    """Return whether one of two sizes divides the other."""
    return one % other == 0 or other % one == 0


def fits(axis: Axis, capacity: int) -> bool:
    """Return whether an axis, or its front, can use a capacity evenly."""
    return capacity > 1 and divides(axis.size, capacity)


def split(axis: Axis, capacity: int) -> tuple[Axis, Axis | None, int]:
    """Return the front of an axis that uses a capacity that it fits, the rest, and what is left of it."""
    if capacity >= axis.size:
        return axis, None, capacity // axis.size
    used = Axis(axis.name, axis.pre, capacity)
    return used, Axis(axis.name, used.next, axis.size // capacity), 1
