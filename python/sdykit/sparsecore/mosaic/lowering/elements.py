"""Elements of views in memory: one of them, or several adjacent ones as a vector."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.checked_accesses import touch
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, dot, plus, times
from sdykit.sparsecore.mosaic.lowering.view import Parts, View
from sdykit.sparsecore.mosaic.reports import Action
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


def load(
    e: Emitter, view: View, indices: Sequence[Number], count: int | None, *, raw: bool = False
) -> ir.Value:
    """Return elements of a view that are within bounds.

    Args:
        e: the emitter that ops are added with.
        view: the view; its last stride is 1 if there are several.
        indices: the position of the first element.
        count: the number of adjacent elements, a vector of which is returned; None: a scalar.
        raw: whether an element of fewer than 8 bits is returned as a byte with the same value.
    """
    offset, part = locate(e, view, indices)
    parts, bits = view.parts, bits_of(view.element)
    if parts is not None and parts.is_wide:
        return _bitcast(e, _put_together(e, view, parts, offset, count), view.element)
    found = _load(e, view, offset, count)
    if parts is not None:
        moved = _shift(e, "arith.shrui", _as_integers(e, view, found), times(e.b, part, bits))
        narrow = _integers(e, max(bits, 8), count)
        found = moved if moved.type == narrow else e.b.convert("arith.trunci", moved, narrow)
    if bits >= 8:
        return _bitcast(e, found, view.element)
    found = _with_sign(e, found, bits)
    return found if raw else e.b.convert("arith.trunci", found, _type(e, view.element, count))


def store(
    e: Emitter, value: ir.Value, view: View, indices: Sequence[Number], *, raw: bool = False
) -> None:
    """Store a scalar, or a vector to adjacent elements, of a view; they are within bounds.

    Args:
        e: the emitter that ops are added with.
        value: the elements.
        view: the view; its last stride is 1 if there are several.
        indices: the position of the first element.
        raw: whether the elements are what `load` returns with `raw`.
    """
    offset, part = locate(e, view, indices)
    b, parts, count, bits = e.b, view.parts, count_of(value), bits_of(view.element)
    if bits < 8 and not raw:
        value = b.convert("arith.extsi", value, _integers(e, 8, count))
    if parts is None:
        _store(e, _bitcast(e, value, view.stored), view, offset)
        return
    whole = _bitcast(e, value, f"i{max(bits, 8)}")
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
    wide = whole if whole.type == before.type else b.convert("arith.extui", whole, before.type)
    wide = b.bits("arith.andi", wide, ones)
    joined = b.bits("arith.ori", kept, _shift(e, "arith.shli", wide, distance))
    _store(e, _bitcast(e, joined, view.stored), view, offset)


def _with_sign(e: Emitter, value: ir.Value, bits: int) -> ir.Value:
    """Return bytes whose values are those of their lowest bits, with a sign."""
    left = _shift(e, "arith.shli", value, 8 - bits)
    return _shift(e, "arith.shrsi", left, 8 - bits)


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
            narrow = _with_sign(e, narrow, view.bits)
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
    touch(e, view, offset, count, Action.READ)
    if count is None:
        return e.b.load(view.buffer, offset)
    return e.b.load_vector(view.buffer, [offset], count)


def _store(e: Emitter, value: ir.Value, view: View, offset: Number) -> None:
    """Store elements of the buffer's type."""
    touch(e, view, offset, count_of(value), Action.WRITE)
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
