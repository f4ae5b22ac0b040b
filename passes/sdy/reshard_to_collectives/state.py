"""How far a reshard has come: the axes that are still to go or to come, and the collectives so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sdykit.passes.sdy._propagation.axes import Axes, Axis, append
from sdykit.passes.sdy.reshard_to_collectives.aligned import (
    Pieces,
    align,
    all_of,
    drop_equal_fronts,
    fits,
    split,
)


class Move(NamedTuple):
    """Axes that an all-to-all moves to another dimension."""

    axes: Axes
    source: int
    target: int


class Collective(NamedTuple):
    """A collective that a reshard takes.

    Attributes:
        name: the name of its op.
        dims: the axes that divide each dimension afterwards.
        axes: the axes that are gathered or sliced in each dimension.
        moves: what an all-to-all moves.
        is_on_target_mesh: whether its result is on the mesh that the reshard asks for; it may
            number its devices otherwise than that of the operand.
    """

    name: str
    dims: tuple[Axes, ...]
    axes: tuple[Axes, ...] = ()
    moves: tuple[Move, ...] = ()
    is_on_target_mesh: bool = True


class Place(NamedTuple):
    """Where an axis is to come: a dimension, and its position there."""

    dim: int
    position: int


class State:
    """The state of a reshard between two collectives.

    Attributes:
        shape: the size of each dimension.
        has: the axes of each dimension that are to go, or to come and not at their place.
        wants: the axes of each dimension that are to come.
        current: all axes of each dimension, merged.
        is_on_target_mesh: whether the tensor is on the mesh that the reshard asks for.
        found: the collectives so far.
    """

    def __init__(
        self, shape: Sequence[int], has: Sequence[Axes], wants: Sequence[Axes], *, same_mesh: bool
    ) -> None:
        self.shape = shape
        self.has: Pieces = [list(axes) for axes in has]
        self.wants: Pieces = [list(axes) for axes in wants]
        self.current: Pieces = [list(axes) for axes in has]
        self.is_on_target_mesh = same_mesh
        self.found: list[Collective] = []
        align(self.has, all_of(self.wants))
        align(self.wants, all_of(self.has))
        drop_equal_fronts(self.has, self.wants)

    @property
    def dims(self) -> range:
        """The dimensions."""
        return range(len(self.shape))

    def is_done(self, *, ignores_single: bool) -> bool:
        """Return whether nothing is left to do, or nothing but for axes of a single device."""
        left = [*all_of(self.has), *all_of(self.wants)]
        return self.is_on_target_mesh and all(ignores_single and axis.size == 1 for axis in left)

    def places(self) -> dict[Axis, Place]:
        """Return where each axis that is to come goes."""
        return {
            axis: Place(dim, position)
            for dim, axes in enumerate(self.wants)
            for position, axis in enumerate(axes)
        }

    def placed(self) -> set[Axis]:
        """Return the axes that divide some dimension now."""
        return set(all_of(self.has))

    def add(
        self, name: str, axes: Sequence[Sequence[Axis]] = (), moves: tuple[Move, ...] = ()
    ) -> None:
        """Append a collective that makes the current sharding."""
        self.found.append(
            Collective(name, _frozen(self.current), _frozen(axes), moves, self.is_on_target_mesh)
        )

    def distribute(
        self, axes: list[Axis], capacities: list[int], *, in_front: bool = False
    ) -> Pieces:
        """Divide dimensions along axes, each as far as its capacity goes.

        Args:
            axes: the axes; those that are used are taken from the list.
            capacities: for each dimension, how many parts it may still be divided into.
            in_front: make the axes of a dimension the first ones of it, not the last ones.

        Returns:
            The axes that each dimension has got.
        """
        got = [self._fill(dim, axes, capacities) for dim in self.dims]
        for dim, new in enumerate(got):
            self.has[dim] = [*new, *self.has[dim]] if in_front else [*self.has[dim], *new]
        align(self.wants, all_of(self.has))
        return got

    def _fill(self, dim: int, axes: list[Axis], capacities: list[int]) -> list[Axis]:
        got: list[Axis] = []
        for axis in list(axes):
            if not fits(axis, capacities[dim]):
                continue
            used, rest, capacities[dim] = split(axis, capacities[dim])
            axes.remove(axis)
            got.append(used)
            if rest is not None:
                axes.insert(0, rest)
        return got


def merged(axes: Sequence[Axis]) -> Axes:
    """Return axes with neighbours that are parts of one axis in one."""
    found: list[Axis] = []
    for axis in axes:
        append(found, axis)
    return tuple(found)


def _frozen(axes: Sequence[Sequence[Axis]]) -> tuple[Axes, ...]:
    return tuple(merged(each) for each in axes)
