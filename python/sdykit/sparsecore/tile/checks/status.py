"""The status of a program: the number of a message about wrong input, and the values in it."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.sparsecore.names import CHECK
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder

_AT_ONCE = 8
"""Elements that are compared at once."""


def report(
    b: Builder, status: ir.Value, number: ir.Value | int, values: Sequence[ir.Value | int]
) -> None:
    """Write a message to the status, unless it holds one already.

    Args:
        b: the builder that ops are added with.
        status: the status of the program, `memref<8xi64>`.
        number: the number of the message, from 1 on.
        values: the values of `{1}`, `{2}` and so on in the message; positions, at most 7.
    """

    def store() -> tuple[()]:
        for place, value in enumerate((number, *values)):
            b.store(b.to_integer(b.at(value), "i64"), status, place)
        return ()

    b.choose(is_quiet(b, status), store)


def is_quiet(b: Builder, status: ir.Value) -> ir.Value:
    """Return whether the status holds no message."""
    return b.compare("eq", b.load_index(status, 0, **{CHECK: "unit"}), 0)


def largest(
    b: Builder, buffers: Sequence[ir.Value], begin: ir.Value | int, end: ir.Value
) -> list[ir.Value]:
    """Find the largest element of each of some buffers, several at a time.

    Args:
        b: the builder that ops are added with.
        buffers: the buffers, i32 of rank 1.
        begin: the position of the first element.
        end: one past the position of the last element.

    Returns:
        The largest element of each buffer as an index, 0 if there is none. Elements are compared as
        unsigned numbers: a negative one is larger than any other.
    """

    def greater(found: ir.Value, values: ir.Value) -> ir.Value:
        return b.integers("arith.maxui", found, values)

    def some(position: ir.Value, *found: ir.Value) -> list[ir.Value]:
        loaded = (b.load_vector(each, [position], _AT_ONCE) for each in buffers)
        return [greater(*pair) for pair in zip(found, loaded, strict=True)]

    def one(position: ir.Value, *found: ir.Value) -> list[ir.Value]:
        loaded = (b.load(each, position) for each in buffers)
        return [greater(*pair) for pair in zip(found, loaded, strict=True)]

    whole = b.add(begin, b.bits("arith.andi", b.sub(end, begin), -_AT_ONCE))
    zeros = b.constant("dense<0>", f"vector<{_AT_ONCE}xi32>")
    vectors = b.loop(begin, whole, some, [zeros] * len(buffers), step=_AT_ONCE)
    kind = {"kind": "#vector.kind<maxui>"}
    i32 = b.type("i32")
    scalars = [b.op("vector.reduction", [each], [i32], **kind).result for each in vectors]
    scalars = b.loop(whole, end, one, scalars)
    return [b.convert("arith.index_castui", each, b.index) for each in scalars]
