"""Rules of products, reductions and convolutions: what is summed over is a reduction factor."""

from __future__ import annotations

from sdykit.core.sdy.rules import PERMUTATION, REDUCTION, RuleBuilder
from sdykit.mlir import ir, stablehlo
from sdykit.passes.sdy._sharding_rules.table import integer, integers, rule


@rule("stablehlo.dot_general", reads=["dot_dimension_numbers"])
def dot_general(op: ir.Operation, rule: RuleBuilder) -> None:
    numbers = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
    batch = list(zip(numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions, strict=True))
    summed = list(
        zip(numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions, strict=True)
    )
    lhs, rhs = rule.operands
    taken_of_lhs, taken_of_rhs = ({pair[side] for pair in batch + summed} for side in (0, 1))
    kept = [(dim, None) for dim in range(len(lhs)) if dim not in taken_of_lhs]
    kept_of_rhs = [(None, dim) for dim in range(len(rhs)) if dim not in taken_of_rhs]
    for number, dims in enumerate([*batch, *kept, *kept_of_rhs]):
        rule.add(dims, [number], rule.results[0][number])
    for dims in summed:
        rule.add(dims, [None], lhs[dims[0]], REDUCTION)


@rule("stablehlo.dot")
def dot(op: ir.Operation, rule: RuleBuilder) -> None:
    lhs, rhs = rule.operands
    is_matrix = len(lhs) == 2
    if is_matrix:
        rule.add([0, None], [0], lhs[0])
    if len(rhs) == 2:
        rule.add([None, 1], [1 if is_matrix else 0], rhs[1])
    rule.add([len(lhs) - 1, 0], [None], rhs[0], REDUCTION)


@rule("stablehlo.reduce", reads=["dimensions"])
def reduce(op: ir.Operation, rule: RuleBuilder) -> None:
    reduced = integers(op, "dimensions")
    count = len(rule.operands) // 2
    inits, results = [None] * count, [None] * count
    kept = 0
    for dim, size in enumerate(rule.operands[0]):
        if dim in reduced:
            rule.add([*[dim] * count, *inits], results, size, REDUCTION)
        else:
            rule.add([*[dim] * count, *inits], [kept] * count, size)
            kept += 1


@rule(
    "stablehlo.convolution", reads=["dimension_numbers", "batch_group_count", "feature_group_count"]
)
def convolution(op: ir.Operation, rule: RuleBuilder) -> None:
    numbers = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    batch_groups, feature_groups = (
        integer(op, "batch_group_count"),
        integer(op, "feature_group_count"),
    )
    (_, rhs), (result,) = rule.operands, rule.results
    batch, feature = numbers.input_batch_dimension, numbers.input_feature_dimension
    out, features = numbers.output_batch_dimension, numbers.output_feature_dimension
    kernel_in, kernel_out = (
        numbers.kernel_input_feature_dimension,
        numbers.kernel_output_feature_dimension,
    )
    if batch_groups > 1:
        rule.add([batch, kernel_out], [features], batch_groups)
    rule.add([batch, None], [out], result[out])
    if not rule.conservative:
        dims = (
            numbers.input_spatial_dimensions,
            numbers.kernel_spatial_dimensions,
            numbers.output_spatial_dimensions,
        )
        for each in zip(*dims, strict=True):
            _add_windows(rule, *each)
    if feature_groups > 1:
        rule.add([feature, kernel_out], [features], feature_groups)
    rule.add([feature, kernel_in], [None], rhs[kernel_in], REDUCTION)
    rest = result[features] // (batch_groups * feature_groups)
    if rest > 1:
        rule.add([None, kernel_out], [features], rest)


def _add_windows(rule: RuleBuilder, lhs: int, rhs: int, result: int) -> None:
    """Add the number of windows of a spatial dimension, and their size; the bigger one is the major."""
    (_, kernel), (output,) = rule.operands, rule.results
    windows, window = output[result], kernel[rhs]
    left = rule.operands[0][lhs]
    for is_count in (True, False) if windows >= window else (False, True):
        size = min(left, windows if is_count else window)
        if size <= 1:
            continue
        if is_count:
            rule.add([lhs, None], [result], size, PERMUTATION)
        else:
            rule.add([lhs, rhs], [None], size, REDUCTION)
        left //= size
