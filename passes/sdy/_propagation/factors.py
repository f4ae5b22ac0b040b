"""Propagation between the tensors of one op, factor by factor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from sdykit.passes.sdy._propagation.axes import (
    Axes,
    Axis,
    Status,
    contains,
    is_prefix,
    is_strict_prefix,
    product,
    status,
    without_all,
)
from sdykit.passes.sdy._propagation.projection import Factor, Factors


class Direction(IntEnum):
    """Which way the shardings of a factor may go."""

    NONE = 0
    FORWARD = 1
    BACKWARD = 2
    BOTH = 3


@dataclass
class Tensor:
    """A tensor of an op.

    Attributes:
        factors: the sharding of each of its factors.
        replicated: the axes that it must not be divided along.
        unreduced: the axes along which its parts are still to be summed.
        is_changed: whether propagation has changed a factor.
    """

    factors: Factors
    replicated: Axes = ()
    unreduced: Axes = ()
    is_changed: bool = False

    def set(self, factor: int, axes: Axes) -> None:
        """Set the axes of a factor if those that it has are a strict prefix of them."""
        old = self.factors[factor]
        if is_strict_prefix(old.axes, axes):
            self.factors[factor] = old._replace(axes=axes)
            self.is_changed = True


@dataclass
class OpFactors:
    """The tensors of an op, by factors.

    Attributes:
        operands: its operands.
        results: its results.
        sizes: the sizes of the factors.
        directions: which way each factor may go.
        whole: the size of each mesh axis, if no factor may get a part of one; None: it may.
        is_elementwise: whether each element of a result comes from the elements at its position.
    """

    operands: list[Tensor]
    results: list[Tensor]
    sizes: Sequence[int]
    directions: Sequence[Direction]
    whole: Mapping[str, int] | None = None
    is_elementwise: bool = False
    tensors: list[Tensor] = field(init=False)

    def __post_init__(self) -> None:
        self.tensors = [*self.operands, *self.results]

    def axes_of(self, factor: int) -> list[Axes]:
        """Return the axes of a factor in each tensor that has it."""
        return [
            sharding.axes
            for tensor in self.tensors
            if (sharding := tensor.factors.get(factor)) is not None
        ]

    def compatible(self, factor: int) -> Axes:
        """Return the axes of a factor that no tensor contradicts, major first."""
        direction = self.directions[factor]
        if direction is Direction.NONE:
            return ()
        groups = (self.operands, self.results)
        if direction is Direction.BOTH:
            own = self.axes_of(factor)
            if not own or own.count(own[0]) == len(own):
                return own[0] if own else ()
        elif direction is Direction.BACKWARD:
            groups = (self.results, self.operands)
        fold = _Compatible()
        for number, tensors in enumerate(groups):
            if number and direction is not Direction.BOTH:
                fold.expands = False
            for tensor in tensors:
                sharding = tensor.factors.get(factor)
                if sharding is not None:
                    fold.add(sharding.axes)
        return tuple(fold.axes)

    def truncate(self, axes: Axes, keep: Callable[[Axis, int], Axis | None]) -> Axes:
        """Return the axes up to the first that `keep` does not return as it is.

        Args:
            axes: the axes.
            keep: a function of an axis and of the product of the sizes of those before it: what of it
                can be kept.
        """
        before = 1
        for number, axis in enumerate(axes):
            kept = keep(axis, before)
            if kept is None or (self.whole is not None and kept.size != self.whole[kept.name]):
                return axes[:number]
            if kept != axis:
                return (*axes[:number], kept)
            before *= axis.size
        return axes

    def across(self, tensor: Tensor, factor: int, axes: Axes) -> Axes:
        """Return the axes up to the first that another factor of the tensor has."""
        used = [
            axis
            for other, sharding in tensor.factors.items()
            if other != factor
            for axis in (*sharding.overflow, *sharding.axes)
        ]
        return self.truncate(axes, lambda axis, _: without_all(axis, used)) if used else axes

    def within(self, tensor: Tensor, factor: int, axes: Axes) -> Axes:
        """Return the axes up to the first that the factor of the tensor cannot take."""
        sharding, size = tensor.factors[factor], self.sizes[factor]
        forbidden = (*tensor.replicated, *tensor.unreduced)

        def keep(axis: Axis, before: int) -> Axis | None:
            left = without_all(axis, forbidden)
            return None if left is None else _fitting(left, sharding, size, before)

        return self.truncate(axes, keep)


def _fitting(axis: Axis, sharding: Factor, size: int, before: int) -> Axis | None:
    """Return what of an axis a factor can take, after axes whose product is `before`."""
    if any(contains(own, axis) for own in sharding.axes):
        return axis
    if sharding.is_closed or sharding.overflow:
        last = sharding.axes[-1] if sharding.axes else None
        return last if last is not None and is_prefix(last, axis) else None
    if sharding.is_minor_most:
        return axis
    if size % before:
        return None
    common = math.gcd(size // before, axis.size)
    if common == axis.size:
        return axis
    return Axis(axis.name, axis.pre, common) if common > 1 else None


class _Compatible:
    """Folds the axes that tensors have for a factor.

    Attributes:
        axes: the axes that no tensor contradicts so far.
        expands: whether a tensor may still add axes.
    """

    def __init__(self) -> None:
        self.axes: list[Axis] = []
        self.expands = True

    def add(self, new: Axes) -> None:
        """Take the axes of another tensor into account."""
        old, taken = self.axes, list[Axis]()
        for number, (ours, theirs) in enumerate(zip(old, new, strict=False)):
            if ours == theirs:
                taken.append(ours)
                continue
            last = self._merged(ours, theirs, len(old) > number + 1, len(new) > number + 1)
            if last is not None:
                taken.append(last)
            if last is None or not self._goes_on:
                self.expands = False
                self.axes = taken
                return
        rest = old if len(old) > len(new) else new if self.expands else ()
        self.axes = [*taken, *rest[len(taken) :]]

    _goes_on = True

    def _merged(
        self, ours: Axis, theirs: Axis, old_has_more: bool, new_has_more: bool
    ) -> Axis | None:
        """Return the axis at a place where two lists differ; `_goes_on` says whether they may go on."""
        self._goes_on = True
        if ours.name != theirs.name:
            return None
        if is_prefix(theirs, ours):
            self._goes_on = not new_has_more
            return theirs if new_has_more else ours
        if is_prefix(ours, theirs):
            self._goes_on = self.expands and not old_has_more
            return theirs if self._goes_on else ours
        return None


def propagate_basic(op: OpFactors) -> None:
    """Set the axes of each tensor to those that all tensors of the op can have, factor by factor."""
    for factor in range(len(op.sizes)):
        axes = op.compatible(factor)
        for tensor in op.tensors:
            if not axes:
                break
            axes = op.across(tensor, factor, axes)
            if factor in tensor.factors:
                axes = op.within(tensor, factor, axes)
        if axes:
            for tensor in op.tensors:
                if factor in tensor.factors:
                    tensor.set(factor, axes)


def propagate_aggressive(op: OpFactors) -> None:
    """Set the axes of each tensor to those that it can have; where factors compete, the larger source wins."""
    compatible = [op.compatible(factor) for factor in range(len(op.sizes))]
    # A tensor keeps axes that it has: where all have the compatible ones, nothing can change.
    factors = [
        factor
        for factor, axes in enumerate(compatible)
        if axes and any(own != axes for own in op.axes_of(factor))
    ]
    order = sorted(factors, key=lambda factor: _rank(op, factor, compatible[factor]))
    for tensor in (*op.results, *op.operands):
        for factor in order:
            if factor in tensor.factors:
                _set_aggressively(op, tensor, factor, compatible[factor])


def _rank(op: OpFactors, factor: int, axes: Axes) -> tuple[int, int, int, int]:
    """Return what factors are sorted by: large sources first, then, if element-wise, many devices."""
    size, source = -1, -1
    for number, tensor in enumerate(op.tensors):
        own = tensor.factors.get(factor)
        if own is None or not axes or status(axes, own.axes) is Status.NOT_A_PREFIX:
            continue
        total = math.prod(op.sizes[each] for each in tensor.factors)
        if total > size:
            size, source = total, number
    return (-size, -product(axes) if op.is_elementwise else 0, source, factor)


def _set_aggressively(op: OpFactors, tensor: Tensor, factor: int, axes: Axes) -> None:
    own = tensor.factors[factor].axes
    axes = op.within(tensor, factor, axes)
    if not is_strict_prefix(own, axes):
        return
    axes = op.across(tensor, factor, axes)
    if not axes:
        return
    is_operand = any(tensor is operand for operand in op.operands)
    if op.is_elementwise and is_operand:
        for result in op.results:
            theirs = result.factors.get(factor)
            if theirs is not None and is_strict_prefix(theirs.axes, axes):
                axes = theirs.axes
    tensor.set(factor, axes)
