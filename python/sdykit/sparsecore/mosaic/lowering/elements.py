"""Elements of views in memory: one of them, or several adjacent ones as a vector."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, dot, plus, times
from sdykit.sparsecore.mosaic.lowering.view import Parts, View
from sdykit.sparsecore.mosaic.types import bits_of
from sdykit.sparsecore.tile.builder.ops import Builder


def locate(e: Emitter, view: View, indices: Sequence[Number]) -> tuple[Number, Number]:
    """Return where an element is: its position in the buffer, and which part of that element it is."""
    b, parts = e.b, view.parts
    if parts is None or parts.is_wide:
        return plus(b, view.offset, dot(b, indices, view.strides)), 0
    rows, part = list(indices), parts.part
    if parts.row is not None:
        row = rows[parts.row]
        part = plus(b, part, _remainder(b, row, parts.count))
        rows[parts.row] = _quotient(b, row, parts.count)
    return plus(b, view.offset, dot(b, rows, view.strides)), part


def _quotient(b: Builder, index: Number, count: int) -> Number:
    return index // count if isinstance(index, int) else b.div(index, count)


def _remainder(b: Builder, index: Number, count: int) -> Number:
    return index % count if isinstance(index, int) else b.rem(index, count)


def load(e: Emitter, view: View, indices: Sequence[Number], count: int | None) -> ir.Value:
    """Return elements of a view that are within bounds.

    Args:
        e: the emitter that ops are added with.
        view: the view; its last stride is 1 if there are several.
        indices: the position of the first element.
        count: the number of adjacent elements, a vector of which is returned; None: a scalar.
    """
    offset, part = locate(e, view, indices)
    parts = view.parts
    if parts is None:
        found = _as_integers(e, view, _load(e, view, offset, count)) if view.bits < 8 else None
        if found is not None:
            return e.b.convert("arith.trunci", found, _type(e, view.element, count))
        return _bitcast(e, _load(e, view, offset, count), view.element)
    if parts.is_wide:
        return _bitcast(e, _put_together(e, view, parts, offset, count), view.element)
    wide = _as_integers(e, view, _load(e, view, offset, count))
    moved = _shift(e, "arith.shrui", wide, times(e.b, part, bits_of(view.element)))
    narrow = e.b.convert("arith.trunci", moved, _integers(e, bits_of(view.element), count))
    return _bitcast(e, narrow, view.element)


def store(e: Emitter, value: ir.Value, view: View, indices: Sequence[Number]) -> None:
    """Store a scalar, or a vector to adjacent elements, of a view; they are within bounds."""
    offset, part = locate(e, view, indices)
    b, parts, count = e.b, view.parts, count_of(value)
    if parts is None:
        if view.bits < 8:
            value = b.convert("arith.extsi", value, _type(e, view.stored, count))
        _store(e, _bitcast(e, value, view.stored), view, offset)
        return
    bits = bits_of(view.element)
    whole = _bitcast(e, value, f"i{bits}")
    if parts.is_wide:
        _take_apart(e, whole, view, parts, offset)
        return
    # The other parts of the element stay what they are.
    before = _as_integers(e, view, _load(e, view, offset, count))
    distance = times(b, part, bits)
    ones = b.constant(_splat((1 << bits) - 1, count), before.type)
    mask = _shift(e, "arith.shli", ones, distance)
    all_ones = b.constant(_splat(-1, count), before.type)
    kept = b.bits("arith.andi", before, b.bits("arith.xori", mask, all_ones))
    wide = b.convert("arith.extui", whole, before.type)
    joined = b.bits("arith.ori", kept, _shift(e, "arith.shli", wide, distance))
    _store(e, _bitcast(e, joined, view.stored), view, offset)


def count_of(value: ir.Value) -> int | None:
    """Return the number of elements of a vector of rank 1; None of a scalar."""
    return value.type.shape[0] if isinstance(value.type, ir.VectorType) else None


def _put_together(
    e: Emitter, view: View, parts: Parts, offset: Number, count: int | None
) -> ir.Value:
    """Return integers whose parts, from the lowest on, are in as many rows of the buffer."""
    b, wide = e.b, _integers(e, bits_of(view.element), count)
    result: ir.Value | None = None
    for number in range(parts.count):
        at = plus(b, offset, times(b, parts.stride, number))
        narrow = _as_integers(e, view, _load(e, view, at, count))
        piece = narrow if narrow.type == wide else b.convert("arith.extui", narrow, wide)
        if view.bits < 8:
            mask = b.constant(_splat((1 << view.bits) - 1, count), wide)
            piece = b.bits("arith.andi", piece, mask)
        piece = _shift(e, "arith.shli", piece, number * view.bits)
        result = piece if result is None else b.bits("arith.ori", result, piece)
    assert result is not None
    return result


def _take_apart(e: Emitter, whole: ir.Value, view: View, parts: Parts, offset: Number) -> None:
    """Store the parts of integers, from the lowest on, to as many rows of the buffer."""
    b, count = e.b, count_of(whole)
    stored = _integers(e, max(view.bits, 8), count)
    for number in range(parts.count):
        moved = _shift(e, "arith.shrui", whole, number * view.bits)
        narrow = moved if moved.type == stored else b.convert("arith.trunci", moved, stored)
        if view.bits < 8:  # A byte holds the value with its sign.
            left = _shift(e, "arith.shli", narrow, 8 - view.bits)
            narrow = _shift(e, "arith.shrsi", left, 8 - view.bits)
        at = plus(b, offset, times(b, parts.stride, number))
        _store(e, _bitcast(e, narrow, view.stored), view, at)


def _shift(e: Emitter, name: str, value: ir.Value, distance: Number) -> ir.Value:
    """Shift integers by as many bits each."""
    b, count = e.b, count_of(value)
    if isinstance(distance, int):
        if distance == 0:
            return value
        return b.bits(name, value, b.constant(_splat(distance, count), value.type))
    element = ir.VectorType(value.type).element_type if count is not None else value.type
    by = b.to_integer(distance, str(element))
    return b.bits(name, value, by if count is None else b.splat(by, value.type))


def _splat(number: int, count: int | None) -> str:
    return str(number) if count is None else f"dense<{number}>"


def _load(e: Emitter, view: View, offset: Number, count: int | None) -> ir.Value:
    """Return elements of the buffer, as it has them."""
    if count is None:
        return e.b.load(view.buffer, offset)
    return e.b.load_vector(view.buffer, [offset], count)


def _store(e: Emitter, value: ir.Value, view: View, offset: Number) -> None:
    """Store elements of the buffer's type."""
    if count_of(value) is None:
        e.b.store(value, view.buffer, offset)
    else:
        e.b.store_vector(value, view.buffer, [offset])


def _type(e: Emitter, element: str, count: int | None) -> ir.Type:
    return e.b.type(element if count is None else f"vector<{count}x{element}>")


def _integers(e: Emitter, bits: int, count: int | None) -> ir.Type:
    return _type(e, f"i{bits}", count)


def _as_integers(e: Emitter, view: View, value: ir.Value) -> ir.Value:
    """Return elements of the buffer as integers of the same width."""
    return _bitcast(e, value, f"i{max(view.bits, 8)}")


def _bitcast(e: Emitter, value: ir.Value, element: str) -> ir.Value:
    """Return the same bits as elements of another type of the same width."""
    to = _type(e, element, count_of(value))
    return value if value.type == to else e.b.convert("arith.bitcast", value, to)
