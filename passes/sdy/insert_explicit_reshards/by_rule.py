"""Reshards of the operands and results of an op by its sharding rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes, Axis, append
from sdykit.passes.sdy._propagation.projection import Dim, Mapped, project
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding
from sdykit.passes.sdy._propagation.steps import Rule, rule_of
from sdykit.passes.sdy._sharding_rules import ShardingRules
from sdykit.passes.sdy._value_shardings import rank, shaped_type
from sdykit.passes.sdy.insert_explicit_reshards.common_axes import Tensor, common_axes, dims_of
from sdykit.passes.sdy.insert_explicit_reshards.dots import DOTS, result_axes
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import Collectives, axes_without
from sdykit.passes.sdy.insert_explicit_reshards.values import Numbered, Values

_CONCATENATE = "stablehlo.concatenate"
_RAGGED_DOT = "mhlo.ragged_dot"
_RESHAPE = "stablehlo.reshape"

RESHARDED = frozenset((_CONCATENATE, _RAGGED_DOT, *DOTS))
"""The ops whose tensors are resharded even if not all reshards are inserted."""


class _Common(NamedTuple):
    """What all ops alike need.

    Attributes:
        dims: the dimensions that each tensor is to have.
        resharded: the numbers of the tensors that have others.
        summed: the axes of factors that the op sums over on each device only.
    """

    dims: Sequence[tuple[Dim, ...]]
    resharded: Sequence[int]
    summed: Axes


class ByRule:
    """Inserts them."""

    def __init__(self, values: Values, collectives: Collectives, *, is_full: bool) -> None:
        self._values = values
        self._collectives = collectives
        self._rules = ShardingRules()
        self._is_full = is_full
        self._known: dict[tuple[object, ...], _Common] = {}

    def visit(self, op: ir.Operation) -> None:
        """Insert the reshards that the rule of an op asks for."""
        if not op.results:
            return
        values = [*op.operands, *op.results]
        numbered, before_barriers = self._values.numbered, self._values.before_barriers
        tensors = [numbered(before_barriers(value)) for value in values]
        mesh = self._values.mesh_of(tensors)
        if mesh is None:
            return
        shardings = [sharding for sharding, _ in tensors]
        is_whole = (
            self._is_full or op.name == _RAGGED_DOT or self._is_odd_concatenate(op, shardings)
        )
        result = self._values.sharding(op.results[0])
        has_sum = result is not None and bool(result.unreduced)
        # Rules are made for ops that need them only: those of dynamic shapes have none.
        if not (is_whole or has_sum or op.name in DOTS):
            return
        view = self._rules.of(op)
        if view is None or view.is_custom_rule:
            return
        if not is_whole and op.name in DOTS:
            rule = rule_of(view)
            mapped = _tensors(rule, values, shardings)
            found = result_axes(rule, mapped)
            if found is not None:
                dims = dims_of(mapped[-1], found, rule.sizes)
                self._reshard_result(op, 0, mesh, dims)
        if is_whole or has_sum:
            common = self._common(op, view, values, tensors)
            if is_whole:
                self._reshard(op, mesh, shardings, common)
            if common.summed:
                self._reduce_results(op, mesh, common.summed)

    def _common(
        self,
        op: ir.Operation,
        view: sdy.OpShardingRuleAttr,
        values: Sequence[ir.Value],
        numbered: Sequence[Numbered],
    ) -> _Common:
        """Return what an op needs; found once for equal ops."""
        is_reshape = op.name == _RESHAPE
        types = [value.type for value in values]
        key = (is_reshape, view, *types, *(number for _, number in numbered))
        known = self._known.get(key)
        if known is not None:
            return known
        rule = rule_of(view)
        shardings = [sharding for sharding, _ in numbered]
        tensors = _tensors(rule, values, shardings)
        axes = common_axes(rule, tensors, is_reshape=is_reshape)
        dims = [dims_of(each, axes, rule.sizes) for each in tensors]
        resharded = [
            number
            for number, (has, wanted) in enumerate(zip(shardings, dims, strict=True))
            if _differ(has, wanted)
        ]
        summed = tuple(
            axis
            for factor, each in enumerate(axes)
            if rule.kind(factor) == "reduction"
            for axis in each
        )
        self._known[key] = _Common(dims, resharded, summed)
        return self._known[key]

    def _is_odd_concatenate(self, op: ir.Operation, shardings: Sequence[Sharding | None]) -> bool:
        if op.name != _CONCATENATE:
            return False
        *operands, result = shardings
        return any(each != result for each in operands)

    def _reshard(
        self,
        op: ir.Operation,
        mesh: Mesh,
        shardings: Sequence[Sharding | None],
        common: _Common,
    ) -> None:
        count = len(op.operands)
        for number in common.resharded:
            if number >= count:
                self._reshard_result(op, number - count, mesh, common.dims[number])
                continue
            has = shardings[number]
            new = Sharding(mesh, common.dims[number], (), has.unreduced if has is not None else ())
            place = ir.InsertionPoint(op)
            operand = op.operands[number]
            op.operands[number] = self._collectives.reshard(operand, new, place)

    def _reshard_result(
        self, op: ir.Operation, number: int, mesh: Mesh, dims: tuple[Dim, ...]
    ) -> None:
        """Give a result other dimensions, and reshard it to those that it had."""
        result = op.results[number]
        has = self._values.sharding(result)
        old = has or Sharding(mesh, tuple(Dim((), True) for _ in dims))
        new = Sharding(mesh, dims, (), old.unreduced)
        place = ir.InsertionPoint.after(op)
        reshard = self._collectives.reshard(result, old, place)
        result.replace_all_uses_except(reshard, ir.OpResult(reshard).owner.operation)
        self._values.set(op, number, new)

    def _reduce_results(self, op: ir.Operation, mesh: Mesh, summed: Axes) -> None:
        """Sum the results over axes, but those that are to be left unreduced."""
        first = self._values.sharding(op.results[0])
        unreduced = first.unreduced if first is not None else ()
        left = self._in_mesh_order(mesh, axes_without(summed, unreduced))
        if not left:
            return
        for result in op.results:
            has = self._values.sharding(result) or Sharding(
                mesh, tuple(Dim((), True) for _ in range(rank(result.type)))
            )
            self._collectives.sum_after(result, has, left)

    def _in_mesh_order(self, mesh: Mesh, axes: Axes) -> Axes:
        order = {axis.name: at for at, axis in enumerate(self._values.shardings.mesh(mesh).axes)}
        merged: list[Axis] = []
        for axis in sorted(axes, key=lambda each: (order[each.name], each.pre, each.size)):
            append(merged, axis)
        return tuple(merged)


def _differ(has: Sharding | None, wanted: Sequence[Dim]) -> bool:
    """Return whether a sharding divides a tensor otherwise than some dimensions do."""
    if has is None:
        return any(dim.axes for dim in wanted)
    return [dim.axes for dim in has.dims] != [dim.axes for dim in wanted]


def _tensors(
    rule: Rule, values: Sequence[ir.Value], shardings: Sequence[Sharding | None]
) -> list[Tensor]:
    return [
        _tensor(value, sharding, mapped, rule)
        for value, sharding, mapped in zip(values, shardings, rule.tensors, strict=True)
    ]


def _tensor(value: ir.Value, sharding: Sharding | None, mapped: Mapped, rule: Rule) -> Tensor:
    dims = [Dim((), True)] * len(mapped) if sharding is None else sharding.dims
    shaped = shaped_type(value.type)
    shape = shaped.shape if shaped is not None and shaped.has_rank else []
    return Tensor(project(dims, mapped, rule.sizes), mapped, math.prod(shape))
