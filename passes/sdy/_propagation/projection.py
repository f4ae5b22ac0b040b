"""Shardings of factors: what the axes of the dimensions of a tensor say of each factor of a rule, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sdykit.passes.sdy._propagation.axes import Axes, Axis, append, product

Mapped = tuple[tuple[int, ...], ...]
"""The factors of each dimension of a tensor, major first."""


class Dim(NamedTuple):
    """The sharding of a dimension.

    Attributes:
        axes: the axes that it is divided along, major first.
        is_closed: whether no axes may be added.
        priority: when its axes propagate, 0 first; None: with those of 0.
    """

    axes: Axes = ()
    is_closed: bool = False
    priority: int | None = None


class Factor(NamedTuple):
    """The sharding of a factor in a tensor.

    Attributes:
        axes: the axes that it is divided along, major first.
        is_closed: whether no axes may be added.
        is_minor_most: whether it is the last factor of its dimension.
        overflow: axes of the dimension that do not fit the factor, nor those after it.
    """

    axes: Axes = ()
    is_closed: bool = False
    is_minor_most: bool = True
    overflow: Axes = ()


Factors = dict[int, Factor]


def project(dims: Sequence[Dim], mapped: Mapped, sizes: Sequence[int]) -> Factors:
    """Return the sharding of each factor of a tensor.

    Args:
        dims: the shardings of the dimensions.
        mapped: the factors of the dimensions.
        sizes: the size of each factor.
    """
    found: Factors = {}
    for dim, factors in zip(dims, mapped, strict=True):
        if len(factors) == 1:
            found[factors[0]] = Factor(dim.axes, dim.is_closed)
        else:
            _project_dim(found, dim, factors, sizes)
    return found


def _project_dim(found: Factors, dim: Dim, factors: Sequence[int], sizes: Sequence[int]) -> None:
    left = list(reversed(dim.axes))
    for number, factor in enumerate(factors):
        if number == len(factors) - 1:
            taken: list[Axis] = []
            for axis in reversed(left):
                append(taken, axis)
            found[factor] = Factor(tuple(taken), dim.is_closed)
            return
        axes, rest = _take(left, sizes[factor])
        overflow = tuple(reversed(left)) if rest > 1 else ()
        found[factor] = Factor(axes, dim.is_closed, False, overflow)
        if overflow:
            following = factors[number + 1]
            found[following] = Factor((), True, number + 2 == len(factors))
            return


def _take(left: list[Axis], size: int) -> tuple[Axes, int]:
    """Take the axes that divide a factor from the end of a list; return them, and what is left of it."""
    taken: list[Axis] = []
    while left:
        axis = left[-1]
        common = math.gcd(size, axis.size)
        if axis.size != 1 and common == 1:
            break
        left.pop()
        if axis.size > common:
            left.append(Axis(axis.name, axis.pre * common, axis.size // common))
            axis = Axis(axis.name, axis.pre, common)
        append(taken, axis)
        size //= axis.size
    return tuple(taken), size


def combine(factors: Mapping[int, Factor], mapped: Mapped, sizes: Sequence[int]) -> tuple[Dim, ...]:
    """Return the sharding of each dimension of a tensor, from those of its factors."""
    return tuple(_combine_dim(factors, of_dim, sizes) for of_dim in mapped)


def _combine_dim(factors: Mapping[int, Factor], of_dim: Sequence[int], sizes: Sequence[int]) -> Dim:
    axes: list[Axis] = []
    is_closed = False
    for factor in of_dim:
        sharding = factors[factor]
        is_closed |= sharding.is_closed
        for number, axis in enumerate(sharding.axes):
            if number:
                axes.append(axis)
            else:
                append(axes, axis)
        if sharding.overflow:
            axes += sharding.overflow
            break
        if product(sharding.axes) < sizes[factor]:
            break
    return Dim(tuple(axes), is_closed)
