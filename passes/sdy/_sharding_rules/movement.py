"""Rules of ops that move elements: broadcasts, slices, concatenations and so on."""

from __future__ import annotations

from sdykit.core.sdy.rules import (
    NEED_REPLICATION,
    PASS_THROUGH,
    PERMUTATION,
    RuleBuilder,
)
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules.table import integer, integers, rule

_SLICE = "stablehlo.slice"
_CONSTANTS = ("sdy.constant", "stablehlo.constant")


@rule("stablehlo.broadcast_in_dim", reads=["broadcast_dimensions"])
def broadcast_in_dim(op: ir.Operation, rule: RuleBuilder) -> None:
    operand = rule.operands[0]
    mapped = {to: dim for dim, to in enumerate(integers(op, "broadcast_dimensions"))}
    for dim, size in enumerate(rule.results[0]):
        source = mapped.get(dim)
        if source is not None and operand[source] == 1 != size:
            rule.add([source], [None], 1)
            source = None
        rule.add([source], [dim], size)


@rule("stablehlo.transpose", reads=["permutation"])
def transpose(op: ir.Operation, rule: RuleBuilder) -> None:
    for dim, source in enumerate(integers(op, "permutation")):
        rule.add([source], [dim], rule.results[0][dim])


@rule(_SLICE, "stablehlo.pad")
def slice_or_pad(op: ir.Operation, rule: RuleBuilder) -> None:
    """A dimension that changes keeps its devices, which exchange elements at the borders."""
    for dim, (size, after) in enumerate(zip(rule.operands[0], rule.results[0], strict=True)):
        if size == after:
            rule.same(dim, size)
        else:
            rule.same(dim, size, PERMUTATION, blocked=rule.conservative)


@rule("stablehlo.dynamic_slice")
def dynamic_slice(op: ir.Operation, rule: RuleBuilder) -> None:
    """A dimension that is cut must be whole: where it is cut is not known."""
    for dim, (size, after) in enumerate(zip(rule.operands[0], rule.results[0], strict=True)):
        if size == after:
            rule.same(dim, size)
        else:
            rule.same(dim, size, NEED_REPLICATION, blocked=True)


def _has_constant_starts(op: ir.Operation) -> bool:
    makers = [_maker(start) for start in list(op.operands)[2:]]
    return all(maker is not None and maker.name in _CONSTANTS for maker in makers)


@rule("stablehlo.dynamic_update_slice", facts=_has_constant_starts)
def dynamic_update_slice(op: ir.Operation, rule: RuleBuilder) -> None:
    operand, update, *starts = rule.operands
    none = [None] * len(starts)
    kind = PASS_THROUGH if _has_constant_starts(op) else NEED_REPLICATION
    for dim, (size, part) in enumerate(zip(operand, update, strict=True)):
        if size == part:
            rule.same(dim, size)
            continue
        rule.add([dim, None, *none], [dim], size)
        rule.add([None, dim, *none], [None], part, kind)


def _maker(value: ir.Value) -> ir.Operation | None:
    return value.owner.operation if isinstance(value, ir.OpResult) else None


def _joins_slices(op: ir.Operation) -> bool:
    """Return whether a concatenation puts slices together: of any values, or with all of one."""
    makers = [_maker(operand) for operand in op.operands]
    slices = [maker for maker in makers if maker is not None and maker.name == _SLICE]
    if len(slices) == len(makers):
        return True
    wholes = {
        maker.operands[0] if maker is not None and maker.name == _SLICE else operand
        for maker, operand in zip(makers, op.operands, strict=True)
    }
    return bool(slices) and len(wholes) == 1


@rule("stablehlo.concatenate", reads=["dimension"], facts=_joins_slices)
def concatenate(op: ir.Operation, rule: RuleBuilder) -> None:
    joined = integer(op, "dimension")
    for dim, size in enumerate(rule.results[0]):
        if dim != joined:
            rule.same(dim, size)
        elif not rule.conservative:
            rule.same(dim, size, PERMUTATION if _joins_slices(op) else NEED_REPLICATION)


@rule("stablehlo.reverse", reads=["dimensions"])
def reverse(op: ir.Operation, rule: RuleBuilder) -> None:
    reversed_dims = integers(op, "dimensions")
    for dim, size in enumerate(rule.results[0]):
        rule.same(dim, size, PERMUTATION if dim in reversed_dims else PASS_THROUGH)


@rule("stablehlo.sort", reads=["dimension"])
def sort(op: ir.Operation, rule: RuleBuilder) -> None:
    sorted_dim, shape = integer(op, "dimension"), rule.results[0]
    others = [size for dim, size in enumerate(shape) if dim != sorted_dim]
    for dim, size in enumerate(shape):
        if dim == sorted_dim:
            rule.same(dim, size, NEED_REPLICATION, blocked=all(other == 1 for other in others))
        else:
            rule.same(dim, size)


@rule("stablehlo.bitcast_convert")
def bitcast_convert(op: ir.Operation, rule: RuleBuilder) -> None:
    """Where the widths of the elements differ, the narrow one has one more dimension, the last."""
    (operand,), (result,) = rule.operands, rule.results
    rule.pointwise(operand if len(operand) < len(result) else result)
    if len(operand) < len(result):
        rule.add([None], [len(operand)], result[-1], NEED_REPLICATION)
    elif len(operand) > len(result):
        rule.add([len(result)], [None], operand[-1], NEED_REPLICATION)
