"""Rules of ops with windows and of decompositions."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.sdy.rules import (
    NEED_REPLICATION,
    PASS_THROUGH,
    PERMUTATION,
    RuleBuilder,
)
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules.table import integer, rule

_WINDOWS = ("window_dimensions", "window_strides", "padding")


def _moving_windows(op: ir.Operation, rank: int) -> Sequence[bool]:
    """Return for each dimension whether its windows hold more than one element, in its place."""
    sizes, strides = (_numbers(op, name) or [1] * rank for name in _WINDOWS[:2])
    padding = _padding(op) or [0] * (2 * rank)
    return [
        (size, stride, low, high) != (1, 1, 0, 0)
        for size, stride, low, high in zip(sizes, strides, padding[::2], padding[1::2], strict=True)
    ]


def _numbers(op: ir.Operation, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(op.attributes[name])) if name in op.attributes else []


def _padding(op: ir.Operation) -> list[int]:
    """Return the padding before and after each dimension, in turn; [] if there is none."""
    if "padding" not in op.attributes:
        return []
    elements = ir.DenseIntElementsAttr(op.attributes["padding"])
    return [elements[number] for number in range(len(elements))]


@rule("stablehlo.reduce_window", reads=_WINDOWS)
def reduce_window(op: ir.Operation, rule: RuleBuilder) -> None:
    moving = _moving_windows(op, len(rule.results[0]))
    for dim, size in enumerate(rule.results[0]):
        if moving[dim]:
            rule.same(dim, size, PERMUTATION, blocked=rule.conservative)
        else:
            rule.same(dim, size)


@rule("stablehlo.select_and_scatter", reads=_WINDOWS)
def select_and_scatter(op: ir.Operation, rule: RuleBuilder) -> None:
    operand, source, _ = rule.operands
    moving = _moving_windows(op, len(operand))
    for dim, (size, part) in enumerate(zip(operand, source, strict=True)):
        if not moving[dim]:
            rule.same(dim, size)
            continue
        blocked = rule.conservative
        rule.add([None, dim, None], [None], part, NEED_REPLICATION, blocked=blocked)
        rule.add([dim, None, None], [dim], size, PERMUTATION, blocked=blocked)


@rule("stablehlo.batch_norm_inference", reads=["feature_index"])
def batch_norm_inference(op: ir.Operation, rule: RuleBuilder) -> None:
    feature = integer(op, "feature_index")
    for dim, size in enumerate(rule.results[0]):
        statistics = 0 if dim == feature else None
        rule.add([dim, *[statistics] * 4], [dim], size)


@rule("stablehlo.cholesky")
def cholesky(op: ir.Operation, rule: RuleBuilder) -> None:
    batch = len(rule.results[0]) - 2
    for dim, size in enumerate(rule.results[0]):
        rule.same(dim, size, PASS_THROUGH if dim < batch else NEED_REPLICATION)


@rule("stablehlo.triangular_solve", reads=["left_side", "transpose_a"])
def triangular_solve(op: ir.Operation, rule: RuleBuilder) -> None:
    a, b = rule.operands
    rows, columns = len(b) - 2, len(b) - 1
    is_left = ir.BoolAttr(op.attributes["left_side"]).value
    is_transposed = "NO_TRANSPOSE" not in str(op.attributes["transpose_a"])
    for dim in range(rows):
        rule.same(dim, b[dim])
    # The dimension of b, and of the result, that is solved for.
    solved, other = (rows, columns) if is_left else (columns, rows)
    free, summed = (columns, rows) if is_left is is_transposed else (rows, columns)
    if not is_left:
        rule.add([None, other], [other], b[other], NEED_REPLICATION)
    rule.add([free, solved], [None], a[free], NEED_REPLICATION)
    if is_left:
        rule.add([None, other], [other], b[other], NEED_REPLICATION)
    rule.add([summed, None], [solved], a[summed], NEED_REPLICATION)


@rule("stablehlo.fft", reads=["fft_length"])
def fft(op: ir.Operation, rule: RuleBuilder) -> None:
    (operand,), (result,) = rule.operands, rule.results
    batch = len(operand) - len(ir.DenseI64ArrayAttr(op.attributes["fft_length"]))
    for dim, size in enumerate(operand):
        if dim < batch:
            rule.same(dim, size)
        else:
            rule.same(dim, size, NEED_REPLICATION, blocked=size != result[dim])


@rule("stablehlo.rng_bit_generator")
def rng_bit_generator(op: ir.Operation, rule: RuleBuilder) -> None:
    (state,) = rule.operands
    for dim, size in enumerate(state):
        rule.add([dim], [dim, None], size, NEED_REPLICATION, blocked=True)
    for dim, size in enumerate(rule.results[1]):
        rule.add([None], [None, dim], size)
