"""Gathers and scatters: along a dimension that indices go into, each device does what is in its part."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.sdy.rules import REDUCTION
from sdykit.mlir import ir, stablehlo
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.spmd.local import emit
from sdykit.spmd.local.by_rule import Kind, Step, copied
from sdykit.spmd.local.copies import copy_of
from sdykit.spmd.local.moving import starts_of
from sdykit.spmd.local.ops.sums import only_once, reductions_of


def _gather_numbers(op: ir.Operation) -> stablehlo.GatherDimensionNumbers:
    return stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])


def _scatter_numbers(op: ir.Operation) -> stablehlo.ScatterDimensionNumbers:
    return stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])


def _gather(step: Step) -> list[ir.Value]:
    """Gather from the part of the operand, and put zeros where another device has the element."""
    numbers, op = _gather_numbers(step.op), step.op
    operand, indices = step.operands
    sizes = list(ir.DenseI64ArrayAttr(op.attributes["slice_sizes"]))
    here = list(emit.shape_of(operand.value))
    reduced = []
    for dim, factors in enumerate(step.division.rule.operands[0]):
        if not step.axes(0, dim):
            continue
        if step.division.rule.kind(factors[0]) == REDUCTION:
            reduced.append(dim)
        elif sizes[dim] == operand.shape[dim]:  # Not of a batch, of which a slice has one element.
            sizes[dim] = here[dim]
    attributes = {"slice_sizes": emit.integers(sizes)}
    if not reduced:
        return copied(step, attributes)
    starts = starts_of(operand.layout, here)
    value = emit.convert(indices.value, ir.IntegerType.get_signless(64))
    is_here: ir.Value | None = None
    for dim in reduced:
        at = list(numbers.start_index_map).index(dim)
        place = (numbers.index_vector_dim, at)
        value, inside = _local(value, place, starts[dim], operand.shape[dim], here[dim])
        is_here = inside if is_here is None else emit.binary(emit.AND, is_here, inside)
    assert is_here is not None
    (result,) = copy_of(op, [operand.value, value], step.types, attributes)
    return [_masked(result, is_here, numbers.offset_dims)]


def _local(
    indices: ir.Value, place: tuple[int, int], start: ir.Value, size: int, here: int
) -> tuple[ir.Value, ir.Value]:
    """Return indices of which one component counts from the start of the part, and where it is in it.

    `place` is the dimension of the index vectors, and the component. It is clamped to the whole dimension
    before, as gathers do.
    """
    vector_dim, at = place
    column = _component(indices, vector_dim, at)
    shape = emit.shape_of(column)

    def repeated(value: ir.Value) -> ir.Value:
        return emit.broadcast(value, shape, [])

    column = emit.binary(emit.MAXIMUM, column, repeated(emit.constant(0)))
    column = emit.binary(emit.MINIMUM, column, repeated(emit.constant(size - 1)))
    column = emit.binary("stablehlo.subtract", column, repeated(start))
    inside = emit.binary(
        emit.AND,
        emit.compare("GE", column, repeated(emit.constant(0))),
        emit.compare("LT", column, repeated(emit.constant(here))),
    )
    batch = [each for dim, each in enumerate(shape) if dim != vector_dim]
    inside = _reshaped(inside, batch)
    return _with_component(indices, vector_dim, at, column), inside


def _component(indices: ir.Value, vector_dim: int, at: int) -> ir.Value:
    """Return one component of indices, whose index vector has one element then."""
    shape = list(emit.shape_of(indices))
    if vector_dim == len(shape):
        return indices
    starts, limits = [0] * len(shape), list(shape)
    starts[vector_dim], limits[vector_dim] = at, at + 1
    bounds = {
        "start_indices": emit.integers(starts),
        "limit_indices": emit.integers(limits),
        "strides": emit.integers([1] * len(shape)),
    }
    shape[vector_dim] = 1
    result = emit.tensor(shape, emit.element_of(indices))
    return emit.make("stablehlo.slice", result, [indices], bounds)


def _with_component(indices: ir.Value, vector_dim: int, at: int, column: ir.Value) -> ir.Value:
    shape = emit.shape_of(indices)
    if vector_dim == len(shape):
        return column
    starts = [emit.constant(at if dim == vector_dim else 0) for dim in range(len(shape))]
    return emit.make("stablehlo.dynamic_update_slice", indices.type, [indices, column, *starts])


def _reshaped(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    if emit.shape_of(value) == tuple(shape):
        return value
    return emit.make("stablehlo.reshape", emit.tensor(shape, emit.element_of(value)), [value])


def _masked(result: ir.Value, is_here: ir.Value, offset_dims: Sequence[int]) -> ir.Value:
    shape = emit.shape_of(result)
    batch = [dim for dim in range(len(shape)) if dim not in offset_dims]
    predicate = emit.broadcast(is_here, shape, batch)
    return emit.select(predicate, result, emit.zeros(result.type))


def _may_gather(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether indices go into a dimension that is divided, if they collapse it."""
    if rule.kind(factor) != REDUCTION:
        return True
    dim = next(dim for dim, factors in enumerate(rule.operands[0]) if factor in factors)
    return dim in list(_gather_numbers(op).start_index_map)


