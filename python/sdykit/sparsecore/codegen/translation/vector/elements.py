"""`vector`: elements, masks, arithmetic."""

from __future__ import annotations

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.floats import intrinsic
from sdykit.sparsecore.codegen.emission.literals import vector
from sdykit.sparsecore.codegen.emission.types import INDEX, Type
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.emission.vectors import below, part, with_part
from sdykit.sparsecore.codegen.translation.arith.floats import bitcast, float_op
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.op_attributes import integers
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator


def _position(t: Translator, op: ir.Operation, type_: Type, dynamic: list[ir.Value]) -> str:
    """Return the number, in the flat vector, of the first element at a position."""
    e, remaining, shape = t.emitter, iter(dynamic), type_.shape or ()
    unknown, position = ir.ShapedType.get_dynamic_size(), "0"
    entries = integers(op, "static_position")
    for k, entry in enumerate(entries):
        text = t.value(next(remaining)).text if entry == unknown else str(entry)
        position = e.add(position, e.multiply(text, str(int(np.prod(shape[k + 1 :])))))
    return position


def _extract(t: Translator, op: ir.Operation) -> None:
    source = t.value(op.operands[0])
    position = _position(t, op, source.type, list(op.operands)[1:])
    to = t.result_type(op)
    if to.shape is None:
        t.set_result(op, t.emitter.set(f"extractelement {source.operand}, i64 {position}"))
        return
    _check_static(op, position)
    t[op.results[0]] = part(t.emitter, source, int(position), to)


def _insert(t: Translator, op: ir.Operation) -> None:
    item, target = (t.value(operand) for operand in list(op.operands)[:2])
    position = _position(t, op, target.type, list(op.operands)[2:])
    if item.type.shape is None:
        words = f"insertelement {target.operand}, {item.operand}, i64 {position}"
        t.set_result(op, t.emitter.set(words))
        return
    _check_static(op, position)
    t[op.results[0]] = with_part(t.emitter, target, item, int(position))


def _check_static(op: ir.Operation, position: str) -> None:
    if position.startswith("%"):
        raise error_of(op, "expected a static position, since the element is a vector")


def _from_elements(t: Translator, op: ir.Operation) -> None:
    to, result = t.result_type(op), "poison"
    for lane, item in enumerate(t.values(op)):
        result = t.emitter.set(f"insertelement {to.llvm} {result}, {item.operand}, i64 {lane}")
    t.set_result(op, result)


def _to_elements(t: Translator, op: ir.Operation) -> None:
    (source,) = t.values(op)
    for lane, result in enumerate(op.results):
        text = t.emitter.set(f"extractelement {source.operand}, i64 {lane}")
        t[result] = Value(Type(source.type.element), text)


def _step(t: Translator, op: ir.Operation) -> None:
    to = t.result_type(op)
    t.set_result(op, vector(INDEX, range(to.count)).text)


def _create_mask(t: Translator, op: ir.Operation) -> None:
    _mask(t, op, t.values(op))


def _constant_mask(t: Translator, op: ir.Operation) -> None:
    sizes = integers(op, "mask_dim_sizes")
    _mask(t, op, [Value(Type(INDEX), str(size)) for size in sizes])


def _mask(t: Translator, op: ir.Operation, limits: list[Value]) -> None:
    """Emit a mask that is true where the index is less than the limit in every dimension."""
    e, to = t.emitter, t.result_type(op)
    shape, text = to.shape or (1,), ""
    for axis, limit in enumerate(limits):
        lanes = np.indices(shape)[axis].ravel().tolist()
        inside = below(e, limit, lanes).text
        text = e.set(f"and {to.llvm} {text}, {inside}") if text else inside
    t.set_result(op, text)


OPS: dict[str, Handler] = {
    "vector.bitcast": bitcast,
    "vector.constant_mask": _constant_mask,
    "vector.create_mask": _create_mask,
    "vector.extract": _extract,
    "vector.fma": float_op(intrinsic("fma")),
    "vector.from_elements": _from_elements,
    "vector.insert": _insert,
    "vector.step": _step,
    "vector.to_elements": _to_elements,
}
