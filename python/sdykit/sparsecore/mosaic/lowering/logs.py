"""What kernels print: `pl.debug_print`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.elements import load
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, dot, row_major
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import count_of, is_float
from sdykit.sparsecore.mosaic.reports import words_of


@lowers("tpu.log")
def _log(e: Emitter, op: ir.Operation) -> None:
    tag, operands = _tag(op), list(op.operands)
    if not operands:
        _call(e, e.b.spmem([1], "i64"), tag, None, [])
        return
    if len(operands) > 1:
        raise e.not_lowered(op, "of several values")
    value = e.value(operands[0])
    shape: list[int] = []
    element = str(value.type)
    if isinstance(value.type, ir.VectorType):
        shape, element = list(value.type.shape), str(value.type.element_type)
        flat = e.b.type(f"vector<{count_of(value)}x{element}>")
        value = value if value.type == flat else e.b.convert("vector.shape_cast", value, flat)
    kind = _kind(e, op, element)
    value = _widened(e, value, element, kind)
    buffer = e.b.spmem([math.prod(shape)], kind)
    if shape:
        e.b.store_vector(value, buffer, [0])
    else:
        e.b.store(value, buffer, 0)
    _call(e, buffer, f"{tag}: {operands[0].type}", kind, shape)


@lowers("tpu.log_buffer")
def _log_buffer(e: Emitter, op: ir.Operation) -> None:
    view = e.view(op.operands[0])
    sizes = [size for size in view.sizes if isinstance(size, int)]
    if len(sizes) < len(view.sizes):
        raise e.not_lowered(op, "of sizes that are not known")
    kind = _kind(e, op, view.element)
    buffer = e.b.spmem([max(math.prod(sizes), 1)], kind)
    strides = row_major(e.b, tuple(sizes))

    def level(indices: list[Number]) -> None:
        if len(indices) == len(sizes):
            value = _widened(e, load(e, view, indices, None), view.element, kind)
            e.b.store(value, buffer, dot(e.b, indices, strides))
            return

        def body(index: ir.Value) -> tuple[()]:
            level([*indices, index])
            return ()

        e.b.loop(0, sizes[len(indices)], body)

    level([])
    type_ = "x".join(map(str, [*sizes, view.element]))
    _call(e, buffer, f"{_tag(op)}: {type_}", kind, sizes)


def _tag(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["tag"]).value


def _kind(e: Emitter, op: ir.Operation, element: str) -> str:
    """Return the type in which elements are printed."""
    if element == "f64":
        raise e.not_lowered(op, "of f64")
    return "f32" if element != "index" and is_float(element) else "i64"


def _widened(e: Emitter, value: ir.Value, element: str, kind: str) -> ir.Value:
    if element == kind:
        return value
    if element == "index":
        return e.b.to_integer(value, "i64")
    to = e.b.with_element(value.type, kind)
    extend = "arith.extui" if element == "i1" else "arith.extsi"
    return e.b.convert("arith.extf" if kind == "f32" else extend, value, to)


def _call(e: Emitter, values: ir.Value, text: str, kind: str | None, shape: Sequence[int]) -> None:
    """Add the call that prints a line.

    Args:
        e: the emitter that ops are added with.
        values: where the values are, row-major.
        text: what is before them.
        kind: their type; None if there are none.
        shape: their shape.
    """
    is_scalar = e.function.core == "scalar"
    core, *subcore = [e.number(each) for each in e.function.indices]
    length, *words = words_of(text)
    head = (int(is_scalar), core, *(subcore or [0]), int(kind is not None), int(kind == "f32"))
    e.call("sc_log", [values, *head, len(shape), length, *shape, *words])
