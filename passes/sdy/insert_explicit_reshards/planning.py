"""The plan of ops with one rule, and tensors of equal shardings."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes, Axis, append
from sdykit.passes.sdy._propagation.numbered import NONE, NumberedShardings
from sdykit.passes.sdy._propagation.program import TypeInfo
from sdykit.passes.sdy._propagation.projection import Dim, Mapped, project
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.passes.sdy._shardings import RESULT_ATTRIBUTE
from sdykit.passes.sdy.insert_explicit_reshards.common_axes import Tensor, common_axes, dims_of
from sdykit.passes.sdy.insert_explicit_reshards.dots import DOTS, result_axes
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import Collectives, axes_without

_RESHAPE = "stablehlo.reshape"


class Sum(NamedTuple):
    """A sum of an operand or result.

    Attributes:
        number: which one it is.
        sharding: the sharding of the sum, an attribute.
        axes: the axes that it is summed over, an attribute.
    """

    number: int
    sharding: ir.Attribute
    axes: ir.Attribute


class Reshard(NamedTuple):
    """A reshard of an operand or result.

    Attributes:
        number: which one it is.
        sharding: the sharding of the reshard, an attribute.
    """

    number: int
    sharding: ir.Attribute


@dataclass(frozen=True, eq=False)
class Plan:
    """What is inserted at ops alike, in this order; what comes after an op goes before what came.

    Attributes:
        operand_sums: the sums before the op.
        operand_reshards: the reshards before the op.
        result_reshards: the reshards after the op.
        sharding: the new sharding of the results, an attribute; None if they keep theirs.
        result_sums: the sums after the op.
        seen: the number of the sharding of each result, for those that use it.
    """

    operand_sums: tuple[Sum, ...]
    operand_reshards: tuple[Reshard, ...]
    result_reshards: tuple[Reshard, ...]
    sharding: ir.Attribute | None
    result_sums: tuple[Sum, ...]
    seen: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is inserted."""
        return not (
            self.operand_sums or self.operand_reshards or self.result_reshards or self.result_sums
        )


@dataclass(eq=False)
class Case:
    """Ops of one name with tensors of equal shardings.

    Attributes:
        name: their name.
        operands: the number of their operands.
        shardings: those of the operands, after they were summed, and of the results.
        sums: the sums of operands.
        mesh: the mesh of the reshards; None if there are none.
        is_whole: whether all operands and results get common axes.
        has_sum: whether the first result has unreduced axes.
        plans: the plans of those with one rule; None where there is nothing to insert.
    """

    name: str
    operands: int
    shardings: list[Sharding | None]
    sums: tuple[Sum, ...]
    mesh: Mesh | None
    is_whole: bool
    has_sum: bool
    plans: dict[Hashable, Plan | None] = field(default_factory=dict)

    @property
    def results(self) -> list[Sharding | None]:
        """The shardings of the results."""
        return self.shardings[self.operands :]


