"""`vector`: ops that only move elements, each one LLVM shuffle of flat vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.types import Type, flat
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.emission.vectors import splat_register
from sdykit.sparsecore.codegen.translation.op_attributes import integers
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator

Numbers = npt.NDArray[np.int64]


def numbers(type_: Type, start: int = 0) -> Numbers:
    """Return consecutive numbers in the shape of a vector."""
    return np.arange(start, start + type_.count).reshape(type_.shape or ())


def shuffle(e: Emitter, a: Value, b: Value | None, picked: Sequence[int], to: Type) -> Value:
    """Return a vector of elements picked from two flat vectors of one type; -1 picks poison."""
    items = ", ".join(f"i32 {k}" if k >= 0 else "i32 poison" for k in picked)
    other = b.text if b else "poison"
    mask = f"<{len(picked)} x i32> <{items}>"
    return Value(to, e.set(f"shufflevector {a.operand}, {a.type.llvm} {other}, {mask}"))


def _pick(t: Translator, op: ir.Operation, picked: Numbers) -> None:
    source = t.value(op.operands[0])
    to = t.result_type(op)
    t[op.results[0]] = shuffle(t.emitter, source, None, picked.ravel().tolist(), to)


def _broadcast(t: Translator, op: ir.Operation) -> None:
    source, to = t.value(op.operands[0]), t.result_type(op)
    if source.type.shape is None:
        t[op.results[0]] = splat_register(t.emitter, source, to)
        return
    _pick(t, op, np.broadcast_to(numbers(source.type), to.shape or ()))


def _transpose(t: Translator, op: ir.Operation) -> None:
    order = integers(op, "permutation")
    _pick(t, op, numbers(t.value(op.operands[0]).type).transpose(order))


def _slices(op: ir.Operation, offsets: Sequence[int], sizes: Sequence[int]) -> list[slice]:
    steps = _items(op, "strides")
    return [
        slice(offset, offset + (size - 1) * step + 1, step)
        for offset, size, step in zip(offsets, sizes, steps, strict=True)
    ]


def _items(op: ir.Operation, name: str) -> list[int]:
    return [ir.IntegerAttr(item).value for item in ir.ArrayAttr(op.attributes[name])]


def _extract_slice(t: Translator, op: ir.Operation) -> None:
    slices = _slices(op, _items(op, "offsets"), _items(op, "sizes"))
    _pick(t, op, numbers(t.value(op.operands[0]).type)[tuple(slices)])


def _insert_slice(t: Translator, op: ir.Operation) -> None:
    piece, target = t.values(op)
    shape, whole = piece.type.shape or (), target.type.shape or ()
    before = len(whole) - len(shape)
    offsets = _items(op, "offsets")
    places = (*offsets[:before], *_slices(op, offsets[before:], shape))
    picked = numbers(target.type)
    picked[places] = numbers(piece.type, target.type.count)
    wide = _resized(t.emitter, piece, target.type.count)
    result = shuffle(t.emitter, target, wide, picked.ravel().tolist(), target.type)
    t[op.results[0]] = result


def _resized(e: Emitter, value: Value, count: int) -> Value:
    """Return a flat vector, lengthened with poison."""
    if value.type.count == count:
        return value
    picked = [k if k < value.type.count else -1 for k in range(count)]
    return shuffle(e, value, None, picked, flat(value.type.element, count))


def _shuffle(t: Translator, op: ir.Operation) -> None:
    a, b = t.values(op)
    count = max(a.type.count, b.type.count)
    rows = np.concatenate([np.atleast_1d(numbers(a.type)), np.atleast_1d(numbers(b.type, count))])
    picked = np.concatenate([rows, np.full((1, *rows.shape[1:]), -1)])[integers(op, "mask")]
    wide_a, wide_b = (_resized(t.emitter, value, count) for value in (a, b))
    to = t.result_type(op)
    t[op.results[0]] = shuffle(t.emitter, wide_a, wide_b, picked.ravel().tolist(), to)


def _interleave(t: Translator, op: ir.Operation) -> None:
    a, b = t.values(op)
    picked = np.stack([numbers(a.type), numbers(b.type, a.type.count)], axis=-1)
    to = t.result_type(op)
    t[op.results[0]] = shuffle(t.emitter, a, b, picked.ravel().tolist(), to)


def _deinterleave(t: Translator, op: ir.Operation) -> None:
    (source,) = t.values(op)
    whole = numbers(source.type)
    for k, result in enumerate(op.results):
        picked = whole[..., k::2].ravel().tolist()
        t[result] = shuffle(t.emitter, source, None, picked, t.result_type(op, k))


def _shape_cast(t: Translator, op: ir.Operation) -> None:
    t.set_result(op, t.value(op.operands[0]).text)


OPS: dict[str, Handler] = {
    "vector.broadcast": _broadcast,
    "vector.deinterleave": _deinterleave,
    "vector.extract_strided_slice": _extract_slice,
    "vector.insert_strided_slice": _insert_slice,
    "vector.interleave": _interleave,
    "vector.shape_cast": _shape_cast,
    "vector.shuffle": _shuffle,
    "vector.transpose": _transpose,
}