def _scatter(step: Step) -> list[ir.Value]:
    """Scatter into the part of the input; indices outside of it do nothing."""
    numbers, op = _scatter_numbers(step.op), step.op
    count = len(op.results)
    values = [each.value for each in step.operands]
    attributes: dict[str, ir.Attribute] = {}
    dims = [
        d for d in range(len(step.operands[0].shape)) if d not in list(numbers.input_batching_dims)
    ]
    if dims and not numbers.scattered_dims_to_operand_dims:
        values[count] = _zeros_in_place_of(values[count], numbers.index_vector_dim)
        attributes["scatter_dimension_numbers"] = _into(numbers, dims[0])
    inserted = [dim for dim in numbers.inserted_window_dims if step.axes(0, dim)]
    if inserted:
        starts = starts_of(step.operands[0].layout, emit.shape_of(values[0]))
        indices = emit.convert(values[count], ir.IntegerType.get_signless(64))
        for dim in inserted:
            at = list(numbers.scattered_dims_to_operand_dims).index(dim)
            column = _component(indices, numbers.index_vector_dim, at)
            start = emit.broadcast(starts[dim], emit.shape_of(column), [])
            column = emit.binary("stablehlo.subtract", column, start)
            indices = _with_component(indices, numbers.index_vector_dim, at, column)
        values[count] = indices
    for number, reduction in enumerate(_of_body(op)):
        if reduction is not None:
            values[number] = only_once(step, values[number], reduction)
    return copy_of(op, values, step.types, attributes)


def _zeros_in_place_of(indices: ir.Value, vector_dim: int) -> ir.Value:
    """Return index vectors of one 0 for empty ones.

    Of scatters with empty ones, whose updates all go to the start, XLA's CPU compiler takes only one
    update into account if windows have one element.
    """
    shape = list(emit.shape_of(indices))
    shape[vector_dim] = 1
    return emit.zeros(emit.tensor(shape, emit.element_of(indices)))


def _into(numbers: stablehlo.ScatterDimensionNumbers, dim: int) -> ir.Attribute:
    """Return the numbers of a scatter whose indices go into a dimension."""
    return stablehlo.ScatterDimensionNumbers.get(
        numbers.update_window_dims,
        numbers.inserted_window_dims,
        numbers.input_batching_dims,
        numbers.scatter_indices_batching_dims,
        [dim],
        numbers.index_vector_dim,
    )


def _of_body(op: ir.Operation) -> list[str | None]:
    return reductions_of(op.regions[0].blocks[0], len(op.results))


def _may_scatter(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether indices go into a dimension that is divided, if it is inserted."""
    numbers = _scatter_numbers(op)
    dims = [dim for dim, factors in enumerate(rule.operands[0]) if factor in factors]
    return not any(
        dim in list(numbers.inserted_window_dims)
        and dim not in list(numbers.scattered_dims_to_operand_dims)
        for dim in dims
    )


def _may_pad_scatter(op: ir.Operation, rule: Rule, factor: int) -> bool:
    """Return whether padding is scattered nowhere: what is in updates is scattered."""
    return any(factor in factors for factors in rule.operands[0])


GATHER = Kind(
    _gather, _may_gather, may_pad=lambda op, rule, factor: True, reductions=lambda op: [emit.ADD]
)
SCATTER = Kind(_scatter, _may_scatter, _may_pad_scatter, _of_body)
