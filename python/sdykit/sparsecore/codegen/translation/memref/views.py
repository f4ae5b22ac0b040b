"""`memref`: sizes, and views of the same memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.emitter import is_constant
from sdykit.sparsecore.codegen.emission.memory import row_major
from sdykit.sparsecore.codegen.emission.types import INDEX, Layout, Type
from sdykit.sparsecore.codegen.emission.values import Value, with_layout
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.op_attributes import integers, segments
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator


def _dim(t: Translator, op: ir.Operation) -> None:
    memref, index = t.memref(op.operands[0]), t.value(op.operands[1]).text
    rank = len(memref.sizes)
    if not is_constant(index):
        raise error_of(op, "expected a constant dimension, such as the result of arith.constant")
    if not 0 <= int(index) < rank:
        raise error_of(op, f"dimension is {index}; expected one from 0 to {rank - 1}")
    t[op.results[0]] = Value(Type(INDEX), memref.sizes[int(index)])


def _rank(t: Translator, op: ir.Operation) -> None:
    t[op.results[0]] = Value(Type(INDEX), str(len(t.memref(op.operands[0]).sizes)))


def _cast(t: Translator, op: ir.Operation) -> None:
    source, layout = t.memref(op.operands[0]), t.layout(op, op.results[0])
    t[op.results[0]] = with_layout(layout, source.base, source.offset, source.sizes, source.strides)


def _subview(t: Translator, op: ir.Operation) -> None:
    e, memref = t.emitter, t.memref(op.operands[0])
    layout = t.layout(op, op.results[0])
    (_, *dynamic), names = segments(op), ("static_offsets", "static_sizes", "static_strides")
    offsets, sizes, steps = (
        _mixed(t, integers(op, name), values) for name, values in zip(names, dynamic, strict=True)
    )
    offset = memref.offset
    for index, stride in zip(offsets, memref.strides, strict=True):
        offset = e.add(offset, e.multiply(index, stride))
    kept = _kept_dimensions(op, layout)
    strides = [e.multiply(memref.strides[k], steps[k]) for k in kept]
    t[op.results[0]] = with_layout(layout, memref.base, offset, [sizes[k] for k in kept], strides)


def _kept_dimensions(op: ir.Operation, layout: Layout) -> Sequence[int]:
    """Return the dimensions of a slice that its type keeps; it may drop some of size 1.

    If several choices fit the type, they differ in dimensions of size 1, whose strides do not
    matter.
    """
    unknown = ir.ShapedType.get_dynamic_size()
    sizes = [None if size == unknown else size for size in integers(op, "static_sizes")]
    for kept in combinations(range(len(sizes)), len(layout.sizes)):
        dropped = [size for k, size in enumerate(sizes) if k not in kept]
        if tuple(sizes[k] for k in kept) == layout.sizes and all(size == 1 for size in dropped):
            return kept
    raise AssertionError("the verifier admits no other type")


def _reinterpret_cast(t: Translator, op: ir.Operation) -> None:
    memref, layout = t.memref(op.operands[0]), t.layout(op, op.results[0])
    (_, *dynamic), names = segments(op), ("static_offsets", "static_sizes", "static_strides")
    offsets, sizes, strides = (
        _mixed(t, integers(op, name), values) for name, values in zip(names, dynamic, strict=True)
    )
    t[op.results[0]] = with_layout(layout, memref.base, offsets[0], sizes, strides)


def _view(t: Translator, op: ir.Operation) -> None:
    source, shift, *dynamic = op.operands
    layout, base = t.layout(op, op.results[0]), t.memref(source).base
    if not layout.is_row_major:
        raise error_of(op, f"expected a row-major layout, found '{op.results[0].type}'")
    start = t.value(shift).text
    if start != "0":
        base = t.emitter.set(f"getelementptr inbounds i8, ptr {base}, i64 {start}")
    remaining = iter(dynamic)
    sizes = [t.value(next(remaining)).text if size is None else str(size) for size in layout.sizes]
    t[op.results[0]] = row_major(t.emitter, layout, base, sizes)


def _mixed(t: Translator, static: Iterable[int], dynamic: Iterable[ir.Value]) -> list[str]:
    """Return a list of sizes, offsets or strides, with its dynamic entries filled in."""
    remaining, unknown = iter(dynamic), ir.ShapedType.get_dynamic_size()
    return [t.value(next(remaining)).text if entry == unknown else str(entry) for entry in static]


OPS: dict[str, Handler] = {
    "memref.cast": _cast,
    "memref.dim": _dim,
    "memref.memory_space_cast": _cast,
    "memref.rank": _rank,
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.subview": _subview,
    "memref.view": _view,
}
