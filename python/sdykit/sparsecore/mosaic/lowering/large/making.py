"""From ops of a kernel to vectors of many elements, and from those to memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.accesses import (
    adjacent_elements,
    block_sizes,
    has_strides,
    kind_of,
)
from sdykit.sparsecore.mosaic.lowering.elements import load, store
from sdykit.sparsecore.mosaic.lowering.failures import check_block
from sdykit.sparsecore.mosaic.lowering.large.storing import computed, for_each_piece
from sdykit.sparsecore.mosaic.lowering.large.values import Block, Large, Pieces, at_index
from sdykit.sparsecore.mosaic.lowering.numbers import Number, dot, plus, times
from sdykit.sparsecore.mosaic.lowering.registry import LOWERINGS, lowers, makes
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import Access

if TYPE_CHECKING:
    from sdykit.sparsecore.mosaic.lowering.emitter import Emitter


@makes("math.")
@makes("arith.")
def _elementwise(e: Emitter, op: ir.Operation) -> Large | None:
    """Return what an op gives whose operands are scalars, or vectors of the result's shape."""
    type_ = ir.VectorType(op.results[0].type)
    shapes = [each.type.shape for each in op.operands if isinstance(each.type, ir.VectorType)]
    if not shapes or any(shape != type_.shape for shape in shapes):
        return None
    operands = [
        e.large.of(each) if isinstance(each.type, ir.VectorType) else e.value(each)
        for each in op.operands
    ]
    vectors = [each for each in operands if isinstance(each, Large)]

    def make(pieces: Pieces, start: Number, length: int) -> ir.Value:
        values = [
            pieces.at(each, start, length) if isinstance(each, Large) else each for each in operands
        ]
        new = op.clone(ip=ir.InsertionPoint.current)
        for at, value in enumerate(values):
            new.operands[at] = value
        new.results[0].set_type(ir.VectorType.get([length], type_.element_type))
        return e.lowered(new) if op.name in LOWERINGS else new.results[0]

    width = math.gcd(*(each.width for each in vectors))
    reads = frozenset[Any]().union(*(each.reads for each in vectors))
    return Large(type_, width, make, reads, 1 + max(each.depth for each in vectors))


@makes("arith.constant")
def _constant(_e: Emitter, op: ir.Operation) -> Large | None:
    value, type_ = op.attributes["value"], ir.VectorType(op.results[0].type)
    if not isinstance(value, ir.DenseElementsAttr) or not value.is_splat:
        return None
    element = value.get_splat_value()

    def make(pieces: Pieces, _start: Number, length: int) -> ir.Value:
        own = ir.VectorType.get([length], type_.element_type)
        attribute = ir.DenseElementsAttr.get_splat(own, element)
        text = str(attribute).rsplit(" : ", 1)[0]
        return pieces.b.constant(text, own)

    return Large(type_, math.prod(type_.shape), make)


@makes("vector.broadcast")
def _broadcast(e: Emitter, op: ir.Operation) -> Large | None:
    (source,), type_, b = list(op.operands), ir.VectorType(op.results[0].type), e.b
    if not isinstance(source.type, ir.VectorType):
        scalar = e.value(source)

        def splat(_pieces: Pieces, _start: Number, length: int) -> ir.Value:
            return b.splat(scalar, ir.VectorType.get([length], type_.element_type))

        return Large(type_, math.prod(type_.shape), splat)
    large, shape = e.large.of(source), tuple(type_.shape)
    sizes = tuple(source.type.shape)
    sizes = (1,) * (len(shape) - len(sizes)) + sizes
    strides = [0 if size == 1 else math.prod(sizes[at + 1 :]) for at, size in enumerate(sizes)]
    is_one = sizes[-1] == 1

    def make(pieces: Pieces, start: Number, length: int) -> ir.Value:
        first = dot(b, at_index(shape, start, b), strides)
        if not is_one:
            return pieces.at(large, first, length)
        one = pieces.at(large, first, 1)
        own = ir.VectorType.get([length], type_.element_type)
        found = b.op("vector.extract", [one], [type_.element_type], static_position="array<i64: 0>")
        return b.splat(found.result, own)

    # A piece is not where it is in the source.
    reads = frozenset((buffer, None) for buffer, _ in large.reads)
    width = shape[-1] if is_one else math.gcd(shape[-1], large.width)
    return Large(type_, width, make, reads, large.depth + 1)


