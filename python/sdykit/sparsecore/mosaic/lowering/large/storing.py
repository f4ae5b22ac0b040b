"""Loops over the pieces of a vector of many elements."""

from __future__ import annotations

import math
from collections.abc import Callable

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.large.values import Large, Pieces, piece_length
from sdykit.sparsecore.mosaic.lowering.numbers import Number
from sdykit.sparsecore.tile.builder.ops import Builder


def for_each_piece(
    b: Builder, large: Large, width: int, store: Callable[[ir.Value, Number], None]
) -> None:
    """Add a loop that computes a vector piece by piece.

    Args:
        b: the builder that ops are added with.
        large: the vector.
        width: a number that the length of pieces has to divide, too.
        store: is called with a piece and the number of its first element.
    """
    length = piece_length(math.gcd(large.width, width))

    def body(start: ir.Value) -> tuple[()]:
        store(Pieces(b).at(large, start, length), start)
        return ()

    b.loop(0, large.count, body, step=length)


def computed(b: Builder, large: Large) -> Large:
    """Return the same vector in memory of its own, which it is stored to."""
    buffer = _buffer(b, large.type)

    def store(piece: ir.Value, start: Number) -> None:
        b.store_vector(_in_memory(b, piece), buffer, [start])

    for_each_piece(b, large, large.count, store)
    return _of_memory(b, buffer, large.type)


def of_vector(b: Builder, value: ir.Value) -> Large:
    """Return a vector of a tile program as one of pieces, by way of memory."""
    type_ = ir.VectorType(value.type)
    buffer = _buffer(b, type_)
    flat = ir.VectorType.get([math.prod(type_.shape)], type_.element_type)
    b.store_vector(_in_memory(b, _shaped(b, value, flat)), buffer, [0])
    return _of_memory(b, buffer, type_)


def whole(b: Builder, large: Large) -> ir.Value:
    """Return all elements as a vector of a tile program."""
    return _shaped(b, Pieces(b).at(large, 0, large.count), large.type)


def _buffer(b: Builder, type_: ir.VectorType) -> ir.Value:
    element = str(type_.element_type)
    return b.spmem([math.prod(type_.shape)], "i8" if element == "i1" else element)


def _of_memory(b: Builder, buffer: ir.Value, type_: ir.VectorType) -> Large:
    def make(_pieces: Pieces, start: Number, length: int) -> ir.Value:
        found = b.load_vector(buffer, [start], length)
        own = ir.VectorType.get([length], type_.element_type)
        return found if found.type == own else b.convert("arith.trunci", found, own)

    return Large(type_, math.prod(type_.shape), make)


def _in_memory(b: Builder, piece: ir.Value) -> ir.Value:
    """Return a piece as it is in memory: booleans as bytes."""
    if str(ir.VectorType(piece.type).element_type) != "i1":
        return piece
    return b.convert("arith.extui", piece, b.with_element(piece.type, "i8"))


def _shaped(b: Builder, value: ir.Value, type_: ir.VectorType) -> ir.Value:
    return value if value.type == type_ else b.convert("vector.shape_cast", value, type_)
