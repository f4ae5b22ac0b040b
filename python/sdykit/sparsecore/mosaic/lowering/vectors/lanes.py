"""What the lowerings of vector ops share: elements by lane, and masks as the bits of an integer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.types import bits_of
from sdykit.sparsecore.tile.builder.lanes import lanes_of, shuffled
from sdykit.sparsecore.tile.builder.ops import Builder

MAX_MASK_LANES = 64
"""The lanes of a mask that fits into an integer."""
DYNAMIC = f"array<i64: {ir.ShapedType.get_dynamic_size()}>"
"""The attribute of a `vector.extract` at a lane that is known when the program runs."""


def element_of(value: ir.Value) -> str:
    """Return the name of a vector's element type, such as "f32"."""
    return str(ir.VectorType(value.type).element_type)


def is_float(element: str) -> bool:
    """Return whether an element type, given by its name, is a float."""
    return element[0] in "bf"


def is_narrow_float(element: str) -> bool:
    """Return whether an element type is a float that is computed in float32."""
    return is_float(element) and bits_of(element) < 32


def vector(b: Builder, lanes: int, element: str) -> ir.Type:
    """Return the type of a vector with one dimension."""
    return b.type(f"vector<{lanes}x{element}>")


def with_element(b: Builder, value: ir.Value, element: str) -> ir.Type:
    """Return the type of a vector of the same shape with other elements."""
    return b.with_element(value.type, element)


def each(b: Builder, number: int | float | str, type_: ir.Type) -> ir.Value:
    """Return a constant vector with the same number in each lane; floats may be given by bits."""
    return b.constant(f"dense<{number}>", type_)


def by_lane(b: Builder, numbers: Sequence[int | bool], type_: ir.Type) -> ir.Value:
    """Return a constant vector with one dimension, from a number for each lane."""
    items = ", ".join(str(number).lower() for number in numbers)
    return b.constant(f"dense<[{items}]>", type_)


def flattened(b: Builder, value: ir.Value) -> ir.Value:
    """Return the elements of a vector as one with one dimension."""
    type_ = ir.VectorType(value.type)
    if type_.rank == 1:
        return value
    return reshaped(b, value, ir.VectorType.get([count_of(value)], type_.element_type))


def reshaped(b: Builder, value: ir.Value, type_: ir.Type) -> ir.Value:
    """Return the elements of a vector in another shape."""
    return value if value.type == type_ else b.op("vector.shape_cast", [value], [type_]).result


def count_of(value: ir.Value) -> int:
    """Return the number of elements of a vector of any shape."""
    return math.prod(ir.VectorType(value.type).shape)


def elements(b: Builder, values: ir.Value) -> list[ir.Value]:
    """Return the elements of a vector with one dimension as scalars."""
    return [element(b, values, lane) for lane in range(lanes_of(values))]


def element(b: Builder, values: ir.Value, lane: int) -> ir.Value:
    """Return the element of a lane."""
    type_ = ir.VectorType(values.type).element_type
    return b.op("vector.extract", [values], [type_], static_position=f"array<i64: {lane}>").result


def of_elements(b: Builder, items: Sequence[ir.Value]) -> ir.Value:
    """Return the vector of some scalars."""
    type_ = vector(b, len(items), str(items[0].type))
    return b.op("vector.from_elements", items, [type_]).result


def permuted(b: Builder, values: ir.Value, lanes: ir.Value) -> ir.Value:
    """Return the elements at lanes that are known when the program runs.

    Args:
        b: the builder that ops are added with.
        values: a vector with one dimension.
        lanes: a vector of i32 with one dimension, each less than the number of lanes.
    """
    count = lanes_of(values)
    if lanes_of(lanes) != count or count & (count - 1):
        return _gathered(b, values, lanes)
    # LLVM makes one instruction of this where the CPU has one. It looks for that, too, if the two
    # vectors are of different lengths, and then stops the process for some, such as 24 of 12 lanes.
    type_ = ir.VectorType(values.type).element_type
    found = [
        b.op("vector.extract", [values, b.to_index(at)], [type_], static_position=DYNAMIC).result
        for at in elements(b, lanes)
    ]
    return of_elements(b, found)


