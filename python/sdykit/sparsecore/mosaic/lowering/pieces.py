"""Transfers as the runtime makes them: pieces of some bits, at distances in bits."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.copies import matched, without_parts
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus, times
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.types import bits_of


@dataclass(frozen=True)
class Pieces:
    """A transfer.

    Attributes:
        bits: the bits of a piece.
        stored_bits: how many are written for each; more than `bits` if it is written with its sign.
        sizes: how many pieces there are in each dimension.
        offsets: the bits before the first piece, at the source and at the target.
        strides: the bits between two of them in each dimension, at the source and at the target.
    """

    bits: int
    stored_bits: int
    sizes: tuple[Number, ...]
    offsets: tuple[Number, Number]
    strides: tuple[tuple[Number, ...], tuple[Number, ...]]

    @property
    def dimensions(self) -> tuple[Number, ...]:
        """Sizes, and the strides of both sides."""
        return (*self.sizes, *self.strides[0], *self.strides[1])


def pieces_of(e: Emitter, op: ir.Operation, source: View, target: View) -> Pieces:
    """Return the pieces of a copy of a view to another.

    Raises:
        NotLowered: the views are made of parts in ways that do not go together.
    """
    source, target = matched(e, op, *without_parts(source, target))
    views = (source, target)
    parted = [view for view in views if view.parts is not None]
    if len(parted) > 1:
        raise e.not_lowered(op, "between parts of elements of different widths")
    offsets = tuple(_bits(e, view, view.offset) for view in views)
    strides = [tuple(_bits(e, view, each) for each in view.strides) for view in views]
    sizes = source.sizes
    if not parted:
        bits = max(bits_of(source.element), source.bits, 8)
        return Pieces(bits, bits, sizes, (offsets[0], offsets[1]), (strides[0], strides[1]))
    (view,) = parted
    parts = view.parts
    assert parts is not None
    own: int = views.index(view)
    added: list[Number] = [0, 0]
    if parts.is_wide:
        bits = view.bits
        sizes = (*sizes, parts.count)
        inner: list[Number] = [bits, bits]
        inner[own] = _bits(e, view, parts.stride)
        strides = [(*each, last) for each, last in zip(strides, inner, strict=True)]
    else:
        bits = bits_of(view.element)
        added[own] = times(e.b, parts.part, bits)
        if parts.row is not None:
            sizes, strides = _split_rows(e, op, (own, view), sizes, strides)
    total = [plus(e.b, *pair) for pair in zip(offsets, added, strict=True)]
    stored = _in_memory(target) if bits < 8 and _is_in_bytes(target) else bits
    return Pieces(bits, stored, sizes, (total[0], total[1]), (strides[0], strides[1]))


def _split_rows(
    e: Emitter,
    op: ir.Operation,
    narrow: tuple[int, View],
    sizes: tuple[Number, ...],
    strides: list[tuple[Number, ...]],
) -> tuple[tuple[Number, ...], list[tuple[Number, ...]]]:
    """Return sizes and strides with the dimension of narrow rows divided: wide rows, and their parts."""
    own, view = narrow
    assert view.parts is not None
    row, count = view.parts.row, view.parts.count
    assert row is not None
    rows = sizes[row]
    if isinstance(rows, int) and rows < count:  # They are parts of one wide row.
        bits = bits_of(view.element)
        return sizes, [
            (*each[:row], bits if side == own else each[row], *each[row + 1 :])
            for side, each in enumerate(strides)
        ]
    if view.parts.part != 0 or not isinstance(rows, int) or rows % count:
        raise e.not_lowered(op, "of rows of parts that are not whole rows")
    divided = (*sizes[:row], rows // count, count, *sizes[row + 1 :])
    found: list[tuple[Number, ...]] = []
    for side, each in enumerate(strides):
        is_own = side == own
        outer = each[row] if is_own else times(e.b, each[row], count)
        inner: Number = bits_of(view.element) if is_own else each[row]
        found.append((*each[:row], outer, inner, *each[row + 1 :]))
    return divided, found


def _bits(e: Emitter, view: View, elements: Number) -> Number:
    return times(e.b, elements, _in_memory(view))


def _in_memory(view: View) -> int:
    """Return the bits that an element of the buffer takes in memory."""
    return max(view.bits, 8)


def _is_in_bytes(view: View) -> bool:
    """Return whether each element of fewer than 8 bits has a byte."""
    return view.bits < 8
