"""Collectives of StableHLO between replicas; each function returns the value that it made."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.spmd.local import emit

Groups = Sequence[Sequence[int]]
"""The devices of each group."""


def all_gather(value: ir.Value, dim: int, groups: Groups) -> ir.Value:
    """Put the tensors of each group together along a dimension."""
    shape = list(emit.shape_of(value))
    shape[dim] *= len(groups[0])
    attributes = {"all_gather_dim": emit.integer(dim), "replica_groups": _groups(groups)}
    return emit.make(
        "stablehlo.all_gather", emit.tensor(shape, emit.element_of(value)), [value], attributes
    )


def all_reduce(value: ir.Value, groups: Groups, reduction: str) -> ir.Value:
    """Combine the tensors of each group."""
    result = emit.make(
        "stablehlo.all_reduce", value.type, [value], {"replica_groups": _groups(groups)}, regions=1
    )
    _add_body(result, reduction)
    return result


def reduce_scatter(value: ir.Value, dim: int, groups: Groups, reduction: str) -> ir.Value:
    """Combine the tensors of each group; each device keeps its part along a dimension."""
    shape = list(emit.shape_of(value))
    shape[dim] //= len(groups[0])
    attributes = {"scatter_dimension": emit.integer(dim), "replica_groups": _groups(groups)}
    result_type = emit.tensor(shape, emit.element_of(value))
    result = emit.make("stablehlo.reduce_scatter", result_type, [value], attributes, regions=1)
    _add_body(result, reduction)
    return result


def all_to_all(value: ir.Value, split_dim: int, joined_dim: int, groups: Groups) -> ir.Value:
    """Split tensors along a dimension, exchange the parts in each group, join them along another one."""
    shape = list(emit.shape_of(value))
    count = len(groups[0])
    shape[split_dim] //= count
    shape[joined_dim] *= count
    attributes = {
        "split_dimension": emit.integer(split_dim),
        "concat_dimension": emit.integer(joined_dim),
        "split_count": emit.integer(count),
        "replica_groups": _groups(groups),
    }
    return emit.make(
        "stablehlo.all_to_all", emit.tensor(shape, emit.element_of(value)), [value], attributes
    )


def collective_permute(value: ir.Value, pairs: Groups) -> ir.Value:
    """Send each tensor from the first device of a pair to the second one."""
    return emit.make(
        "stablehlo.collective_permute", value.type, [value], {"source_target_pairs": _groups(pairs)}
    )


def _groups(groups: Groups) -> ir.Attribute:
    return emit.dense(groups)


def _add_body(result: ir.Value, reduction: str) -> None:
    element = emit.element_of(result)
    scalar = emit.tensor((), element)
    if str(element) == "i1":  # Sums and products of booleans, as StableHLO has them.
        reduction = {
            emit.ADD: emit.OR,
            emit.MAXIMUM: emit.OR,
            emit.MULTIPLY: emit.AND,
            emit.MINIMUM: emit.AND,
        }.get(reduction, reduction)
    location = ir.Location.unknown(result.context)
    region = ir.OpResult(result).owner.operation.regions[0]
    block = region.blocks.append(scalar, scalar, arg_locs=[location, location])
    with ir.InsertionPoint(block):
        value = emit.make(reduction, scalar, list(block.arguments))
        ir.Operation.create("stablehlo.return", operands=[value])
