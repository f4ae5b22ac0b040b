"""Along which axes an op can be run on the parts of its tensors: by its sharding rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sdykit.core.sdy.rules import NEED_REPLICATION, PERMUTATION, REDUCTION
from sdykit.passes.sdy._propagation.axes import Axes, Axis, append, overlap, product
from sdykit.passes.sdy._propagation.projection import Dim, Factors, Mapped, project
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.spmd.devices.layout import Layout, Shape
from sdykit.spmd.devices.mesh import DeviceMesh

Allowed = Callable[[int], bool]
"""Whether an op can be run on parts along a factor."""


@dataclass(frozen=True)
class Division:
    """How the work of an op is divided.

    Attributes:
        rule: its sharding rule.
        mesh: the mesh; None if nothing is divided.
        axes: the axes of each factor.
        layouts: how each tensor is to lie on the devices, operands first.
        whole: the factors along which tensors are divided, but the op cannot work on parts.
    """

    rule: Rule
    mesh: DeviceMesh | None
    axes: tuple[Axes, ...]
    layouts: tuple[Layout, ...]
    whole: frozenset[int] = frozenset()

    @property
    def reduced(self) -> Axes:
        """The axes along which each device has a part of the result of a reduction."""
        return tuple(
            axis
            for factor, axes in enumerate(self.axes)
            if self.rule.kind(factor) == REDUCTION
            for axis in axes
        )


@dataclass
class Divider:
    """Decides on the division of an op.

    Attributes:
        rule: the sharding rule of the op.
        shapes: the shape of each tensor, operands first.
        layouts: how each tensor lies on the devices, or is to lie.
        allowed: whether the op can be run on parts along a factor; kinds that no op can are left out.
        may_pad: whether it can be run if the parts have padding along a factor.
    """

    rule: Rule
    shapes: Sequence[Shape]
    layouts: Sequence[Layout]
    allowed: Allowed
    may_pad: Allowed
    _factors: list[Factors] = field(init=False)

    def __post_init__(self) -> None:
        self._factors = [
            self._projected(layout, mapped)
            for layout, mapped in zip(self.layouts, self.rule.tensors, strict=True)
        ]

    def division(self) -> Division:
        """Return along which axes the op is run on parts."""
        mesh = self._mesh()
        axes: list[Axes] = [()] * len(self.rule.sizes)
        whole: set[int] = set()
        used: list[Axis] = []
        # Factors of results first: operands are moved to where results are to be.
        of_results = {each for tensor in self.rule.results for dim in tensor for each in dim}
        for factor in sorted(range(len(axes)), key=lambda each: each not in of_results):
            wanted = self.wanted(factor)
            if not wanted:
                continue
            can = self._can(factor, wanted)
            if can and not any(overlap(one, other) for one in wanted for other in used):
                axes[factor] = wanted
                used += wanted
            elif not can:
                whole.add(factor)
        self._drop_after_unfinished(axes)
        layouts = tuple(
            Layout(mesh, tuple(_joined(axes, dim) for dim in tensor))
            for tensor in self.rule.tensors
        )
        return Division(self.rule, mesh, tuple(axes), layouts, frozenset(whole))

    def _mesh(self) -> DeviceMesh | None:
        """Return the mesh of the results, or else of the first operand that is divided."""
        count = len(self.rule.operands)
        for layout in (*self.layouts[count:], *self.layouts[:count]):
            if layout.mesh is not None and not layout.is_whole:
                return layout.mesh
        return None

    def _projected(self, layout: Layout, mapped: Mapped) -> Factors:
        return project([Dim(axes, True) for axes in layout.dims], mapped, self.rule.sizes)

    def wanted(self, factor: int) -> Axes:
        """Return the axes of a factor: those of the results, or else of operands that agree."""
        count, projected = len(self.rule.operands), self._factors
        of_results = {each[factor].axes for each in projected[count:] if factor in each}
        of_operands = {each[factor].axes for each in projected[:count] if factor in each}
        if not of_results and self.rule.kind(factor) != REDUCTION:
            return ()  # Every device needs all of it.
        found = of_results or of_operands
        if len(found) == 1:
            return next(iter(found))
        return ()

    def _can(self, factor: int, axes: Axes) -> bool:
        if self.rule.kind(factor) in (NEED_REPLICATION, PERMUTATION) or not self.allowed(factor):
            return False
        size, parts = self.rule.sizes[factor], product(axes)
        for shape, mapped in zip(self.shapes, self.rule.tensors, strict=True):
            for dim, factors in zip(shape, mapped, strict=True):
                if factor not in factors:
                    continue
                if len(factors) == 1 and dim != size:
                    return False
                if size % parts and (len(factors) > 1 or not self.may_pad(factor)):
                    return False
        return True

    def _drop_after_unfinished(self, axes: list[Axes]) -> None:
        """Take its axes away from a factor that stands after one that is not divided to the end."""
        changed = True
        while changed:
            changed = False
            for mapped in self.rule.tensors:
                for factors in mapped:
                    is_finished = True
                    for factor in factors:
                        if not is_finished and axes[factor]:
                            axes[factor], changed = (), True
                        is_finished &= product(axes[factor]) == self.rule.sizes[factor]


def _joined(axes: Sequence[Axes], factors: Sequence[int]) -> Axes:
    found: list[Axis] = []
    for factor in factors:
        for axis in axes[factor]:
            append(found, axis)
    return tuple(found)


def elementwise_rule(shape: Shape, operands: int, results: int) -> Rule:
    """Return the rule of an op whose tensors have one shape, and correspond element by element."""
    mapped = tuple((dim,) for dim in range(len(shape)))
    return Rule(tuple(shape), (mapped,) * operands, (mapped,) * results)
