"""Meanings of ops between lanes: sums, scans, sorts, counts, gathers and packs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.translation.op_attributes import enumerator, flag, integer, integers
from sdykit.sparsecore.mosaic.reference import floats
from sdykit.sparsecore.mosaic.reference import integers as integer_ops
from sdykit.sparsecore.mosaic.reference.casts import nearest
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import (
    Array,
    Op,
    ValueType,
    error_of,
    signed,
    type_of,
    unsigned,
)

Meaning = Callable[..., Any]
Binder = Callable[[Op], Meaning]

OPS: Table[Binder] = Table("Between lanes")


@OPS("tpu.scan")
def scan(op: Op) -> Meaning:
    """In lane `l`, the `sum`, `max` or `min` of the lanes up to `l` that are in the mask.

    Sums are added in the order of lanes, each rounded; of `i1`, how many are true. Maximum and
    minimum: before the first lane of the mask, the input itself; integers compare without signs,
    floats as `arith.maximumf` and `arith.minimumf` do.
    """
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    kind = enumerator(op.operation, "kind")
    if kind == "sum":
        return lambda a, mask=True: np.add.accumulate(
            np.where(mask, a, a.dtype.type(0)), dtype=to.dtype
        )
    choose = _extreme(kind, of)

    def run(a: Array, mask: Array | None = None) -> Array:
        result, extreme = a.copy(), None
        for lane in range(len(a)):
            if mask is None or mask[lane]:
                extreme = a[lane] if extreme is None else choose(extreme, a[lane])
            result[lane] = a[lane] if extreme is None else extreme
        return result

    return run


def _extreme(kind: str, of: ValueType) -> Callable[[Any, Any], Any]:
    """Return the maximum or minimum of two lanes."""
    if of.is_float:
        choose = floats.maximumf if kind == "max" else floats.minimumf
        wide = floats.wide_of(of.dtype)
        return lambda a, b: choose(np.asarray(a, wide), np.asarray(b, wide)).astype(of.dtype)
    pick = max if kind == "max" else min
    return lambda a, b: pick(a, b, key=lambda item: unsigned(item, of.bits)[0])


@OPS("tpu.sort")
def sort(op: Op) -> Meaning:
    """Keys and values in the order of the keys, ascending or `descending`, and a mask.

    Equal keys keep their order in both. Integers compare without signs; -0 equals 0; every NaN is
    above infinity, and equal to any other. Lanes that are not in the mask come last, in their order:
    the mask of the result is false there.
    """
    of = type_of(op.operands[0])
    descending = flag(op.operation, "descending")

    def run(keys: Array, values: Array, mask: Array | None = None) -> tuple[Array, Array, Array]:
        ranks = _ranks(keys, of)
        lanes = range(len(keys))
        inside = [lane for lane in lanes if mask is None or mask[lane]]
        outside = [lane for lane in lanes if lane not in inside]
        # Python's sort is stable, in reverse, too.
        order = sorted(inside, key=lambda lane: ranks[lane], reverse=descending) + outside
        return np.arange(len(keys)) < len(inside), keys[order], values[order]

    return run


def _ranks(keys: Array, of: ValueType) -> list[Any]:
    if not of.is_float:
        return unsigned(keys, of.bits)
    numbers = keys.astype(np.float64).tolist()
    return [(math.isnan(number), 0.0 if math.isnan(number) else number) for number in numbers]


@OPS("tpu.scan_count")
def scan_count(_: Op) -> Meaning:
    """How often a lane's value has come up to here, itself included, and where it does for the last time.

    Only lanes of the mask count. Others have a count of 1, and are not in the mask of the result.
    NaN equals nothing; -0 equals 0.
    """

    def run(mask: Array, values: Array) -> tuple[Array, Array]:
        same = (values[:, None] == values[None, :]) & mask[:, None] & mask[None, :]
        same |= np.eye(len(values), dtype=bool)
        counts = np.tril(same).sum(axis=1).astype(np.int32)
        return mask & (np.triu(same).sum(axis=1) == 1), counts

    return run


@OPS("tpu.all_reduce")
def all_reduce(op: Op) -> Meaning:
    """In every lane, of a mask: how many lanes are true (`sum`), or which is the first of them.

    `find_first_set` is the number of lanes if none is true.
    """
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    kind = enumerator(op.operation, "kind")
    if of.element != "i1" or len(of.shape or ()) != 1:
        raise error_of(
            op,
            f"'tpu.all_reduce' of {op.operands[0].type} cannot run on a SparseCore; expected a mask, "
            "a vector of i1",
        )

    def run(mask: Array) -> Array:
        first = mask.argmax() if mask.any() else len(mask)
        return np.full(to.shape or (), mask.sum() if kind == "sum" else first, to.dtype)

    return run


@OPS("tpu.dynamic_gather")
def dynamic_gather(op: Op) -> Meaning:
    """At `p`, the source at `p`, but along `dimensions` at `indices[p]` modulo their size.

    Indices have no sign. Several dimensions count as one, the last fastest.
    """
    shape = type_of(op.operands[0]).shape or ()
    bits = type_of(op.operands[1]).bits
    dimensions = list(ir.DenseI32ArrayAttr(op.attributes["dimensions"]))
    sizes = [shape[dimension] for dimension in dimensions]

    def run(source: Array, indices: Array) -> Array:
        count = math.prod(sizes)
        picked = np.array([index % count for index in unsigned(indices, bits)], np.int64)
        places: list[Any] = [*np.indices(indices.shape)]
        parts = np.unravel_index(picked.reshape(indices.shape), sizes)
        for dimension, part in zip(dimensions, parts, strict=True):
            places[dimension] = part
        return source[tuple(places)]

    return run


@OPS("tpu.pack_subelements")
def pack_subelements(op: Op) -> Meaning:
    """Lane `l` of source `j` becomes element `n * l + positions[j]` of the result, in row-major order.

    `n` elements of the result are as wide as one of a source: floats are rounded to nearest even,
    integers cut. `interleaved` results have the shape `[n * lanes]`, `compressed` ones `[lanes, n]`.
    """
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    positions = list(ir.DenseI32ArrayAttr(op.attributes["positions"]))
    _check_same_kind(op, of, to)
    count = of.bits // to.bits
    if sorted(positions) != list(range(count)):
        raise error_of(
            op, f"'tpu.pack_subelements' to positions {positions} of {count}; expected all"
        )

    def run(*sources: Array) -> Array:
        result = np.empty((of.count, count), to.dtype)
        for source, position in zip(sources, positions, strict=True):
            result[:, position] = _resized(source.ravel(), to)
        return result.reshape(to.shape or ())

    return run


@OPS("tpu.unpack_subelements")
def unpack_subelements(op: Op) -> Meaning:
    """Lane `l` is element `n * l + index` of the source, in row-major order, widened.

    `n` elements of the source are as wide as one of the result. Integers keep their sign, unless
    `unsigned_integers`.
    """
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    index, count = integer(op.operation, "index"), to.bits // of.bits
    _check_same_kind(op, of, to)
    without_sign = flag(op.operation, "unsigned_integers")

    def run(source: Array) -> Array:
        picked = source.ravel()[index::count]
        if without_sign and not of.is_float:
            return to.of_integers(unsigned(picked, of.bits))
        return _resized(picked, to).reshape(to.shape or ())

    return run


def _check_same_kind(op: Op, of: ValueType, to: ValueType) -> None:
    if of.is_float != to.is_float:
        raise error_of(
            op,
            f"'{op.operation.name}' from {of.element} to {to.element} cannot run on a SparseCore; "
            "expected integers or floats on both sides",
        )


def _resized(a: Array, to: ValueType) -> Array:
    if to.is_float:
        return nearest(a.astype(np.float64), to.dtype)
    return ValueType(to.element, a.shape).of_integers(signed(a))


_FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "add": integer_ops.addi,
    "and": integer_ops.andi,
    "maximumf": floats.maximumf,
    "maxsi": max,
    "maxui": max,
    "minimumf": floats.minimumf,
    "minsi": min,
    "minui": min,
    "mul": integer_ops.muli,
    "or": integer_ops.ori,
    "xor": integer_ops.xori,
}
"""What a kind of reduction does with the result so far and the next element."""


@OPS("vector.multi_reduction", "vector.reduction")
def reduction(op: Op) -> Meaning:
    """The accumulator and the elements along the reduced dimensions, one after another, by `kind`.

    These are `add`, `mul`, `maximumf`, `minimumf`, `maxsi`, `maxui`, `minsi`, `minui`, `and`, `or`
    and `xor`. Elements come in row-major order, after the accumulator; each result is rounded.
    """
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    kind = enumerator(op.operation, "kind")
    if kind not in _FOLDS:
        raise error_of(op, f"'{op.operation.name}' of the kind '{kind}' cannot run on a SparseCore")
    fold = _fold(kind, of)
    rank = len(of.shape or ())
    is_multi = op.operation.name == "vector.multi_reduction"
    reduced = integers(op.operation, "reduction_dims") if is_multi else list(range(rank))
    kept = [dimension for dimension in range(rank) if dimension not in reduced]
    rows = [of.shape[dimension] for dimension in kept] if of.shape else []

    def run(source: Array, start: Any = None) -> Any:
        elements = source.transpose(*reduced, *kept).reshape(-1, math.prod(rows))
        begin = [] if start is None else [np.asarray(start, to.dtype).ravel()]
        first, *others = [*begin, *elements]
        for other in others:
            first = fold(first, other)
        return to.of_array(first)

    return run


def _fold(kind: str, of: ValueType) -> Callable[[Array, Array], Array]:
    choose = _FOLDS[kind]
    if of.is_float:
        wide = floats.wide_of(of.dtype)
        return lambda a, b: choose(a.astype(wide), b.astype(wide)).astype(of.dtype)
    read = signed if not kind.endswith("ui") else lambda a: unsigned(a, of.bits)
    return lambda a, b: ValueType(of.element, a.shape).of_integers(map(choose, read(a), read(b)))
