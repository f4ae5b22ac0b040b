"""Checks that compiled kernels always make, and what they report."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import Access, OutOfBounds
from sdykit.sparsecore.tile.builder.ops import Builder

What = tuple[ir.Operation, Access]
"""An op of the kernel, and what it does with memory."""


def check_block(
    e: Emitter, what: What, view: View, starts: Sequence[Number], sizes: Sequence[Number]
) -> None:
    """Add the checks that a block of a view is within it, but those that were made before.

    Args:
        e: the emitter that ops are added with.
        what: what touches the block.
        view: the view.
        starts: the position of the block's first element.
        sizes: its size in each dimension.
    """
    op, access = what
    place, rank = e.kernel.places.of(op), len(view.sizes)
    for dimension, bounds in enumerate(zip(starts, sizes, view.sizes, strict=True)):
        if bounds in e.checked:
            continue
        holds = _is_within(e.b, *bounds)
        if holds is not None:
            start, size, whole = bounds
            where = (e.agent, place, int(access), dimension, rank)
            e.fail_unless(holds, OutOfBounds.kind, *where, start, plus(e.b, start, size), whole)
            e.checked.add(bounds)


def _is_within(b: Builder, start: Number, size: Number, whole: Number) -> ir.Value | None:
    """Return whether `[start, start + size)` is within `[0, whole)`; None if that is certain."""
    never = b.constant("0", "i1")
    if isinstance(start, int) and isinstance(size, int) and isinstance(whole, int):
        return None if 0 <= start <= start + size <= whole else never
    if start == 0 and size is whole:
        return None
    if isinstance(size, int) and isinstance(whole, int):
        # Compared as an unsigned number: a negative one is larger than any other.
        return b.compare("ule", start, whole - size) if whole >= size else never
    holds = b.compare("sle", plus(b, start, size), whole)
    for each in (start, size):
        if not isinstance(each, int) or each < 0:
            holds = b.bits("arith.andi", holds, b.compare("sle", 0, each))
    return holds
