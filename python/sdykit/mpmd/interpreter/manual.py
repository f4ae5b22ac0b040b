"""`sdy.manual_computation` on one device: a copy of its body for every place on the manual axes.

Each copy gets the slices that its device would hold, and the results of the copies are
concatenated. This is exact as long as the copies do not communicate.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.mpmd.clone import Values, clone_with
from sdykit.mpmd.errors import fail_at
from sdykit.mpmd.program import Program

Place = dict[str, int]
"""The place of a device: its coordinate on each manual axis."""


def expand_manual_computation(program: Program, op: ir.Operation) -> list[ir.Value]:
    """Insert the copies of the body before a manual computation; return its result values.

    Raises:
        ExecutionError: its mesh is unknown, or a value is unreduced along a manual axis.
    """
    operand_shardings = _shardings(op, "in_shardings")
    result_shardings = _shardings(op, "out_shardings")
    manual = sdy.ManualAxesAttr.of(op.attributes["manual_axes"]).value
    mesh = _mesh(program, op, [*operand_shardings, *result_shardings])
    _check_not_unreduced(op, "operand", operand_shardings, manual)
    _check_not_unreduced(op, "result", result_shardings, manual)
    parts: list[tuple[Place, list[ir.Value]]] = []
    with ir.InsertionPoint(op):
        for coordinates in itertools.product(*(range(mesh.axis_size(axis)) for axis in manual)):
            place = dict(zip(manual, coordinates, strict=True))
            slices = [
                _slice(operand, argument.type, _indices(sharding, mesh, place))
                for operand, argument, sharding in zip(
                    op.operands, op.regions[0].blocks[0].arguments, operand_shardings, strict=True
                )
            ]
            parts.append((place, _copy_body(op, slices)))
        return [
            _join(sharding, mesh, [(place, values[index]) for place, values in parts])
            for index, sharding in enumerate(result_shardings)
        ]


def _copy_body(op: ir.Operation, arguments: Sequence[ir.Value]) -> list[ir.Value]:
    """Copy the body to the insertion point, and return the values that it returns."""
    block = op.regions[0].blocks[0]
    values: Values = dict(zip(block.arguments, arguments, strict=True))
    *inner, terminator = [each.operation for each in block.operations]
    for each in inner:
        clone_with(each, values)
    return [values[value] for value in terminator.operands]


def _shardings(op: ir.Operation, name: str) -> Sequence[sdy.TensorShardingAttr]:
    return sdy.TensorShardingPerValueAttr.of(op.attributes[name]).shardings


def _check_not_unreduced(
    op: ir.Operation, what: str, shardings: Sequence[sdy.TensorShardingAttr], manual: Sequence[str]
) -> None:
    for index, sharding in enumerate(shardings):
        if any(axis.name in manual for axis in sharding.unreduced_axes):
            fail_at(op, f"{what} #{index} is unreduced along a manual axis: {sharding}")


def _mesh(
    program: Program, op: ir.Operation, shardings: Sequence[sdy.TensorShardingAttr]
) -> sdy.MeshAttr:
    """Return the mesh, the same in all shardings; an empty one without shardings."""
    if not shardings:
        return sdy.MeshAttr(())
    return program.mesh(shardings[0].mesh_or_ref, op)


def _part(
    dimension: sdy.DimensionShardingAttr, mesh: sdy.MeshAttr, place: Place
) -> tuple[int, int]:
    """Return the index of the part of a dimension that a place holds, and the number of parts."""
    index, count = 0, 1
    for axis in dimension.axes:
        if axis.name not in place:
            continue  # A free axis: the body sees the whole dimension.
        part, size = axis.sub_axis_info, axis.size_in(mesh)
        minor = 1 if part is None else mesh.axis_size(axis.name) // (part.pre_size * part.size)
        index = index * size + place[axis.name] // minor % size
        count *= size
    return index, count


def _indices(sharding: sdy.TensorShardingAttr, mesh: sdy.MeshAttr, place: Place) -> tuple[int, ...]:
    """Return for each dimension the index of the part that a place holds."""
    return tuple(_part(dimension, mesh, place)[0] for dimension in sharding.dim_shardings)


def _slice(value: ir.Value, part_type: ir.Type, indices: Sequence[int]) -> ir.Value:
    shape = ir.RankedTensorType(part_type).shape
    starts = [index * size for index, size in zip(indices, shape, strict=True)]
    limits = [start + size for start, size in zip(starts, shape, strict=True)]
    bounds = {"start_indices": starts, "limit_indices": limits, "strides": [1] * len(shape)}
    attributes: dict[str, ir.Attribute] = {
        name: ir.DenseI64ArrayAttr.get(each) for name, each in bounds.items()
    }
    return ir.Operation.create("stablehlo.slice", [part_type], [value], attributes).result


def _join(
    sharding: sdy.TensorShardingAttr,
    mesh: sdy.MeshAttr,
    parts: Sequence[tuple[Place, ir.Value]],
) -> ir.Value:
    """Concatenate the parts of a result; places with equal indices hold copies of one part."""
    by_index: dict[tuple[int, ...], ir.Value] = {}
    for place, value in parts:
        by_index.setdefault(_indices(sharding, mesh, place), value)
    place = parts[0][0]
    counts = [_part(dimension, mesh, place)[1] for dimension in sharding.dim_shardings]

    def join(index: tuple[int, ...]) -> ir.Value:
        at = len(index)
        if at == len(counts):
            return by_index[index]
        pieces = [join((*index, number)) for number in range(counts[at])]
        return pieces[0] if len(pieces) == 1 else _concatenate(pieces, at)

    return join(())


def _concatenate(values: Sequence[ir.Value], dimension: int) -> ir.Value:
    first = ir.RankedTensorType(values[0].type)
    shape = list(first.shape)
    shape[dimension] *= len(values)
    result_type = ir.RankedTensorType.get(shape, first.element_type)
    attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dimension)
    return ir.Operation.create(
        "stablehlo.concatenate", [result_type], list(values), {"dimension": attribute}
    ).result
