"""Axes of a mesh, whole or in part, and lists of them: what overlaps, and what is left of one without another.

An axis is a tuple `(name, pre, size)`: a part of the mesh axis `name`, whose digits count `size` devices
after `pre` groups. The whole axis of size n is `(name, 1, n)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import NamedTuple


class Axis(NamedTuple):
    """A mesh axis, or a part of it.

    Attributes:
        name: the name of the mesh axis.
        pre: the product of the sizes of the parts before it.
        size: its own size.
    """

    name: str
    pre: int
    size: int

    @property
    def next(self) -> int:
        """The `pre` of the part after it."""
        return self.pre * self.size


Axes = tuple[Axis, ...]


def overlap(a: Axis, b: Axis) -> bool:
    """Return whether two axes have a part in common."""
    return a.name == b.name and a.pre < b.next and b.pre < a.next


def contains(a: Axis, b: Axis) -> bool:
    """Return whether `b` is a part of `a`, or all of it."""
    return a.name == b.name and a.pre <= b.pre and a.next >= b.next


def is_prefix(a: Axis, b: Axis) -> bool:
    """Return whether `a` is `b`, or a part of it that begins where it begins."""
    return a.pre == b.pre and contains(b, a)


def can_coexist(a: Axis, b: Axis) -> bool:
    """Return whether both can be parts of one mesh: one division of the axis has both."""
    if a.name != b.name:
        return True
    (first, first_next), (second, second_next) = sorted([(a.pre, a.next), (b.pre, b.next)])
    low, high = sorted((first_next, second_next))
    if low > second:
        return low % second == 0 and second % first == 0 and high % low == 0
    return second % low == 0


def without(axis: Axis, other: Axis) -> Axis | None:
    """Return the longest prefix of an axis that does not overlap with another one; None for none."""
    if not can_coexist(axis, other):
        return None
    if not overlap(axis, other):
        return axis
    if axis.pre >= other.pre:
        return None
    return Axis(axis.name, axis.pre, other.pre // axis.pre)


def without_all(axis: Axis, others: Iterable[Axis]) -> Axis | None:
    """Return the longest prefix of an axis that overlaps with none of the others; None for none."""
    found: Axis | None = axis
    for other in others:
        if found is None:
            return None
        if other.name == found.name:
            found = without(found, other)
    return found


def append(axes: list[Axis], axis: Axis) -> None:
    """Append an axis to a list, merged with the last one if it continues it."""
    if axes and axes[-1].name == axis.name and axes[-1].next == axis.pre:
        last = axes[-1]
        axes[-1] = Axis(last.name, last.pre, last.size * axis.size)
    else:
        axes.append(axis)


def product(axes: Iterable[Axis]) -> int:
    """Return the number of parts that axes divide a dimension into."""
    return math.prod(axis.size for axis in axes)


class Status(Enum):
    """How a list of axes compares with another one."""

    EQUAL = auto()
    STRICT_PREFIX = auto()
    NOT_A_PREFIX = auto()


def status(axes: Sequence[Axis], other: Sequence[Axis]) -> Status:
    """Return whether a list of axes is another one, a strict prefix of it, or neither."""
    if tuple(axes) == tuple(other):
        return Status.EQUAL
    if not axes:
        return Status.STRICT_PREFIX
    last = len(axes) - 1
    if len(axes) > len(other) or tuple(axes[:last]) != tuple(other[:last]):
        return Status.NOT_A_PREFIX
    return Status.STRICT_PREFIX if is_prefix(axes[last], other[last]) else Status.NOT_A_PREFIX


def is_strict_prefix(axes: Sequence[Axis], other: Sequence[Axis]) -> bool:
    """Return whether a list of axes is another one without its end."""
    return status(axes, other) is Status.STRICT_PREFIX
