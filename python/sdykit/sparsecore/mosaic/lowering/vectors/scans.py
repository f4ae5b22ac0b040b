"""Running sums and extrema, counts of equal elements, reductions of masks."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import (
    as_bits,
    by_lane,
    each,
    element_of,
    elements,
    from_bits,
    has_all,
    is_float,
    is_narrow_float,
    of_elements,
    prefixes,
    rotated,
    vector,
    with_element,
)
from sdykit.sparsecore.tile.builder.lanes import lanes_of
from sdykit.sparsecore.tile.builder.ops import Builder

_EXTREMA = {
    ("max", True): ("arith.maximumf", "0xFF800000"),
    ("min", True): ("arith.minimumf", "0x7F800000"),
    ("max", False): ("arith.maxui", "0"),
    ("min", False): ("arith.minui", "-1"),
}
"""The op that takes the larger or smaller of float32 or integers, and what changes nothing."""


def running_sums(b: Builder, values: ir.Value, mask: ir.Value | None) -> ir.Value:
    """Return for each lane the sum of the lanes up to it that are in the mask.

    Floats are added in the order of lanes, each sum rounded; integers wrap.

    Args:
        b: the builder that ops are added with.
        values: a vector with one dimension; of booleans, for which the sums are i32.
        mask: the mask; None: all lanes.
    """
    if element_of(values) == "i1":
        values = b.convert("arith.extui", values, with_element(b, values, "i32"))
    floats = is_float(element_of(values))
    zeros = each(b, 0.0 if floats else 0, values.type)
    if mask is not None and not has_all(mask):
        values = b.select(mask, values, zeros)
    if not floats:
        return prefixes(b, values, zeros, lambda *pair: b.integers("arith.addi", *pair))
    total, *rest = elements(b, values)
    sums = [total]
    for item in rest:
        total = b.floats("arith.addf", total, item)
        sums.append(total)
    return of_elements(b, sums)


def running_extrema(b: Builder, kind: str, values: ir.Value, mask: ir.Value | None) -> ir.Value:
    """Return for each lane the largest or smallest of the lanes up to it that are in the mask.

    Integers compare unsigned. A NaN is the result from its lane on; -0 is less than 0. Before the
    first lane of the mask, the element itself is returned.

    Args:
        b: the builder that ops are added with.
        kind: "max" or "min".
        values: a vector of integers or floats, with one dimension.
        mask: the mask; None: all lanes.
    """
    if is_narrow_float(element_of(values)):
        # Each float32 between is one of the elements.
        wide = b.convert("arith.extf", values, with_element(b, values, "f32"))
        return b.convert("arith.truncf", running_extrema(b, kind, wide, mask), values.type)
    name, neutral = _EXTREMA[kind, is_float(element_of(values))]
    others = each(b, neutral, values.type)

    def larger_or_smaller(earlier: ir.Value, later: ir.Value) -> ir.Value:
        return b.floats(name, earlier, later)

    if mask is None or has_all(mask):
        return prefixes(b, values, others, larger_or_smaller)
    found = prefixes(b, b.select(mask, values, others), others, larger_or_smaller)
    bits = as_bits(b, mask)
    negative = b.integers("arith.subi", b.constant("0", bits.type), bits)
    # A number or its negative has all bits from the lowest one on.
    reached = from_bits(b, b.integers("arith.ori", bits, negative), lanes_of(values))
    return b.select(reached, found, values)


def counts(b: Builder, values: ir.Value, mask: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Count how often each element has come up to its lane, among those in a mask.

    Floats are equal as numbers: zeros are, a NaN is like no other.

    Args:
        b: the builder that ops are added with.
        values: a vector of integers or floats, with one dimension.
        mask: the lanes that are counted.

    Returns:
        The mask of the last occurrence of each element, and the counts, i32, from 1 on; 1 in lanes
        that are not in the mask.
    """
    lanes = lanes_of(values)
    ones = each(b, 1, vector(b, lanes, "i32"))
    zeros = each(b, 0, ones.type)
    count, later = ones, each(b, "false", mask.type)
    for distance in range(1, lanes):
        same = _equal(b, values, rotated(b, values, distance))
        if not has_all(mask):
            same = b.integers("arith.andi", same, rotated(b, mask, distance))
        # The first lanes see those at the end of the vector.
        is_earlier = by_lane(b, [lane >= distance for lane in range(lanes)], mask.type)
        one = b.select(b.integers("arith.andi", same, is_earlier), ones, zeros)
        count = b.integers("arith.addi", count, one)
        is_later = by_lane(b, [lane < distance for lane in range(lanes)], mask.type)
        seen = b.integers("arith.andi", same, is_later)
        later = b.integers("arith.ori", later, seen)
    last = b.integers("arith.xori", later, each(b, "true", mask.type))
    if has_all(mask):
        return last, count
    return b.integers("arith.andi", last, mask), b.select(mask, count, ones)


def _equal(b: Builder, left: ir.Value, right: ir.Value) -> ir.Value:
    if is_float(element_of(left)):
        return b.compare_floats("oeq", left, right)
    return b.compare("eq", left, right)


def mask_count(b: Builder, mask: ir.Value) -> ir.Value:
    """Return how many lanes a mask has, an i32."""
    return _as_i32(b, "math.ctpop", mask)


def first_lane(b: Builder, mask: ir.Value) -> ir.Value:
    """Return the first lane of a mask, an i32; the number of lanes if it has none."""
    found = _as_i32(b, "math.cttz", mask)
    lanes = b.constant(str(lanes_of(mask)), found.type)
    return b.integers("arith.minsi", found, lanes)


def _as_i32(b: Builder, name: str, mask: ir.Value) -> ir.Value:
    bits = as_bits(b, mask)
    number = b.op(name, [bits], [bits.type]).result
    width = str(bits.type)
    if width == "i32":
        return number
    return b.convert("arith.trunci" if width == "i64" else "arith.extui", number, "i32")