class Planning:
    """Makes the plan of ops of one case with one rule."""

    def __init__(
        self,
        case: Case,
        types: Sequence[TypeInfo],
        shardings: NumberedShardings,
        collectives: Collectives,
    ) -> None:
        self._case = case
        self._types = types
        self._shardings = shardings
        self._collectives = collectives
        self._operand_reshards: list[Reshard] = []
        self._result_reshards: list[Reshard] = []
        self._result_sums: list[Sum] = []
        self._sharding: ir.Attribute | None = None
        self._has = case.results
        self._seen: dict[int, Sharding] = {}

    def plan(self, rule: Rule | None) -> Plan:
        """Return the plan."""
        if rule is not None:
            self._follow(rule)
        seen = tuple(
            NONE if each is None else self._shardings.number(each)
            for each in (self._seen.get(number, has) for number, has in enumerate(self._has))
        )
        return Plan(
            self._case.sums,
            tuple(self._operand_reshards),
            tuple(self._result_reshards),
            self._sharding,
            tuple(self._result_sums),
            seen,
        )

    def _follow(self, rule: Rule) -> None:
        case = self._case
        tensors = [
            _tensor(type_, sharding, mapped, rule)
            for type_, sharding, mapped in zip(
                self._types, case.shardings, rule.tensors, strict=True
            )
        ]
        if not case.is_whole and case.name in DOTS:
            found = result_axes(rule, tensors)
            if found is not None:
                self._reshard_result(0, dims_of(tensors[-1], found, rule.sizes))
        if not (case.is_whole or case.has_sum):
            return
        axes = common_axes(rule, tensors, is_reshape=case.name == _RESHAPE)
        if case.is_whole:
            for number, tensor in enumerate(tensors):
                self._reshard(number, dims_of(tensor, axes, rule.sizes))
        summed = tuple(
            axis
            for factor, each in enumerate(axes)
            if rule.kind(factor) == "reduction"
            for axis in each
        )
        if summed:
            self._sum_results(summed)

    def _reshard(self, number: int, dims: tuple[Dim, ...]) -> None:
        """Reshard an operand or result to some dimensions, if it has others."""
        has, mesh = self._case.shardings[number], self._mesh
        if not _differ(has, dims):
            return
        if number >= self._case.operands:
            self._reshard_result(number - self._case.operands, dims)
            return
        new = _with_dims(has or _closed(mesh, len(dims)), mesh, dims)
        self._operand_reshards.append(Reshard(number, self._shardings.make(new)))

    def _reshard_result(self, number: int, dims: tuple[Dim, ...]) -> None:
        """Set the dimensions of a result, which is resharded to those that it had."""
        old = self._has[number] or _closed(self._mesh, len(dims))
        self._result_reshards.append(Reshard(number, self._shardings.make(old)))
        self._seen[number] = old
        self._has[number] = new = _with_dims(old, self._mesh, dims)
        if self._case.name in RESULT_ATTRIBUTE:
            self._sharding = self._shardings.make(new)
            return
        # A list has a sharding of each result.
        types = self._types[self._case.operands :]
        self._has = shardings = [
            has or Sharding(self._mesh, (Dim(),) * type_.rank)
            for has, type_ in zip(self._has, types, strict=True)
        ]
        self._sharding = self._shardings.make_list(tuple(shardings))

    def _sum_results(self, summed: Axes) -> None:
        """Sum the results over axes, but those that are to be left unreduced."""
        first = self._has[0]
        left = axes_without(summed, first.unreduced if first is not None else ())
        if not left:
            return
        axes = self._collectives.axes(self._mesh, self._in_mesh_order(left))
        types = self._types[self._case.operands :]
        for number, (has, type_) in enumerate(zip(self._has, types, strict=True)):
            sharding = has or _closed(self._mesh, type_.rank)
            self._seen.setdefault(number, sharding)
            self._result_sums.append(Sum(number, self._shardings.make(sharding), axes))

    def _in_mesh_order(self, axes: Axes) -> Axes:
        mesh = self._shardings.mesh(self._mesh)
        order = {axis.name: at for at, axis in enumerate(mesh.axes)}
        merged: list[Axis] = []
        for axis in sorted(axes, key=lambda each: (order[each.name], each.pre, each.size)):
            append(merged, axis)
        return tuple(merged)

    @property
    def _mesh(self) -> Mesh:
        assert self._case.mesh is not None
        return self._case.mesh


def _closed(mesh: Mesh, rank: int) -> Sharding:
    """Return a sharding whose dimensions are closed and not divided."""
    return Sharding(mesh, (Dim((), True),) * rank)


def _with_dims(old: Sharding, mesh: Mesh, dims: tuple[Dim, ...]) -> Sharding:
    """Return a sharding with other dimensions, whose axes are not replicated any more."""
    taken = tuple(axis for dim in dims for axis in dim.axes)
    return Sharding(mesh, dims, axes_without(old.replicated, taken), old.unreduced)


def _differ(has: Sharding | None, wanted: Sequence[Dim]) -> bool:
    """Return whether a sharding divides a tensor otherwise than some dimensions do."""
    if has is None:
        return any(dim.axes for dim in wanted)
    return [dim.axes for dim in has.dims] != [dim.axes for dim in wanted]


def _tensor(type_: TypeInfo, sharding: Sharding | None, mapped: Mapped, rule: Rule) -> Tensor:
    dims = [Dim((), True)] * len(mapped) if sharding is None else sharding.dims
    return Tensor(project(dims, mapped, rule.sizes), mapped, math.prod(type_.shape or ()))
