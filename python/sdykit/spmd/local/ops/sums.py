"""Products and reductions: what devices make of their parts is combined later."""

from __future__ import annotations

from sdykit.core.sdy.rules import REDUCTION
from sdykit.mlir import ir, stablehlo
from sdykit.passes.sdy._propagation.axes import product
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.spmd.local import emit
from sdykit.spmd.local.by_rule import Kind, Step
from sdykit.spmd.local.copies import copy_of
from sdykit.spmd.local.moving import Part


def reductions_of(block: ir.Block, count: int) -> list[str | None]:
    """Return the reduction of each of the values that a body combines in pairs; None for another body."""
    arguments = list(block.arguments)
    returned = list(block.operations)[-1].operands
    return [
        _reduction(value, {arguments[number], arguments[number + count]})
        for number, value in enumerate(returned)
    ]


def _reduction(value: ir.Value, pair: set[ir.Value]) -> str | None:
    if not isinstance(value, ir.OpResult):
        return None
    op = value.owner.operation
    is_known = op.name in emit.REDUCTIONS and set(op.operands) == pair
    return op.name if is_known else None


def _sum(op: ir.Operation) -> list[str | None]:
    return [emit.ADD]


def _of_body(op: ir.Operation) -> list[str | None]:
    return reductions_of(op.regions[0].blocks[0], len(op.results))


def is_padded(step: Step, factor: int) -> bool:
    """Return whether the parts have padding along a factor."""
    rule = step.division.rule
    return bool(rule.sizes[factor] % product(step.division.axes[factor]))


def cleaned(step: Step, number: int, reduction: str) -> ir.Value:
    """Return an operand whose padding along factors that are reduced changes nothing."""
    part, rule = step.operands[number], step.division.rule
    value = part.value
    for dim, factors in enumerate(rule.operands[number]):
        for factor in factors:
            if rule.kind(factor) == REDUCTION and is_padded(step, factor):
                value = _cleaned_dim(value, part, dim, reduction)
    return value


def _cleaned_dim(value: ir.Value, part: Part, dim: int, reduction: str) -> ir.Value:
    shape = emit.shape_of(value)
    indices = part.layout.indices(dim)
    left = emit.by_device([part.shape[dim] - index * shape[dim] for index in indices])
    count = emit.iota(emit.tensor([shape[dim]], emit.element_of(left)), 0)
    is_there = emit.compare("LT", count, emit.broadcast(left, [shape[dim]], []))
    predicate = emit.broadcast(is_there, shape, [dim])
    return emit.select(predicate, value, emit.neutral(reduction, value.type))


def _dot(step: Step) -> list[ir.Value]:
    operands = [cleaned(step, number, emit.ADD) for number in range(2)]
    return copy_of(step.op, operands, step.types)


def only_once(step: Step, value: ir.Value, reduction: str) -> ir.Value:
    """Return a value on the first devices along the axes that are reduced, and elsewhere what changes nothing."""
    axes = step.division.reduced
    if not axes or reduction not in (emit.ADD, emit.MULTIPLY):
        return value  # Twice the maximum of a value is the value.
    assert step.division.mesh is not None
    index = emit.by_device(step.division.mesh.indices(axes))
    is_first = emit.compare("EQ", index, emit.constant(0))
    predicate = emit.broadcast(is_first, emit.shape_of(value), [])
    return emit.select(predicate, value, emit.neutral(reduction, value.type))


def _reduce(step: Step) -> list[ir.Value]:
    """Reduce the parts; what the reduction begins with counts once."""
    count = len(step.op.results)
    values = [each.value for each in step.operands]
    for number, reduction in enumerate(_of_body(step.op)):
        if reduction is not None:
            values[number] = cleaned(step, number, reduction)
            values[count + number] = only_once(step, values[count + number], reduction)
    return copy_of(step.op, values, step.types)


def _may_pad(op: ir.Operation, rule: Rule, factor: int) -> bool:
    return True


def _is_batch_or_feature(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether a convolution can be run on parts along a factor: not along windows, nor groups."""
    names = ("batch_group_count", "feature_group_count")
    if any(ir.IntegerAttr(op.attributes[name]).value != 1 for name in names):
        return False
    numbers = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    spatial = (numbers.input_spatial_dimensions, numbers.kernel_spatial_dimensions)
    return not any(
        factor in mapped[dim]
        for mapped, dims in zip(rule.operands, spatial, strict=True)
        for dim in dims
    )


DOT = Kind(_dot, may_pad=_may_pad, reductions=_sum)
REDUCE = Kind(_reduce, may_pad=_may_pad, reductions=_of_body)
CONVOLUTION = Kind(allowed=_is_batch_or_feature, reductions=_sum)
