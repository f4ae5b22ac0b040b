"""What stood in the way of an axis in a step, told from what the step depended on and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sdykit.passes.sdy._propagation.axes import Axes, Axis, is_prefix, overlap, product, without_all
from sdykit.passes.sdy._propagation.factors import Direction, OpFactors
from sdykit.passes.sdy._propagation.steps import Key, Steps

Reason = Literal[
    "direction",
    "blocked",
    "closed",
    "used",
    "conflict",
    "replicated",
    "unreduced",
    "does not divide",
    "overflow",
    "conservative",
    "no common mesh",
    "maximal",
]
"""What stands in the way of an axis in a step; `sdykit.explain.model.Reason` has more reasons."""


class Cause(NamedTuple):
    """What stood in the way of an axis.

    Attributes:
        reason: the kind.
        by: the number of the tensor that it is about.
        dimension: the dimension of that tensor.
        axis: the axis there.
        size: the size of a factor that would be divided.
        divided: how many parts it has already.
        is_before: whether that factor comes before the one that would be divided, which is to wait until
            it is divided wholly.
    """

    reason: Reason
    by: int
    dimension: int | None = None
    axis: Axis | None = None
    size: int | None = None
    divided: int | None = None
    is_before: bool = False


def missing(axes: Sequence[Axis], own: Sequence[Axis]) -> tuple[Axis, ...]:
    """Return the axes of a list, or the part of one, from the first that another list does not have there."""
    for number, axis in enumerate(axes):
        rest = tuple(axes[number + 1 :])
        if number >= len(own):
            return (axis, *rest)
        mine = own[number]
        if mine == axis:
            continue
        if is_prefix(mine, axis):
            is_last = number == len(own) - 1 and axis.next % mine.next == 0
            left = Axis(axis.name, mine.next, axis.next // mine.next) if is_last else axis
            return (left, *rest)
        return rest if is_prefix(axis, mine) else (axis, *rest)
    return ()


def allows(direction: Direction, *, from_operand: bool) -> bool:
    """Return whether axes may go from an operand, or from a result, in a direction."""
    wanted = Direction.FORWARD if from_operand else Direction.BACKWARD
    return direction in (Direction.BOTH, wanted)


@dataclass
class TakenStep:
    """A step, with the tensors before and after it."""

    steps: Steps
    key: Key
    before: OpFactors
    after: OpFactors

    def own(self, number: int, factor: int) -> Axes:
        """Return the axes of a factor of a tensor after the step."""
        own = self.after.tensors[number].factors.get(factor)
        return () if own is None else own.axes

    def cause(self, number: int, dimension: int, factor: int, source: int) -> Cause | None:
        """Return what stood in the way of the axes of a factor from a tensor to another one.

        Args:
            number: the number of the tensor that did not get them, operands first.
            dimension: its dimension that would have got them.
            factor: the factor.
            source: the number of the tensor that has them.

        Returns:
            None if nothing did, or if nothing tells it.
        """
        of_mesh = self._mesh(source)
        if of_mesh is not None:
            return of_mesh
        if factor in self.key.rule.blocked:
            return Cause("blocked", number, dimension)
        direction = self.before.directions[factor]
        if not allows(direction, from_operand=source < len(self.before.operands)):
            return Cause("direction", number, dimension)
        if factor not in self.before.tensors[number].factors:
            return Cause("overflow", number, dimension)
        compatible = self.before.compatible(factor)
        own = self.own(number, factor)
        theirs = self.before.tensors[source].factors[factor].axes
        if not missing(compatible, own):
            return self._conflict(number, factor, theirs)
        return (
            self._conflict_of(number, factor, theirs)
            or self._cut(number, factor, compatible)
            or self._not_filled(number, dimension, factor)
            or self._taken(number, factor, compatible)
            or self._of_result(number, dimension, factor, source)
        )

    def _mesh(self, source: int) -> Cause | None:
        """Return the tensor on another mesh, if there is no common one."""
        shardings = self.key.shardings
        if self.steps.common_mesh(shardings) is not None:
            return None
        own = shardings[source]
        assert own is not None
        number, mesh = next(
            (number, each.mesh)
            for number, each in enumerate(shardings)
            if each is not None and not self.steps.same_mesh(each.mesh, own.mesh)
        )
        return Cause("maximal" if self.steps.is_maximal(mesh) else "no common mesh", number)

    def _conflict(self, number: int, factor: int, axes: Axes) -> Cause | None:
        """Return the tensor whose axes of a factor contradict those of another one."""
        others = range(len(self.before.tensors))
        for other in (number, *(each for each in others if each != number)):
            found = self._conflict_of(other, factor, axes)
            if found is not None:
                return found
        return None

    def _conflict_of(self, number: int, factor: int, axes: Axes) -> Cause | None:
        own = self.before.tensors[number].factors.get(factor)
        if own is None:
            return None
        for mine, axis in zip(own.axes, axes, strict=False):
            if mine != axis:
                ends = own.axes[-1] == mine, axes[-1] == axis
                if (is_prefix(mine, axis) and ends[0]) or (is_prefix(axis, mine) and ends[1]):
                    return None
                return Cause("conflict", number, self._dimension(number, factor), mine)
        return None

    def _cut(self, number: int, factor: int, axes: Axes) -> Cause | None:
        """Return what cuts the axes that all tensors agree on before the tensor gets more of them."""
        own = self.own(number, factor)
        within = self.before.within(self.before.tensors[number], factor, axes)
        if not missing(within, own):
            return self._within(number, factor, axes, within)
        across = self.after.across(self.after.tensors[number], factor, within)
        return None if missing(across, own) else self._across(number, factor, within, across)

    def _within(self, number: int, factor: int, axes: Axes, kept: Axes) -> Cause:
        """Return why a factor of a tensor cannot take the axes after those that are kept."""
        at = _cut_at(axes, kept)
        axis, parts = axes[at], product(axes[:at])
        tensor, dimension = self.before.tensors[number], self._dimension(number, factor)
        for other in (*tensor.replicated, *tensor.unreduced):
            # Two parts of an axis may also be such that no division of it has both.
            if without_all(axis, [other]) != axis:
                is_replicated = other in tensor.replicated
                return Cause("replicated" if is_replicated else "unreduced", number, None, other)
        own = tensor.factors[factor]
        sharding = self.key.shardings[number]
        if sharding is not None and dimension is not None and sharding.dims[dimension].is_closed:
            return Cause("closed", number, dimension)
        if own.overflow or own.is_closed:
            return Cause("overflow", number, dimension)
        size = self.key.rule.sizes[factor]
        whole = self.before.whole
        if whole is not None and size % (parts * axis.size) == 0:
            return Cause("conservative", number, dimension)
        return Cause("does not divide", number, dimension, None, size, parts)

    def _across(self, number: int, factor: int, axes: Axes, kept: Axes) -> Cause:
        """Return which factor of a tensor uses the axis after those that are kept."""
        axis = axes[_cut_at(axes, kept)]
        tensor = self.after.tensors[number]
        other, used = next(
            (other, used)
            for other, sharding in tensor.factors.items()
            for used in (*sharding.overflow, *sharding.axes)
            if other != factor and without_all(axis, [used]) != axis
        )
        return Cause("used", number, self._dimension(number, other), used)

    def _not_filled(self, number: int, dimension: int, factor: int) -> Cause | None:
        """Return the factor before another one of the dimension that is not divided wholly."""
        sizes = self.key.rule.sizes
        factors = self.key.rule.tensors[number][dimension]
        for before in factors[: factors.index(factor)]:
            parts = product(self.own(number, before))
            if parts < sizes[before]:
                return Cause(
                    "does not divide", number, dimension, None, sizes[before], parts, is_before=True
                )
        return None

    def _taken(self, number: int, factor: int, axes: Axes) -> Cause | None:
        """Return why another factor of a tensor could not keep one of the axes, which it took first."""
        for other in self.before.tensors[number].factors:
            wanted = self.before.compatible(other) if other != factor else ()
            is_shared = any(overlap(axis, each) for axis in axes for each in wanted)
            at = self._dimension(number, other)
            if is_shared and at is not None and missing(wanted, self.own(number, other)):
                return self._not_filled(number, at, other)
        return None

    def _of_result(self, number: int, dimension: int, factor: int, source: int) -> Cause | None:
        """Return why the results did not get an axis: operands of element-wise ops follow them."""
        operands = len(self.before.operands)
        if number >= operands or not self.key.is_elementwise:
            return None
        for result in range(operands, len(self.before.tensors)):
            at = self._dimension(result, factor)
            theirs = self.before.tensors[source].factors[factor].axes
            if at is not None and missing(theirs, self.own(result, factor)):
                return self.cause(result, at, factor, source)
        return None

    def _dimension(self, number: int, factor: int) -> int | None:
        return dimension_of(self.key.rule.tensors[number], factor)


def dimension_of(mapped: Sequence[Sequence[int]], factor: int) -> int | None:
    """Return the dimension that a factor is in."""
    return next((at for at, factors in enumerate(mapped) if factor in factors), None)


def _cut_at(axes: Axes, kept: Axes) -> int:
    """Return the index of the first axis that is not kept as it is."""
    pairs = zip(axes, kept, strict=False)
    return next((at for at, (axis, left) in enumerate(pairs) if axis != left), len(kept))
