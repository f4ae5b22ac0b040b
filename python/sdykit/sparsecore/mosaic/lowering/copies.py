"""Copies of views: the longest adjacent end in vectors, in loops over the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.accesses import kind_of
from sdykit.sparsecore.mosaic.lowering.elements import load, store
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.types import bits_of

_CHUNK_BYTES = 256
"""Bytes of the largest vectors that copies are made of."""
_PARTS_BYTES = 128
"""The same if elements are put together of parts, or taken apart: that takes many instructions."""
_UNROLLED = 4
"""Vectors that are copied without a loop."""


def copy(e: Emitter, op: ir.Operation, source: View, target: View, *, add: bool = False) -> None:
    """Copy a view to another of the same shape but for dimensions of 1.

    Args:
        e: the emitter that ops are added with.
        op: the op of the kernel.
        source: what is read.
        target: what is written.
        add: whether elements are added to those of the target.

    Raises:
        NotLowered: the shapes differ, as far as is known.
    """
    if not add:
        source, target = without_parts(source, target)
    source, target = matched(e, op, source, target)
    if all(each != 0 for each in source.sizes):
        _copy_nest(e, source, target, add=add)


def matched(e: Emitter, op: ir.Operation, source: View, target: View) -> tuple[View, View]:
    """Return two views of the same shape without dimensions of 1.

    Raises:
        NotLowered: their shapes differ in others, as far as is known.
    """
    kept = _long(source), _long(target)
    sizes = [
        one if isinstance(one, int) else other
        for one, other in zip(
            (source.sizes[at] for at in kept[0]), (target.sizes[at] for at in kept[1]), strict=False
        )
    ]
    is_known = [
        isinstance(target.sizes[at], int) and isinstance(size, int)
        for at, size in zip(kept[1], sizes, strict=False)
    ]
    if len(kept[0]) != len(kept[1]) or any(
        known and target.sizes[at] != size
        for known, at, size in zip(is_known, kept[1], sizes, strict=True)
    ):
        raise e.not_lowered(op, f"from sizes {source.sizes} to {target.sizes}")
    views = (_only(view, dims) for view, dims in zip((source, target), kept, strict=True))
    first, second = (replace(view, sizes=tuple(sizes)) for view in views)
    return first, second


def _long(view: View) -> list[int]:
    """Return the dimensions of a view whose size is not 1."""
    return [at for at, size in enumerate(view.sizes) if size != 1]


def _only(view: View, kept: Sequence[int]) -> View:
    parts = view.parts
    if parts is not None and parts.row is not None:
        parts = replace(parts, row=kept.index(parts.row) if parts.row in kept else None)
    return replace(
        view,
        sizes=tuple(view.sizes[at] for at in kept),
        strides=tuple(view.strides[at] for at in kept),
        parts=parts,
    )


def without_parts(source: View, target: View) -> tuple[View, View]:
    """Return the same elements as they are in the buffers, if both have them in the same parts."""
    a, b = source.parts, target.parts
    if a is None or b is None or source.bits != target.bits:
        return source, target
    if a.is_wide != b.is_wide or a.count != b.count:
        return source, target
    if a.is_wide:
        return _parts_first(source), _parts_first(target)
    views = (_wide_rows(source), _wide_rows(target))
    if views[0] is None or views[1] is None:
        return source, target
    return views[0], views[1]


def _parts_first(view: View) -> View:
    """Return the parts of wide elements, with a dimension that counts them before the others."""
    assert view.parts is not None
    sizes = (view.parts.count, *view.sizes)
    strides = (view.parts.stride, *view.strides)
    return replace(
        view, sizes=sizes, strides=strides, element=_raw(view), parts=None, bits=max(view.bits, 8)
    )


def _wide_rows(view: View) -> View | None:
    """Return whole rows of the buffer that hold narrow elements; None if they may be parts of rows."""
    parts = view.parts
    assert parts is not None
    if parts.row is None or parts.part != 0:
        return None
    rows = view.sizes[parts.row]
    if not isinstance(rows, int) or rows % parts.count:
        return None
    sizes = list(view.sizes)
    sizes[parts.row] = rows // parts.count
    return replace(view, sizes=tuple(sizes), element=_raw(view), parts=None)


def _raw(view: View) -> str:
    """Return integers of the width that an element of the buffer has in memory."""
    return f"i{max(view.bits, 8)}"


def _copy_nest(e: Emitter, source: View, target: View, *, add: bool) -> None:
    """Add the loops over all dimensions but the adjacent ones, and the copy in them."""
    outer, count = _adjacent(source, target)
    sizes = source.sizes

    def level(depth: int, indices: list[Number]) -> None:
        if depth == outer:
            rest = [0] * (len(sizes) - outer)
            _copy_run(e, source, target, [*indices, *rest], count, add=add)
            return

        def body(index: ir.Value) -> tuple[()]:
            level(depth + 1, [*indices, index])
            return ()

        e.b.loop(0, sizes[depth], body)

    level(0, [])


def _adjacent(source: View, target: View) -> tuple[int, Number]:
    """Return how many dimensions are before those whose elements are adjacent, and how many these are."""
    outer, count = len(source.sizes), 1
    pairs = list(zip(source.sizes, source.strides, target.strides, strict=True))
    rows = {view.parts.row for view in (source, target) if view.parts is not None}
    for size, *strides in reversed(pairs):
        is_row_of_parts = outer - 1 in rows
        if any(stride != count for stride in strides) or is_row_of_parts:
            break
        if not isinstance(size, int):
            return (outer - 1, size) if count == 1 else (outer, count)
        outer, count = outer - 1, count * size
    return outer, count


def _copy_run(
    e: Emitter,
    source: View,
    target: View,
    indices: list[Number],
    count: Number,
    *,
    add: bool,
) -> None:
    """Copy adjacent elements."""
    has_parts = source.parts is not None or target.parts is not None
    widest = max(bits_of(source.element), source.bits, target.bits, 8)
    width = (_PARTS_BYTES if has_parts else _CHUNK_BYTES) * 8 // widest

    def move(start: Number, length: int | None) -> None:
        place = [*indices[:-1], plus(e.b, indices[-1], start)] if indices else []
        value = load(e, source, place, length, raw=not add)
        if add:
            before = load(e, target, place, length)
            value = e.b.floats(f"arith.add{kind_of(source.element)}", before, value)
        store(e, value, target, place, raw=not add)

    def moving(length: int | None):
        def body(start: ir.Value) -> tuple[()]:
            move(start, length)
            return ()

        return body

    if not isinstance(count, int):
        whole = e.b.bits("arith.andi", count, -width)
        e.b.loop(0, whole, moving(width), step=width)
        e.b.loop(whole, count, moving(None))
        return
    whole = count // width
    if whole > (1 if has_parts else _UNROLLED):
        e.b.loop(0, whole * width, moving(width), step=width)
    else:
        for number in range(whole):
            move(number * width, width)
    _move_rest(move, whole * width, count - whole * width)


def _move_rest(move, start: int, count: int) -> None:
    """Copy what is left in ever narrower vectors: 13 elements in 8, 4 and 1."""
    width = 1 << max(count.bit_length() - 1, 0)
    while count:
        if count >= width:
            move(start, width if width > 1 else None)
            start, count = start + width, count - width
        width //= 2
