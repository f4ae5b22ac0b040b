"""Reshards of the operands and results of an op by its sharding rule."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes, Axis, append
from sdykit.passes.sdy._propagation.projection import Dim, Mapped, project
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding
from sdykit.passes.sdy._propagation.steps import Rule, rule_of
from sdykit.passes.sdy._sharding_rules import RULE, ShardingRules
from sdykit.passes.sdy._value_shardings import rank, shaped_type
from sdykit.passes.sdy.insert_explicit_reshards.common_axes import Tensor, common_axes, dims_of
from sdykit.passes.sdy.insert_explicit_reshards.dots import DOTS, result_axes
from sdykit.passes.sdy.insert_explicit_reshards.unreduced import Collectives, axes_without
from sdykit.passes.sdy.insert_explicit_reshards.values import Values

_CONCATENATE = "stablehlo.concatenate"
_RAGGED_DOT = "mhlo.ragged_dot"
_RESHAPE = "stablehlo.reshape"


class ByRule:
    """Inserts them."""

    def __init__(self, values: Values, collectives: Collectives, *, is_full: bool) -> None:
        self._values = values
        self._collectives = collectives
        self._rules = ShardingRules()
        self._is_full = is_full

    def visit(self, op: ir.Operation) -> None:
        """Insert the reshards that the rule of an op asks for."""
        if not op.results:
            return
        view = self._rules.of(op) if RULE in op.attributes else None
        if view is None or view.is_custom_rule:
            return
        values = [*op.operands, *op.results]
        shardings = [self._values.sharding(self._values.before_barriers(value)) for value in values]
        mesh = self._values.mesh(shardings)
        if mesh is None:
            return
        rule = rule_of(view)
        tensors = [
            _tensor(value, sharding, mapped, rule)
            for value, sharding, mapped in zip(values, shardings, rule.tensors, strict=True)
        ]
        if self._is_full or op.name == _RAGGED_DOT or self._is_odd_concatenate(op, shardings):
            axes = common_axes(rule, tensors, is_reshape=op.name == _RESHAPE)
            self._reshard(
                op, mesh, shardings, [dims_of(each, axes, rule.sizes) for each in tensors]
            )
            self._reduce_results(op, mesh, rule, axes)
            return
        if op.name in DOTS:
            found = result_axes(rule, tensors)
            if found is not None:
                dims = dims_of(tensors[-1], found, rule.sizes)
                self._reshard_result(op, 0, mesh, dims)
        result = self._values.sharding(op.results[0])
        if result is not None and result.unreduced:
            axes = common_axes(rule, tensors, is_reshape=op.name == _RESHAPE)
            self._reduce_results(op, mesh, rule, axes)

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
        dims: Sequence[tuple[Dim, ...]],
    ) -> None:
        count = len(op.operands)
        for number in range(count):
            if _axes(shardings[number]) != [each.axes for each in dims[number]] and (
                shardings[number] is not None or any(each.axes for each in dims[number])
            ):
                has = shardings[number]
                new = Sharding(mesh, dims[number], (), has.unreduced if has is not None else ())
                place = ir.InsertionPoint(op)
                operand = op.operands[number]
                op.operands[number] = self._collectives.reshard(operand, new, place)
        for number in range(len(op.results)):
            has = shardings[count + number]
            wanted = [each.axes for each in dims[count + number]]
            if _axes(has) != wanted and (has is not None or any(wanted)):
                self._reshard_result(op, number, mesh, dims[count + number])

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

    def _reduce_results(
        self, op: ir.Operation, mesh: Mesh, rule: Rule, axes: Sequence[Axes]
    ) -> None:
        """Sum the results over the axes of factors that the op sums over on each device only."""
        first = self._values.sharding(op.results[0])
        unreduced = first.unreduced if first is not None else ()
        summed = [
            axis
            for factor, each in enumerate(axes)
            if rule.kind(factor) == "reduction"
            for axis in each
        ]
        left = self._in_mesh_order(mesh, axes_without(tuple(summed), unreduced))
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


def _axes(sharding: Sharding | None) -> list[Axes] | None:
    return None if sharding is None else [dim.axes for dim in sharding.dims]


def _tensor(value: ir.Value, sharding: Sharding | None, mapped: Mapped, rule: Rule) -> Tensor:
    dims = [Dim((), True)] * len(mapped) if sharding is None else sharding.dims
    shaped = shaped_type(value.type)
    shape = shaped.shape if shaped is not None and shaped.has_rank else []
    return Tensor(project(dims, mapped, rule.sizes), mapped, math.prod(shape))
