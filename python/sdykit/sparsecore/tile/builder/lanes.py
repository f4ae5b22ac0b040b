"""Cross-lane ops on vectors of integers: neighbours, prefix sums, filtering, exchanges."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder


def lanes_of(value: ir.Value) -> int:
    """Return the number of elements of a vector."""
    return ir.VectorType(value.type).shape[0]


def integers(b: Builder, lanes: int) -> ir.Type:
    """Return the type of a vector of i32."""
    return b.type(f"vector<{lanes}xi32>")


def zeros(b: Builder, lanes: int) -> ir.Value:
    """Return a vector of 0."""
    return b.constant("dense<0>", integers(b, lanes))


def numbered_from(b: Builder, first: ir.Value, lanes: int) -> ir.Value:
    """Return the vector `first`, `first + 1`, and so on."""
    numbers = b.constant(f"dense<{list(range(lanes))}>", integers(b, lanes))
    start = b.splat(b.to_integer(first, "i32"), numbers.type)
    return b.integers("arith.addi", start, numbers)


def first_lanes(b: Builder, count: ir.Value, lanes: int) -> ir.Value:
    """Return the mask of the first `count` lanes; of none or all if it is negative or larger."""
    return b.op("vector.create_mask", [count], [b.type(f"vector<{lanes}xi1>")]).result


def both_masks(b: Builder, first: ir.Value, second: ir.Value) -> ir.Value:
    """Return the mask of the lanes that are in two masks."""
    return b.integers("arith.andi", first, second)


def as_ones(b: Builder, mask: ir.Value) -> ir.Value:
    """Return 1 for each lane of a mask, 0 for others."""
    return b.convert("arith.extui", mask, integers(b, lanes_of(mask)))


def neighbours(b: Builder, before: ir.Value, values: ir.Value) -> ir.Value:
    """Return the element before each one of a vector, of which the first is in the vector before."""
    last = lanes_of(values) - 1
    return shuffled(b, before, values, range(last, 2 * last + 1))


def prefix_sums(b: Builder, values: ir.Value) -> ir.Value:
    """Return the sum of the elements up to each lane, that of the lane included."""
    lanes, distance = lanes_of(values), 1
    while distance < lanes:
        moved = shuffled(b, zeros(b, lanes), values, range(lanes - distance, 2 * lanes - distance))
        values, distance = b.integers("arith.addi", values, moved), 2 * distance
    return values


def last_lane(b: Builder, values: ir.Value) -> ir.Value:
    """Return the last element of a vector."""
    position = f"array<i64: {lanes_of(values) - 1}>"
    return b.op("vector.extract", [values], [b.type("i32")], static_position=position).result


def element_at(b: Builder, values: ir.Value, position: ir.Value) -> ir.Value:
    """Return the element of a vector at a position that is known when the program runs."""
    dynamic = f"array<i64: {ir.ShapedType.get_dynamic_size()}>"
    operands, types = [values, position], [b.type("i32")]
    return b.op("vector.extract", operands, types, static_position=dynamic).result


def total(b: Builder, values: ir.Value) -> ir.Value:
    """Return the sum of all elements."""
    kind = "#vector.kind<add>"
    return b.op("vector.reduction", [values], [b.type("i32")], kind=kind).result


def append(
    b: Builder, values: ir.Value, mask: ir.Value, buffer: ir.Value, end: ir.Value
) -> ir.Value:
    """Store the elements of a mask to a buffer, one after another.

    Args:
        b: the builder that ops are added with.
        values: the elements.
        mask: which of them are stored.
        buffer: the buffer, of rank 1.
        end: the position of the first one.

    Returns:
        One past the position of the last one.
    """
    b.op("vector.compressstore", [buffer, end, mask, values])
    return b.add(end, b.to_index(total(b, as_ones(b, mask))))


def scatter(
    b: Builder, values: ir.Value, mask: ir.Value, buffer: ir.Value, places: ir.Value
) -> None:
    """Store the elements of a mask to the places of a buffer of rank 1 that a vector has."""
    b.op("vector.scatter", [buffer, b.at(0), places, mask, values])


def exchanged(b: Builder, values: ir.Value, distance: int) -> ir.Value:
    """Put pairs of elements in ascending order.

    Args:
        b: the builder that ops are added with.
        values: the elements.
        distance: the numbers of the lanes of a pair differ in the bits of this number.
    """
    lanes = range(lanes_of(values))
    others = shuffled(b, values, values, [lane ^ distance for lane in lanes])
    is_lower = ", ".join("true" if lane < lane ^ distance else "false" for lane in lanes)
    mask = b.constant(f"dense<[{is_lower}]>", f"vector<{len(lanes)}xi1>")
    low, high = (b.integers(name, values, others) for name in ("arith.minsi", "arith.maxsi"))
    return b.select(mask, low, high)


def reversed_lanes(b: Builder, values: ir.Value) -> ir.Value:
    """Return the elements from the last to the first."""
    return shuffled(b, values, values, range(lanes_of(values) - 1, -1, -1))


def sorted_lanes(b: Builder, values: ir.Value) -> ir.Value:
    """Return the elements in ascending order; the number of lanes is a power of two."""
    part = 2
    while part <= lanes_of(values):
        values = exchanged(b, values, part - 1)
        values, part = merged_parts(b, values, part // 2), 2 * part
    return values


def merged_parts(b: Builder, values: ir.Value, size: int) -> ir.Value:
    """Sort each part of `size` lanes, of two halves whose pairs are in order."""
    while size > 1:
        size //= 2
        values = exchanged(b, values, size)
    return values


def shuffled(b: Builder, first: ir.Value, second: ir.Value, lanes: Sequence[int]) -> ir.Value:
    """Return lanes of two vectors, those of the second counted after those of the first."""
    mask = f"array<i64: {', '.join(map(str, lanes))}>"
    return b.op("vector.shuffle", [first, second], [second.type], mask=mask).result
