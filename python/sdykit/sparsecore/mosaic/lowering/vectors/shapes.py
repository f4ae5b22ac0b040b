"""Ops that only move elements: indices, joins, lanes picked by indices, packed elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import (
    by_lane,
    each,
    element_of,
    flattened,
    is_float,
    permuted,
    picked_lanes,
    reshaped,
    vector,
    with_element,
)
from sdykit.sparsecore.mosaic.types import bits_of
from sdykit.sparsecore.tile.builder.lanes import lanes_of
from sdykit.sparsecore.tile.builder.ops import Builder


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """Return the shape of a vector."""
    return tuple(ir.VectorType(value.type).shape)


def index_along(shape: Sequence[int], dimensions: Sequence[int]) -> list[int]:
    """Return, for each element in row-major order, its index along some dimensions.

    Several dimensions count as one, the last of them fastest.
    """
    indices = np.indices(shape)
    sizes = [shape[d] for d in dimensions]
    along = np.ravel_multi_index([indices[d] for d in dimensions], sizes)
    return np.asarray(along).ravel().tolist()


def index_vector(b: Builder, type_: ir.Type, dimensions: Sequence[int]) -> ir.Value:
    """Return the vector of integers whose elements are their index along some dimensions."""
    vector_type = ir.VectorType(type_)
    numbers = index_along(vector_type.shape, dimensions)
    flat = vector(b, len(numbers), str(vector_type.element_type))
    return reshaped(b, by_lane(b, numbers, flat), type_)


def joined(b: Builder, parts: Sequence[ir.Value], dimension: int, type_: ir.Type) -> ir.Value:
    """Return vectors put together along a dimension."""
    vector_type = ir.VectorType(type_)
    name = str(vector_type.element_type)
    zero = "false" if name == "i1" else 0.0 if is_float(name) else 0
    whole, start = each(b, zero, type_), 0
    for part in parts:
        offsets = [0] * vector_type.rank
        offsets[dimension] = start
        start += shape_of(part)[dimension]
        strides = ", ".join(["1"] * vector_type.rank)
        whole = b.op(
            "vector.insert_strided_slice",
            [part, whole],
            [type_],
            offsets=f"[{', '.join(map(str, offsets))}]",
            strides=f"[{strides}]",
        ).result
    return whole


def picked(
    b: Builder,
    values: ir.Value,
    indices: ir.Value,
    known: np.ndarray | None,
    dimensions: Sequence[int],
) -> ir.Value:
    """Return for each place the element at the place whose index along some dimensions is given.

    Args:
        b: the builder that ops are added with.
        values: a vector.
        indices: integers in the shape of the result, read without a sign, modulo the size.
        known: the indices if they are known when the kernel is compiled.
        dimensions: the dimensions, which count as one, the last of them fastest.
    """
    shape, places = shape_of(values), shape_of(indices)
    sizes = [shape[d] for d in dimensions]
    size, result = int(np.prod(sizes)), b.type(_typed(places, element_of(values)))
    strides = np.array([int(np.prod(shape[d + 1 :])) for d in dimensions])
    moves = np.stack(np.unravel_index(np.arange(size), sizes), axis=-1) @ strides
    others = np.indices(places).copy()
    others[list(dimensions)] = 0
    base = np.tensordot([int(np.prod(shape[d + 1 :])) for d in range(len(shape))], others, axes=1)
    flat = flattened(b, values)
    if known is not None:
        lanes = base + moves[known.view(f"u{known.dtype.itemsize}") % size]
        return reshaped(b, picked_lanes(b, flat, lanes.ravel().tolist()), result)
    lanes = _modulo(b, _as_i32(b, flattened(b, indices)), size)
    if moves.tolist() != list(range(size)):
        table = by_lane(b, moves.tolist(), vector(b, size, "i32"))
        lanes = permuted(b, table, lanes)
    if base.any():
        lanes = b.integers("arith.addi", lanes, by_lane(b, base.ravel().tolist(), lanes.type))
    return reshaped(b, permuted(b, flat, lanes), result)


def _typed(shape: Sequence[int], element: str) -> str:
    return f"vector<{'x'.join(map(str, shape))}x{element}>"


def _as_i32(b: Builder, values: ir.Value) -> ir.Value:
    bits = bits_of(element_of(values))
    if bits == 32:
        return values
    name = "arith.extui" if bits < 32 else "arith.trunci"
    return b.convert(name, values, with_element(b, values, "i32"))


def _modulo(b: Builder, values: ir.Value, size: int) -> ir.Value:
    """Return integers, read without a sign, modulo a size."""
    if size & (size - 1) == 0:
        return b.integers("arith.andi", values, each(b, size - 1, values.type))
    return b.integers("arith.remui", values, each(b, size, values.type))


def packed(
    b: Builder, sources: Sequence[ir.Value], positions: Sequence[int], type_: ir.Type
) -> ir.Value:
    """Return narrowed elements side by side: first those of the first lane, by their positions.

    Floats are rounded to the nearest, ties to even; integers lose their upper bits.

    Args:
        b: the builder that ops are added with.
        sources: vectors of one type; as many as narrow elements are in a wide one.
        positions: the position of each source's element among those of its lane.
        type_: the type of the result.
    """
    name = str(ir.VectorType(type_).element_type)
    convert = "arith.truncf" if is_float(name) else "arith.trunci"
    narrow = [
        flattened(b, b.convert(convert, source, with_element(b, source, name)))
        for source in sources
    ]
    ordered = [narrow[positions.index(at)] for at in range(len(sources))]
    whole, lanes = ordered[0], lanes_of(ordered[0])
    for count, part in enumerate(ordered[1:], start=1):
        whole = _interleaved(b, whole, part, count, lanes)
    return reshaped(b, whole, type_)


def _interleaved(b: Builder, whole: ir.Value, part: ir.Value, count: int, lanes: int) -> ir.Value:
    """Return groups of `count` elements, each followed by an element of another vector."""
    if count > 1:
        # Both operands of a shuffle have one type.
        part = picked_lanes(b, part, [min(lane, lanes - 1) for lane in range(count * lanes)])
    groups = [
        [*range(count * lane, count * lane + count), count * lanes + lane] for lane in range(lanes)
    ]
    return picked_lanes(b, whole, [at for group in groups for at in group], part)


def unpacked(
    b: Builder, values: ir.Value, position: int, type_: ir.Type, *, unsigned: bool
) -> ir.Value:
    """Return the widened elements at one position of each lane's.

    Args:
        b: the builder that ops are added with.
        values: narrow elements side by side.
        position: which of each lane's elements is returned.
        type_: the type of the result.
        unsigned: whether integers are extended by zeros, not by their sign.
    """
    result = ir.VectorType(type_)
    flat, lanes = flattened(b, values), int(np.prod(result.shape))
    count = lanes_of(flat) // lanes
    part = picked_lanes(b, flat, range(position, count * lanes, count))
    name = str(result.element_type)
    extend = "arith.extui" if unsigned else "arith.extsi"
    convert = "arith.extf" if is_float(name) else extend
    return reshaped(b, b.convert(convert, part, vector(b, lanes, name)), type_)
