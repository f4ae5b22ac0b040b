"""Sorting within a vector, by a network."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import (
    by_lane,
    each,
    element_of,
    has_all,
    is_float,
    vector,
    with_element,
)
from sdykit.sparsecore.mosaic.types import bits_of
from sdykit.sparsecore.tile.builder.lanes import lanes_of, sorted_lanes
from sdykit.sparsecore.tile.builder.ops import Builder

MAX_KEY_BITS = 32
"""Keys that fit into an i64, together with the lane and whether it is in the mask."""


def sort_order(
    b: Builder, keys: ir.Value, mask: ir.Value | None, *, descending: bool
) -> tuple[ir.Value, ir.Value]:
    """Return in which order the lanes of a vector are when it is sorted.

    Equal keys keep their order. Integers compare unsigned; zeros are equal, and all NaNs are, and
    are above all numbers. Lanes that are not in the mask come last, in their order.

    Args:
        b: the builder that ops are added with.
        keys: a vector with one dimension, of a power of two lanes of up to `MAX_KEY_BITS` bits.
        mask: the mask; None: all lanes.
        descending: whether the largest key comes first.

    Returns:
        The lanes, a vector of i32, and the mask of the result.
    """
    lanes = lanes_of(keys)
    wide, bits = vector(b, lanes, "i64"), bits_of(element_of(keys))
    lane_bits = (lanes - 1).bit_length()
    words = _ordered(b, keys)
    if descending:
        words = b.integers("arith.xori", words, each(b, -1, words.type))
    words = b.convert("arith.extui", words, wide)
    words = b.integers("arith.shli", words, each(b, lane_bits, wide))
    words = b.integers("arith.ori", words, by_lane(b, range(lanes), wide))
    above = 1 << (bits + lane_bits)
    if mask is not None and not has_all(mask):
        last = by_lane(b, [above + lane for lane in range(lanes)], wide)
        words = b.select(mask, words, last)
    words = sorted_lanes(b, words)
    order = b.integers("arith.andi", words, each(b, lanes - 1, wide))
    is_in_mask = b.compare("slt", words, each(b, above, wide))
    return b.convert("arith.trunci", order, vector(b, lanes, "i32")), is_in_mask


def _ordered(b: Builder, keys: ir.Value) -> ir.Value:
    """Return integers that compare, unsigned, as the keys do."""
    element = element_of(keys)
    if not is_float(element):
        return keys
    bits = bits_of(element)
    words = b.op("vector.bitcast", [keys], [with_element(b, keys, f"i{bits}")]).result
    zeros = each(b, 0, words.type)
    is_zero = b.compare_floats("oeq", keys, each(b, 0.0, keys.type))
    is_nan = b.compare_floats("uno", keys, keys)
    words = b.select(is_zero, zeros, words)
    # Negative numbers, whose bits descend, are inverted; others get the sign bit.
    signs = b.integers("arith.shrsi", words, each(b, bits - 1, words.type))
    flips = b.integers("arith.ori", signs, each(b, -(1 << (bits - 1)), words.type))
    words = b.integers("arith.xori", words, flips)
    return b.select(is_nan, each(b, -1, words.type), words)