@makes("vector.shape_cast")
def _cast(e: Emitter, op: ir.Operation) -> Large | None:
    """Return the same elements in another shape: pieces have none."""
    large = e.large.of(op.operands[0])
    type_ = ir.VectorType(op.results[0].type)

    def make(pieces: Pieces, start: Number, length: int) -> ir.Value:
        return pieces.at(large, start, length)

    reads = frozenset((buffer, None) for buffer, _ in large.reads)
    return Large(type_, large.width, make, reads, large.depth + 1)


@makes("tpu.vector_load")
def _load(e: Emitter, op: ir.Operation) -> Large | None:
    opview: Any = op.opview
    view, indices = e.view(opview.base), e.numbers(list(opview.indices))
    type_ = ir.VectorType(op.results[0].type)
    shape = tuple(type_.shape)
    if opview.mask is not None or has_strides(opview) or not _has_rows(e, op, view, shape):
        return None
    check_block(e, (op, Access.LOAD), view, indices, block_sizes(indices, shape))

    def make(_pieces: Pieces, start: Number, length: int) -> ir.Value:
        with e.at_op(op):
            return load(e, view, _position(e, view, indices, shape, start), length)

    reads = frozenset({(view.buffer, _block(view, indices, shape))})
    return Large(type_, _width(e, op, view, shape), make, reads)


@lowers("tpu.vector_store large")
def _store(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    view, indices = e.view(opview.base), e.numbers(list(opview.indices))
    shape = tuple(ir.VectorType(opview.valueToStore.type).shape)
    if opview.mask is not None or has_strides(opview) or not _has_rows(e, op, view, shape):
        e.lower_as("tpu.vector_store", op)
        return
    check_block(e, (op, Access.STORE), view, indices, block_sizes(indices, shape))
    large, own = e.large.of(opview.valueToStore), _block(view, indices, shape)
    if any(buffer == view.buffer and block != own for buffer, block in large.reads):
        large = computed(e.b, large)
    is_added = opview.add is not None and opview.add.value

    def put(piece: ir.Value, start: Number) -> None:
        place = _position(e, view, indices, shape, start)
        if is_added:
            before = load(e, view, place, ir.VectorType(piece.type).shape[0])
            piece = e.b.floats(f"arith.add{kind_of(view.element)}", before, piece)
        store(e, piece, view, place)

    for_each_piece(e.b, large, _width(e, op, view, shape), put)


def _has_rows(e: Emitter, op: ir.Operation, view: View, shape: tuple[int, ...]) -> bool:
    """Return whether rows of a block are adjacent elements, which pieces are of."""
    return shape[-1] > 1 and adjacent_elements(e, op, view, shape) > 1


def _width(e: Emitter, op: ir.Operation, view: View, shape: tuple[int, ...]) -> int:
    count = adjacent_elements(e, op, view, shape)
    return count if view.parts is None else shape[-1]


def _block(view: View, indices: Sequence[Number], shape: tuple[int, ...]) -> Block:
    return view.offset, view.strides, view.parts, tuple(indices), shape


def _position(
    e: Emitter, view: View, indices: Sequence[Number], shape: tuple[int, ...], start: Number
) -> list[Number]:
    """Return where the elements of a block from number `start` on are in the view."""
    b, skipped = e.b, len(indices) - len(shape)
    strides = [math.prod(shape[at + 1 :]) for at in range(len(shape))]
    own = [times(b, view.strides[-1], stride) for stride in strides]
    if view.parts is None and list(view.strides[skipped:]) == own:
        return [*indices[:-1], plus(b, indices[-1], start)]
    inner = zip(indices[skipped:], at_index(shape, start, b), strict=True)
    return [*indices[:skipped], *(plus(b, *pair) for pair in inner)]