def _gathered(b: Builder, values: ir.Value, lanes: ir.Value) -> ir.Value:
    """Return the elements at some lanes, by way of memory."""
    buffer = b.spmem([lanes_of(values)], element_of(values))
    b.store_vector(values, buffer, [0])
    mask = each(b, "true", vector(b, lanes_of(lanes), "i1"))
    zeros = picked_lanes(b, values, [0] * lanes_of(lanes))
    operands = [buffer, b.at(0), lanes, mask, zeros]
    return b.op("vector.gather", operands, [zeros.type]).result


def prefixes(
    b: Builder,
    values: ir.Value,
    neutral: ir.Value,
    combine: Callable[[ir.Value, ir.Value], ir.Value],
) -> ir.Value:
    """Return what an associative function makes of the elements up to each lane.

    Args:
        b: the builder that ops are added with.
        values: a vector with one dimension.
        neutral: a vector of the element that changes nothing.
        combine: the function, of a vector of earlier elements and one of later ones.
    """
    lanes, distance = lanes_of(values), 1
    while distance < lanes:
        earlier = shuffled(b, neutral, values, range(lanes - distance, 2 * lanes - distance))
        values, distance = combine(earlier, values), 2 * distance
    return values


def picked_lanes(
    b: Builder, values: ir.Value, lanes: Sequence[int], others: ir.Value | None = None
) -> ir.Value:
    """Return elements at known lanes, any number of them; those of `others` are counted last."""
    mask = f"array<i64: {', '.join(map(str, lanes))}>"
    type_ = vector(b, len(lanes), element_of(values))
    pair = [values, values if others is None else others]
    return b.op("vector.shuffle", pair, [type_], mask=mask).result


def rotated(b: Builder, values: ir.Value, distance: int) -> ir.Value:
    """Return for each lane the element `distance` lanes before; the first follows the last."""
    lanes = lanes_of(values)
    return picked_lanes(b, values, [(lane - distance) % lanes for lane in range(lanes)])


# Masks.


def has_all(mask: ir.Value | None) -> bool:
    """Return whether a mask is a constant with all lanes, or there is none."""
    if mask is None:
        return True
    owner = mask.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return False
    value = owner.attributes["value"]
    if not isinstance(value, ir.DenseElementsAttr) or not value.is_splat:
        return False
    return ir.IntegerAttr(value.get_splat_value()).value != 0


def inverted(b: Builder, mask: ir.Value) -> ir.Value:
    """Return the mask of the other lanes."""
    return b.integers("arith.xori", mask, each(b, "true", mask.type))


def as_bits(b: Builder, mask: ir.Value) -> ir.Value:
    """Return a mask as an integer whose lowest bit is the first lane."""
    lanes = lanes_of(mask)
    width = _width(lanes)
    if lanes != width:
        nobody = each(b, "false", mask.type)
        mask = picked_lanes(b, mask, [min(lane, lanes) for lane in range(width)], nobody)
    word = b.op("vector.bitcast", [mask], [vector(b, 1, f"i{width}")]).result
    return element(b, word, 0)


def from_bits(b: Builder, bits: ir.Value, lanes: int) -> ir.Value:
    """Return the mask of the lanes whose bits are set, the first lane that of the lowest bit."""
    width = _width(lanes)
    word = b.splat(bits, vector(b, 1, str(bits.type)))
    mask = b.op("vector.bitcast", [word], [vector(b, width, "i1")]).result
    return mask if lanes == width else picked_lanes(b, mask, range(lanes))


def _width(lanes: int) -> int:
    return next(width for width in (8, 16, 32, MAX_MASK_LANES) if lanes <= width)
