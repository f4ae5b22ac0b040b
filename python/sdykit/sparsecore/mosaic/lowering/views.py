"""Ops that make a view of other memory: arithmetic on the offset of its first element."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.failures import check_block
from sdykit.sparsecore.mosaic.lowering.numbers import Number, dot, plus, product, row_major, times
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.lowering.view import Parts, View
from sdykit.sparsecore.mosaic.reports import Access, SplitRows
from sdykit.sparsecore.mosaic.types import MemRef, bits_of, memref_of


@lowers("tpu.memref_slice")
def _slice(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    view, to = e.view(opview.mem_ref), memref_of(op.results[0].type)
    starts = e.numbers(list(opview.base_idx))
    sizes = _sizes(e, to, list(opview.dynamic_sizes))
    check_block(e, (op, Access.SLICE), view, starts, sizes)
    e.set(op.results[0], slice_of(e, op, view, starts, sizes))


def slice_of(
    e: Emitter, op: ir.Operation, view: View, starts: list[Number], sizes: tuple[Number, ...]
) -> View:
    """Return the elements from some indices on; they are within bounds."""
    offset, parts = view.offset, view.parts
    rows = list(starts)
    if parts is not None and parts.row is not None:
        at = parts.row
        parts, rows[at] = _narrow_rows(e, op, parts, (rows[at], sizes[at]))
    offset = plus(e.b, offset, dot(e.b, rows, view.strides))
    return replace(view, offset=offset, sizes=sizes, parts=parts)


def _narrow_rows(
    e: Emitter, op: ir.Operation, parts: Parts, rows: tuple[Number, Number]
) -> tuple[Parts, Number]:
    """Return the parts of some rows of narrow elements, and the wide row that they begin in.

    Args:
        e: the emitter that ops are added with.
        op: the op of the kernel.
        parts: the parts of the view.
        rows: the first row, and how many there are.
    """
    start, size = rows
    if size == 1 or (isinstance(size, int) and size < parts.count):
        part = _remainder(e, start, parts.count)
        if size != 1:
            holds = e.b.compare("ule", e.b.at(plus(e.b, part, size)), parts.count)
            _check_rows(e, op, parts, rows, holds)
        return replace(parts, part=plus(e.b, parts.part, part)), _quotient(e, start, parts.count)
    if not isinstance(size, int) or size % parts.count:
        raise e.not_lowered(op, "of rows of parts whose number is no multiple, or not known")
    holds = e.b.compare("eq", e.b.at(_remainder(e, start, parts.count)), 0)
    _check_rows(e, op, parts, rows, holds)
    return parts, _quotient(e, start, parts.count)


def _check_rows(
    e: Emitter, op: ir.Operation, parts: Parts, rows: tuple[Number, Number], holds: ir.Value
) -> None:
    """Add the failure of rows that begin inside a wide row and go beyond it, unless all is well."""
    place = e.kernel.places.of(op)
    e.fail_unless(holds, SplitRows.kind, e.agent, place, *rows, parts.count)


def _quotient(e: Emitter, number: Number, count: int) -> Number:
    return number // count if isinstance(number, int) else e.b.div(number, count)


def _remainder(e: Emitter, number: Number, count: int) -> Number:
    return number % count if isinstance(number, int) else e.b.rem(number, count)


def _sizes(e: Emitter, to: MemRef, dynamic: list[ir.Value]) -> tuple[Number, ...]:
    remaining = iter(dynamic)
    return tuple(e.number(next(remaining)) if size is None else size for size in to.shape)


@lowers("tpu.memref_squeeze")
def _squeeze(e: Emitter, op: ir.Operation) -> None:
    view, to = e.view(op.operands[0]), memref_of(op.results[0].type)
    e.set(op.results[0], squeezed(view, to))


def squeezed(view: View, to: MemRef) -> View:
    """Return a view without dimensions of 1, such that it has the shape of a type."""
    kept: list[int] = []
    for dimension, size in enumerate(view.sizes):
        missing = len(to.shape) - len(kept)
        wanted = to.shape[len(kept)] if missing else 1
        is_left_out = size == 1 and (wanted != 1 or not missing)
        if not is_left_out:
            kept.append(dimension)
    parts = view.parts
    if parts is not None and parts.row is not None:
        row = kept.index(parts.row) if parts.row in kept else None
        parts = replace(parts, row=row)
    return replace(
        view,
        sizes=tuple(view.sizes[each] for each in kept),
        strides=tuple(view.strides[each] for each in kept),
        parts=parts,
    )


@lowers("tpu.memref_reshape")
def _reshape(e: Emitter, op: ir.Operation) -> None:
    view, to = e.view(op.operands[0]), memref_of(op.results[0].type)
    sizes = [size for size in to.shape if size is not None]
    if len(sizes) != len(to.shape):
        raise e.not_lowered(op, "to sizes that are not known")
    if view.parts is not None or not is_row_major(view):
        raise e.not_lowered(op, "of a part of a buffer")
    e.set(op.results[0], view.at(view.offset, tuple(sizes), row_major(e.b, sizes)))


def is_row_major(view: View) -> bool:
    """Return whether the elements of a view are one after another, as far as is known."""
    distance: Number = 1
    for size, stride in reversed(list(zip(view.sizes, view.strides, strict=True))):
        if size == 1:
            continue
        if stride != distance or not isinstance(distance, int):
            return False
        distance = distance * size if isinstance(size, int) else size
    return True


@lowers("memref.cast", "tpu.erase_memref_layout", "tpu.assume_layout")
def _cast(e: Emitter, op: ir.Operation) -> None:
    e.set(op.results[0], e.view(op.operands[0]))


@lowers("tpu.reinterpret_cast")
def _reinterpret_cast(e: Emitter, op: ir.Operation) -> None:
    view, to = e.view(op.operands[0]), memref_of(op.results[0].type)
    if view.sizes != to.shape or view.element != to.element:
        raise e.not_lowered(op, "that changes more than the layout")
    e.set(op.results[0], view)


@lowers("memref.dim")
def _dim(e: Emitter, op: ir.Operation) -> None:
    dimension = e.number(op.operands[1])
    if not isinstance(dimension, int):
        raise e.not_lowered(op, "of a dimension that is not known")
    e.set(op.results[0], e.b.at(e.view(op.operands[0]).sizes[dimension]))


@lowers("tpu.memref_bitcast")
def _bitcast(e: Emitter, op: ir.Operation) -> None:
    view, to = e.view(op.operands[0]), memref_of(op.results[0].type)
    if bits_of(view.element) == to.bits:
        e.set(op.results[0], replace(view, element=to.element))
        return
    if len(view.sizes) < 2:
        raise e.not_lowered(op, "to another width, of rank 1")
    if view.parts is not None and not view.parts.is_wide and view.parts.part != 0:
        raise e.not_lowered(op, "of a part of a row")
    e.set(op.results[0], _rewidened(e, view, to))


def _rewidened(e: Emitter, view: View, to: MemRef) -> View:
    """Return a view whose elements are wider or narrower: its second last dimension changes."""
    row = len(view.sizes) - 2
    narrow_stride = _stored_row_stride(e, view, row)
    sizes = tuple(e.b.at(0) if size is None else size for size in to.shape)
    if any(size is None for size in to.shape):
        sizes = (*view.sizes[:row], _rescaled(e, view, to, row), view.sizes[-1])
    strides, parts = list(view.strides), None
    if to.bits > view.bits:
        count = to.bits // view.bits
        parts = Parts(count, is_wide=True, stride=narrow_stride)
        strides[row] = times(e.b, narrow_stride, count)
    else:
        strides[row] = narrow_stride
        if to.bits < view.bits:
            parts = Parts(view.bits // to.bits, is_wide=False, row=row)
    return replace(view, sizes=sizes, strides=tuple(strides), element=to.element, parts=parts)


def _stored_row_stride(e: Emitter, view: View, row: int) -> Number:
    """Return how many elements of the buffer are between two of its rows."""
    if view.parts is not None and view.parts.is_wide:
        return view.parts.stride
    return view.strides[row]


def _rescaled(e: Emitter, view: View, to: MemRef, row: int) -> Number:
    """Return the number of rows of elements of another width."""
    bits = bits_of(view.element)
    if bits > to.bits:
        return times(e.b, view.sizes[row], bits // to.bits)
    size = view.sizes[row]
    count = to.bits // bits
    return size // count if isinstance(size, int) else e.b.div(size, count)


def element_count(e: Emitter, view: View) -> Number:
    """Return the number of elements of a view."""
    return product(e.b, view.sizes)
